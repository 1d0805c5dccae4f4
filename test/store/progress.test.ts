import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PartReport, type PartTaken, type Progress, recordProgress } from "../../src/store/progress.ts";
import { ensureWeeks, weekStart } from "../../src/store/partitions.ts";
import { uuidv7, uuidv7Time } from "../../src/platform/uuid.ts";
import { type AskedStatement, statementOf } from "../../src/store/database.ts";
import { longText, partTaken, readMessages, storeCall, storeMessage, useWorld } from "../support/factories.ts";
import { statement } from "../support/database.ts";

const world = useWorld();

const reportOf = (messageId: string, part: number, verdict: PartReport["verdict"]): PartReport => ({
  accountId: world.account().id,
  messageId,
  part,
  verdict,
  detail: verdict,
});

interface Step {
  readonly message: number;
  readonly part: number;
  readonly event: "taken" | "delivered" | "undelivered";
}

/** A message goes in parts or as one payload (part 0), never both. */
const steps = fc.constantFrom([0], [1, 2, 3]).chain((parts) =>
  fc.array(
    fc.record({
      message: fc.integer({ min: 0, max: 2 }),
      part: fc.constantFrom(...parts),
      event: fc.constantFrom("taken" as const, "delivered" as const, "undelivered" as const),
    }),
    { minLength: 1, maxLength: 10 },
  ),
);

function progressOf(given: readonly Step[], ids: readonly string[]): Progress {
  const taken: PartTaken[] = [];
  const reports: PartReport[] = [];
  for (const { message, part, event } of given) {
    const id = ids[message] ?? "";
    if (event === "taken") taken.push(partTaken(world, id, part));
    else reports.push(reportOf(id, part, event));
  }
  return { taken, reports };
}

describe("recordProgress", () => {
  it("looks up each message by its key, though the plan was made while the table was small", async () => {
    const ids = await storeCall(world, { messages: Array.from({ length: 40 }, () => ({})) });
    const lines: string[] = [];
    await world.db.transaction(async (tx) => {
      await tx.query(statement("set local plan_cache_mode = force_generic_plan"));
      const explained = async <Row>(...asked: AskedStatement): Promise<Row[]> => {
        const { text, values } = statementOf(asked);
        const rows = await tx.query<{ "QUERY PLAN": string }>(statement(`explain ${text}`, values));
        lines.push(...rows.map((row) => row["QUERY PLAN"]));
        return [];
      };
      await recordProgress({ query: explained }, { taken: ids.map((id) => partTaken(world, id, 1)) });
    });
    const update = lines.slice(lines.findIndex((line) => line.includes("Update on message m")));
    expect(update.find((line) => line.includes("Index Cond"))).toMatch(/account_id = .*\bid = /);
  });

  it("makes of all that one moment brought what it makes of it one after another", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const messages = Array.from({ length: 3 }, () => ({ content: longText(3) }));
        const [together, apart] = [await storeCall(world, { messages }), await storeCall(world, { messages })];
        await recordProgress(world.db, progressOf(given, together));
        const { taken = [], reports = [] } = progressOf(given, apart);
        for (const part of taken) await recordProgress(world.db, { taken: [part] });
        for (const report of reports) await recordProgress(world.db, { reports: [report] });
        const fates = async (ids: readonly string[]): Promise<unknown> =>
          (await readMessages(world, ids)).map(({ status, reason, detail, taken: bits }) => [
            status,
            reason,
            detail,
            bits,
          ]);
        expect(await fates(together)).toEqual(await fates(apart));
      }),
      { numRuns: 60 },
    );
  });

  it("finds messages of several weeks at once, and of a week that gets its partition later", async () => {
    const weeksAgo = [5, 1, 0];
    const ids = await Promise.all(
      weeksAgo.map(async (weeks) => {
        const id = uuidv7(Date.now() - weeks * 7 * 86_400_000);
        await world.rows("update message set id = $2 where id = $1", [await storeMessage(world), id]);
        return id;
      }),
    );
    const statusesAfter = async (progress: Progress): Promise<number[]> => {
      await recordProgress(world.db, progress);
      return (await readMessages(world, ids)).map(({ status }) => status);
    };
    const [old = ""] = ids;
    const taken = ids.map((id) => partTaken(world, id, 1));
    expect(await statusesAfter({ taken: taken.slice(1) })).toEqual([0, 1, 1]);
    expect(await statusesAfter({ taken: taken.slice(0, 1) })).toEqual([1, 1, 1]);
    await ensureWeeks(world.db, [weekStart(new Date(uuidv7Time(old)))]);
    expect(await statusesAfter({ reports: [reportOf(old, 1, "delivered")] })).toEqual([2, 1, 1]);
  });

  it("counts the messages that came to their end", async () => {
    const [one = "", two = "", three = ""] = await storeCall(world, { messages: [{}, {}, {}] });
    const taken = [one, two, three].map((id) => partTaken(world, id, 1));
    const reports = [reportOf(one, 1, "delivered"), reportOf(two, 1, "undelivered")];
    expect(await recordProgress(world.db, { taken, reports })).toEqual({ sent: 3, delivered: 1, undelivered: 1 });
    expect(await recordProgress(world.db, { taken, reports })).toEqual({ sent: 0, delivered: 0, undelivered: 0 });
    expect(await readMessages(world, [one, two, three])).toMatchObject([{ status: 2 }, { status: 3 }, { status: 1 }]);
  });

  it("keeps the first receipt of each part and nine more of a message, however often an operator repeats them", async () => {
    const id = await storeMessage(world, { content: longText(2) });
    const receipt = { connectorId: world.connector().id, state: "DELIVRD", error: "000", content: "id:1 stat:DELIVRD" };
    const report = (part: number) => ({ ...reportOf(id, part, "delivered" as const), receipt });
    const kept = () =>
      world.rows<{ part: number; repeated: boolean; times: number }>(
        "select part, repeated, count(*)::int as times from receipt where message_id = $1 group by 1, 2 order by 1, 2",
        [id],
      );
    await recordProgress(world.db, { taken: [1, 2].map((part) => partTaken(world, id, part)), reports: [report(1)] });
    expect(await kept()).toEqual([{ part: 1, repeated: false, times: 1 }]);
    await recordProgress(world.db, { reports: Array.from({ length: 30 }, () => report(1)) });
    for (let again = 0; again < 12; again += 1) await recordProgress(world.db, { reports: [report(1)] });
    await recordProgress(world.db, { reports: [report(2)] });
    expect(await kept()).toEqual([
      { part: 1, repeated: false, times: 1 },
      { part: 1, repeated: true, times: 9 },
      { part: 2, repeated: false, times: 1 },
    ]);
  });
});
