import { beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../src/store/database.ts";
import { insertMinute, listFigures, type MinuteOfNode, readFigures, tellFigures } from "../../src/store/figures.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { createTestDatabase, statement } from "../support/database.ts";
import { dropOldRows } from "../../src/store/old-rows.ts";

let db: Database;
beforeEach(async () => {
  ({ db } = await createTestDatabase());
});

const hourMs = 3_600_000;
const thisHour = Math.floor(Date.now() / hourMs) * hourMs;

function minute(at: number, counts: Partial<MinuteOfNode> = {}): MinuteOfNode {
  return {
    at: new Date(at),
    processId: uuidv7(),
    accepted: 10,
    sent: 9,
    delivered: 8,
    undelivered: 1,
    unsent: 1,
    taken: 12,
    refused: 2,
    throttled: 3,
    unanswered: 4,
    answers: 10,
    medianMs: 20,
    slowMs: 50,
    ...counts,
  };
}

describe("the row of a node", () => {
  it("is replaced, and goes when the node is silent", async () => {
    const [one, other] = [uuidv7(), uuidv7()];
    await tellFigures(db, { processId: one, host: "a", figures: { round: 1 } });
    await tellFigures(db, { processId: one, host: "a", figures: { round: 2 } });
    await tellFigures(db, { processId: other, host: "b", figures: { round: 1 } });
    const rows = await readFigures<{ round: number }>(db);
    expect(rows.map(({ host, figures: { round } }) => [host, round])).toEqual([
      ["a", 2],
      ["b", 1],
    ]);
    await db.query(statement("update node_figures set at = now() - interval '6 minutes' where host = 'b'"));
    await dropOldRows(db, "silentNodes", 300);
    expect((await readFigures(db)).map(({ host }) => host)).toEqual(["a"]);
  });
});

describe("minutes", () => {
  it("count once, however often they are written, and all nodes together", async () => {
    const at = Math.floor(Date.now() / 60_000) * 60_000;
    const one = minute(at, { medianMs: 10, answers: 30 });
    await insertMinute(db, one);
    await insertMinute(db, one);
    await insertMinute(db, minute(at, { medianMs: 50, answers: 10, slowMs: 90 }));
    expect(await listFigures(db, "minute", new Date(at))).toMatchObject([
      { at: new Date(at), accepted: 20n, delivered: 16n, medianMs: 20n, slowMs: 90n },
    ]);
  });

  it("have no times of answers where there was no answer", async () => {
    const [idle, busy] = [thisHour - hourMs, thisHour];
    await insertMinute(db, minute(idle, { answers: 0, medianMs: 0, slowMs: 0 }));
    await insertMinute(db, minute(busy, { answers: 1, medianMs: 0, slowMs: 0 }));
    const times = [
      { medianMs: null, slowMs: null },
      { medianMs: 0n, slowMs: 0n },
    ];
    expect(await listFigures(db, "minute", new Date(idle))).toMatchObject(times);
    expect(await listFigures(db, "hour", new Date(idle))).toMatchObject(times);
  });

  it("are summed by hour", async () => {
    const old = thisHour - 50 * hourMs;
    for (const at of [old, old + 60_000, old + hourMs, thisHour - 2 * hourMs]) {
      await insertMinute(db, minute(at));
      await insertMinute(db, minute(at));
    }
    const points = await listFigures(db, "hour", new Date(old));
    expect(points.map(({ accepted }) => accepted)).toEqual([40n, 20n, 20n]);
    expect(points[0]).toMatchObject({ at: new Date(old), slowMs: 50n, medianMs: 20n });
  });
});
