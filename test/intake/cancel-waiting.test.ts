import { describe, expect, it } from "vitest";
import { cancelWaiting } from "../../src/intake/cancel.ts";
import { storeCalls } from "../../src/store/accept-calls.ts";
import { holdParts } from "../../src/store/outcomes.ts";
import { recordProgress } from "../../src/store/progress.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import {
  type CallPlan,
  callOf,
  longText,
  mci,
  partTaken,
  readMessages,
  readMoney,
  useWorld,
} from "../support/factories.ts";

const world = useWorld({ accounts: [{ name: "demo" }, { name: "other" }] });

async function store(plan: CallPlan): Promise<{ batchId: string; ids: string[] }> {
  const call = callOf(world, plan);
  await storeCalls(world.db, [call]);
  return { batchId: call.batchId, ids: call.messages.map(({ id }) => id) };
}

const statesOf = async (ids: readonly string[]): Promise<unknown[]> =>
  (await readMessages(world, [...ids])).map(({ status, reason }) => [status, reason]);

const nothing = { canceled: 0, canceledBefore: 0, onTheirWay: 0, over: 0 };

describe("canceling what waits", () => {
  it("takes one message out of a batch and leaves the others waiting", async () => {
    const { batchId, ids } = await store({ messages: [{}, {}] });
    expect(await cancelWaiting(world.db, ids[1] ?? "")).toEqual({ ...nothing, canceled: 1 });
    expect(await statesOf(ids)).toEqual([
      [0, null],
      [4, 1305],
    ]);
    expect(await cancelWaiting(world.db, batchId)).toEqual({ ...nothing, canceled: 1, canceledBefore: 1 });
  });

  it("cancels what is scheduled for seconds from now: the limit of 30 s is the clients'", async () => {
    const { batchId } = await store({ sendAt: new Date(Date.now() + 20_000) });
    expect(await cancelWaiting(world.db, batchId)).toEqual({ ...nothing, canceled: 1 });
  });

  it("happens once, however many ask at the same time", async () => {
    const before = await readMoney(world);
    const { batchId } = await store({ messages: [{}, {}] });
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => cancelWaiting(world.db, batchId)));
    expect(outcomes.reduce((sum, outcome) => sum + (outcome?.canceled ?? 0), 0)).toBe(2);
    expect(await readMoney(world)).toEqual(before);
  });

  it("leaves alone what was submitted, even in part, and what is at its end", async () => {
    const taken = await store({});
    await recordProgress(world.db, { taken: [partTaken(world, taken.ids[0] ?? "", 1)] });
    expect(await cancelWaiting(world.db, taken.batchId)).toEqual({ ...nothing, over: 1 });
    expect(await statesOf(taken.ids)).toEqual([[1, null]]);

    const partly = await store({ messages: [{ content: longText(2) }] });
    await recordProgress(world.db, { taken: [partTaken(world, partly.ids[0] ?? "", 1)] });
    expect(await cancelWaiting(world.db, partly.batchId)).toEqual({ ...nothing, onTheirWay: 1 });

    const unanswered = await store({});
    const held = { accountId: world.account().id, messageId: unanswered.ids[0] ?? "", part: 1 };
    await holdParts(world.db, [{ ...held, connectorId: world.connector().id, recipient: mci }]);
    expect(await cancelWaiting(world.db, unanswered.batchId)).toEqual({ ...nothing, onTheirWay: 1 });

    const claimed = await store({});
    await world.rows("delete from message_queue where message_id = $1", [claimed.ids[0]]);
    expect(await cancelWaiting(world.db, claimed.batchId)).toEqual({ ...nothing, onTheirWay: 1 });
    for (const { ids } of [partly, unanswered, claimed]) expect((await readMessages(world, ids))[0]?.status).toBe(0);
    await world.rows("delete from message_queue");
  });

  it("finds nothing under an id that nobody was given, and touches no other batch of the same millisecond", async () => {
    expect(await cancelWaiting(world.db, uuidv7())).toBeUndefined();
    const { batchId, ids } = await store({});
    const neighbour = `${batchId.slice(0, 14)}7000-8000-000000000000`.slice(0, 36);
    expect(await cancelWaiting(world.db, neighbour)).toBeUndefined();
    expect(await statesOf(ids)).toEqual([[0, null]]);
  });
});
