import { beforeEach, describe, expect, it } from "vitest";
import { cancelScheduledBatch } from "../../src/intake/cancel.ts";
import { cancelWaiting } from "../../src/intake/cancel.ts";
import { decideReview } from "../../src/intake/decide-review.ts";
import { expireWaiting } from "../../src/maintenance/expire-waiting.ts";
import { storeCalls } from "../../src/store/accept-calls.ts";
import { listReview, type ReviewChoice } from "../../src/store/review.ts";
import { type CallPlan, callOf, clear, count, readMessage, readMoney, useWorld } from "../support/factories.ts";

const world = useWorld();

beforeEach(async () => {
  await clear(world);
  await world.rows("delete from review");
});

const by = { who: "test" };
const nowhere = "00000000-0000-0000-0000-000000000000";

async function store(plan: CallPlan = {}): Promise<{ batchId: string; ids: string[] }> {
  const call = callOf(world, { review: "games", ...plan });
  expect((await storeCalls(world.db, [call])).stored).toEqual([true]);
  return { batchId: call.batchId, ids: call.messages.map(({ id }) => id) };
}

const decide = (decision: "allow" | "refuse", choice: ReviewChoice): Promise<number> =>
  decideReview(world.db, by, { decision, choice });

const list = (filter = {}): ReturnType<typeof listReview> =>
  world.db.transaction((tx) => listReview(tx, filter, { after: nowhere, limit: 100 }));

describe("a message that a content rule keeps", () => {
  it("is left for the next call where a call decides as many as it may", async () => {
    await store();
    await store();
    const some = { decision: "allow", choice: { rule: "games" }, most: 1 } as const;
    expect(await decideReview(world.db, by, some)).toBe(1);
    expect(await list()).toHaveLength(1);
    expect(await decideReview(world.db, by, some)).toBe(1);
    expect(await decideReview(world.db, by, some)).toBe(0);
  });

  it("ends at 4 with 1309 and its refund when it is refused, or when its validity ends", async () => {
    const before = await readMoney(world);
    const { ids } = await store({ messages: [{}, {}] });
    const [first = "", second = ""] = ids;
    expect(await decide("refuse", { messageIds: [first] })).toBe(1);
    expect(await readMessage(world, first)).toMatchObject({ status: 4, reason: 1309 });
    expect(await readMessage(world, second)).toMatchObject({ status: 0, reason: 1308 });
    for (const table of ["message", "review"])
      await world.rows(`update ${table} set valid_until = now() - interval '1 second'`);
    expect(await expireWaiting(world)).toMatchObject({ unseen: 1 });
    expect(await readMessage(world, second)).toMatchObject({ status: 4, reason: 1309 });
    expect(await readMoney(world)).toEqual(before);
    expect(await decide("allow", { messageIds: [first, second] })).toBe(0);
  });

  it("is decided by rule, in transactions of a thousand, and each is in the audit", async () => {
    const messages = Array.from({ length: 600 }, () => ({}));
    await store({ messages });
    await store({ messages });
    await store({ review: "other" });
    await world.rows("delete from audit_entry");
    expect(await decide("refuse", { rule: "games" })).toBe(1200);
    expect(await count(world, "review")).toBe(1);
    expect(await count(world, "message where reason = 1309")).toBe(1200);
    expect(await count(world, "audit_entry where kind = 'review'")).toBe(2);
  });

  it("is decided once, whoever decides at the same time", async () => {
    const before = await readMoney(world);
    const { batchId } = await store({ messages: Array.from({ length: 20 }, () => ({})) });
    const counts = await Promise.all([decide("refuse", { batchId }), decide("refuse", { rule: "games" })]);
    expect(counts.reduce((sum, decided) => sum + decided)).toBe(20);
    expect(await readMoney(world)).toEqual(before);
  });

  it("can be canceled as a scheduled one, at any time, by the customer and by staff", async () => {
    const before = await readMoney(world);
    const { batchId } = await store();
    const own = { accountId: world.account().id, batchId };
    expect(await cancelScheduledBatch(world, { ...own, accountId: 999_999 })).toBe(0);
    expect(await cancelScheduledBatch(world, own)).toBe(1);
    const other = await store();
    expect(await cancelWaiting(world.db, other.batchId)).toMatchObject({ canceled: 1, onTheirWay: 0 });
    expect(await count(world, "message where reason = 1305")).toBe(2);
    expect(await count(world, "review")).toBe(0);
    expect(await readMoney(world)).toEqual(before);
  });
});
