import { describe, expect, it } from "vitest";
import { cancelScheduledBatch } from "../../src/intake/cancel.ts";
import { storeCalls } from "../../src/store/accept-calls.ts";
import type { Database } from "../../src/store/database.ts";
import { statement } from "../support/database.ts";
import { type CallPlan, callOf, readMessages, readMoney, useWorld } from "../support/factories.ts";

const world = useWorld({ accounts: [{ name: "demo" }, { name: "other" }] });

const inSeconds = (seconds: number): Date => new Date(Date.now() + seconds * 1000);

async function store(plan: CallPlan): Promise<{ batchId: string; ids: string[] }> {
  const call = callOf(world, plan);
  await storeCalls(world.db, [call]);
  return { batchId: call.batchId, ids: call.messages.map(({ id }) => id) };
}

const cancel = (batchId: string, account = world.account()): Promise<number> =>
  cancelScheduledBatch({ db: world.db, telemetry: world.telemetry }, { accountId: account.id, batchId });

describe("canceling a scheduled batch", () => {
  it("case 55: happens once, however many ask at the same time", async () => {
    const before = await readMoney(world);
    const { batchId } = await store({ messages: [{}, {}], sendAt: inSeconds(60) });
    const counts = await Promise.all(Array.from({ length: 5 }, () => cancel(batchId)));
    expect(counts.sort()).toEqual([0, 0, 0, 0, 2]);
    expect(await readMoney(world)).toEqual(before);
    expect(await cancel(batchId)).toBe(0);
  });

  it("is in time 30 seconds before, and too late a millisecond later", async () => {
    for (const [left, canceled] of [
      ["30 seconds", 1],
      ["29.999 seconds", 0],
    ] as const) {
      const { batchId, ids } = await store({ sendAt: inSeconds(3600) });
      // Within one transaction the database's clock stands still.
      const { db, telemetry } = world;
      const inOne = await db.transaction(async (tx) => {
        await tx.query(statement("update message set send_at = now() + $2::interval where id = any ($1)", [ids, left]));
        const [row] = await tx.query<{ now: Date }>(statement("select now()"));
        const clock = { now: () => row?.now.getTime() ?? 0 };
        const frozen: Pick<Database, "transaction"> = { transaction: (work) => work(tx) };
        return cancelScheduledBatch(
          { db: { ...frozen, clock }, telemetry },
          { accountId: world.account().id, batchId },
        );
      });
      expect([left, inOne]).toEqual([left, canceled]);
    }
  });

  it("touches no other batch of the same millisecond", async () => {
    const sendAt = inSeconds(60);
    const calls = Array.from({ length: 20 }, () => callOf(world, { sendAt }));
    await storeCalls(world.db, calls);
    const [first] = calls;
    expect(await cancel(first?.batchId ?? "")).toBe(1);
    const statuses = await readMessages(
      world,
      calls.map((call) => call.messages[0]?.id ?? ""),
    );
    expect(statuses.filter(({ status }) => status === 4)).toHaveLength(1);
  });
});
