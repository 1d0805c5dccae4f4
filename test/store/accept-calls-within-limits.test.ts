// The accepting statement that judges all calls of an account as one.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { CallToStore, LimitsOfCall } from "../../src/store/calls-to-store.ts";
import { acceptCallsWithinLimits, isJudgedAsOne } from "../../src/store/accept-calls-within-limits.ts";
import { beginCounting } from "../../src/store/account-usage.ts";
import { Database } from "../../src/store/database.ts";
import { endUnsent } from "../../src/store/outcomes.ts";
import { callOf, clear, openWorld, otherPrice, type World } from "../support/factories.ts";

let world: World;

beforeAll(async () => {
  world = await openWorld({ accounts: [{ name: "shop" }, { name: "other" }] });
});
afterAll(() => world.close());

// Read once: between two readings a millisecond may pass, and then the day is no two hours long.
const now = Date.now();
const day = { from: new Date(now - 3600_000), until: new Date(now + 3600_000) };
const noLimits: LimitsOfCall = {
  ...{ duplicateSeconds: 0, dailyMessages: 0, monthlyCost: 0n, lowCredit: 0n },
  ...{ periods: { day, month: day }, isFirstTry: true },
};
const enough = 1_000_000_000n;

beforeEach(async () => {
  await clear(world);
  await world.rows("truncate recent_text, account_usage");
  await world.rows("update account_balance set balance = $1", [enough]);
  await world.db.transaction((tx) => beginCounting(tx, world.account("shop").id, noLimits.periods));
});

function limitedCall(limits: Partial<LimitsOfCall>, text?: string): CallToStore {
  const call = callOf(world, { account: world.account("shop") });
  const textHash = text && createHash("sha256").update(text).digest("hex").slice(0, 32);
  const messages = call.messages.map((message) => ({ ...message, ...(textHash && { textHash }) }));
  return { ...call, messages, limits: { ...noLimits, ...limits } };
}

const accept = async (...calls: CallToStore[]): Promise<readonly string[]> =>
  (await acceptCallsWithinLimits(world.db, calls)).fates;

interface Sums {
  readonly messages: number;
  readonly counted: number;
  readonly cost: bigint;
  readonly spent: bigint;
  readonly texts: number;
}

async function sums(): Promise<Sums | undefined> {
  const [row] = await world.rows<Sums>(
    `select (select count(*)::int from message where account_id = b.account_id) as messages, u.messages::int as counted, u.cost,
            $2 - b.balance as spent, (select count(*)::int from recent_text) as texts
       from account_balance b join account_usage u using (account_id) where account_id = $1`,
    [world.account("shop").id, enough],
  );
  return row;
}

it.each([
  ["messages of the day", { dailyMessages: 2 }],
  ["cost of the month", { monthlyCost: 2n * otherPrice }],
])("stores all calls of an account or none by the %s, and those of others at any rate", async (_, limits) => {
  const own = [1, 2, 3].map(() => limitedCall(limits));
  const foreign = callOf(world, { account: world.account("other") });
  expect(await accept(...own, foreign)).toEqual(["unjudged", "unjudged", "unjudged", "stored"]);
  expect(await sums()).toEqual({ messages: 0, counted: 0, cost: 0n, spent: 0n, texts: 0 });
  expect(await accept(...own.slice(0, 2))).toEqual(["stored", "stored"]);
  const used = { messages: 2, counted: 2, cost: 2n * otherPrice, spent: 2n * otherPrice, texts: 0 };
  expect(await sums()).toEqual(used);
  expect(await accept(limitedCall(limits))).toEqual(["unjudged"]);
  expect(await sums()).toEqual(used);
});

it.each([{}, { duplicateSeconds: 60 }])("counts nothing where the credit does not cover all (%o)", async (guard) => {
  await world.rows("update account_balance set balance = $1", [otherPrice]);
  const calls = ["a", "b"].map((text) =>
    limitedCall({ dailyMessages: 9, ...guard }, "duplicateSeconds" in guard ? text : undefined),
  );
  expect(await accept(...calls)).toEqual(["unjudged", "unjudged"]);
  expect(await sums()).toMatchObject({ messages: 0, counted: 0, cost: 0n, texts: 0 });
});

it("leaves out a call whose text was sent before, or stands twice in the group, and charges the others", async () => {
  const guard = { duplicateSeconds: 60, dailyMessages: 9 };
  const calls = ["a", "a", "b"].map((text) => limitedCall(guard, text));
  expect(await accept(...calls)).toEqual(["stored", "unaffordable", "stored"]);
  const used = { messages: 2, counted: 2, cost: 2n * otherPrice, spent: 2n * otherPrice, texts: 2 };
  expect(await sums()).toEqual(used);
  expect(await accept(limitedCall(guard, "b"))).toEqual(["unaffordable"]);
  expect(await sums()).toEqual(used);
  await world.rows("update recent_text set accepted_at = accepted_at - interval '61 seconds'");
  expect(await accept(limitedCall(guard, "b"))).toEqual(["stored"]);
});

it("notes no text of calls that a ceiling holds back", async () => {
  const calls = ["a", "b"].map((text) => limitedCall({ duplicateSeconds: 60, dailyMessages: 1 }, text));
  expect(await accept(...calls)).toEqual(["unjudged", "unjudged"]);
  expect(await sums()).toEqual({ messages: 0, counted: 0, cost: 0n, spent: 0n, texts: 0 });
});

it("guards texts of an account without ceilings, which is not counted", async () => {
  const calls = ["a", "b", "a"].map((text) => limitedCall({ duplicateSeconds: 60 }, text));
  expect(await accept(...calls)).toEqual(["stored", "stored", "unaffordable"]);
  expect(await sums()).toMatchObject({ messages: 2, counted: 0, spent: 2n * otherPrice });
});

it.each([
  ["has a guard", { duplicateSeconds: 60 }],
  ["has nothing that is judged", undefined],
])("ends a counting that it does not go on with, where the account %s for this node", async (_, known) => {
  const call = limitedCall(known ?? {}, known && "a");
  const foreign = { ...limitedCall({ duplicateSeconds: 60 }, "a"), accountId: world.account("other").id };
  expect(await accept({ ...call, limits: known && call.limits }, foreign)).toEqual(["stored", "stored"]);
  // Another node knows a ceiling already. It has to count again, or one message more is accepted.
  expect(await accept(limitedCall({ dailyMessages: 1 }))).toEqual(["unjudged"]);
  expect(await sums()).toMatchObject({ messages: 1, counted: 0, cost: 0n });
});

it("does not judge by a usage that is not there, or counts other periods", async () => {
  const limits = { dailyMessages: 9 };
  await world.rows("update account_usage set day_from = day_from + interval '1 minute'");
  expect(await accept(limitedCall(limits))).toEqual(["unjudged"]);
  await world.rows(
    "update account_usage set day_from = day_from - interval '3 hours', day_until = day_until - interval '2 hours', messages = 9",
  );
  expect(await accept(limitedCall(limits))).toEqual(["stored"]);
  expect(await sums()).toMatchObject({ messages: 1, counted: 1 });
  await world.rows("truncate account_usage");
  expect(await accept(limitedCall(limits))).toEqual(["unjudged"]);
});

it.each([{}, { duplicateSeconds: 60 }])(
  "never exceeds a ceiling while other nodes accept, and messages end unsent (%o)",
  async (guard) => {
    const ceiling = 60;
    const limits = { dailyMessages: ceiling, ...guard };
    const nodes = [1, 2].map(() => Database.open({ url: world.url, poolSize: 2 }));
    const accountId = world.account("shop").id;
    let next = 0;
    const text = (): string | undefined => ("duplicateSeconds" in guard ? `text ${String(next++)}` : undefined);
    try {
      const run = async (db: Database): Promise<number> => {
        let stored = 0;
        for (let round = 0; round < 40; round += 1) {
          const call = limitedCall(limits, text());
          const { fates } = await acceptCallsWithinLimits(db, [call]);
          if (fates[0] !== "stored") continue;
          stored += 1;
          const endings = call.messages.map(({ id }) => ({ accountId, messageId: id, reason: 1303, detail: null }));
          if (round % 3 === 0) await db.transaction((tx) => endUnsent(tx, endings));
        }
        return stored;
      };
      const stored = await Promise.all([...nodes, ...nodes].map(run));
      expect(stored.reduce((sum, one) => sum + one, 0)).toBe(ceiling);
    } finally {
      await Promise.all(nodes.map((db) => db.close()));
    }
    expect(await sums()).toMatchObject({ messages: ceiling, counted: ceiling });
  },
);

it("is not for calls with a key, for later tries, or where low credit is told", () => {
  const call = limitedCall({ dailyMessages: 9 });
  const { limits, ...unlimited } = call;
  expect([call, unlimited].map(isJudgedAsOne)).toEqual([true, true]);
  const later = { ...call, limits: { ...noLimits, ...limits, isFirstTry: false } };
  const warning = { ...call, limits: { ...noLimits, ...limits, lowCredit: 1n } };
  const keyed = { ...call, idempotency: { key: "k", fingerprint: Buffer.alloc(32), answer: "{}" } };
  expect([later, warning, keyed].map(isJudgedAsOne)).toEqual([false, false, false]);
});
