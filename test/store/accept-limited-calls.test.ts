// The accepting statement of accounts with limits beside what else changes such an account.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { CallToStore, LimitsOfCall } from "../../src/store/calls-to-store.ts";
import { acceptLimitedCalls } from "../../src/store/accept-limited-calls.ts";
import { beginCounting } from "../../src/store/account-usage.ts";
import { Database } from "../../src/store/database.ts";
import { endUnsent } from "../../src/store/outcomes.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { statement } from "../support/database.ts";
import {
  callOf,
  duringChange,
  eventually,
  openWorld,
  otherPrice,
  readMoney,
  type World,
} from "../support/factories.ts";

let world: World;

beforeAll(async () => {
  world = await openWorld();
});

afterAll(async () => {
  await world.close();
});

const day = { from: new Date(Date.now() - 3600_000), until: new Date(Date.now() + 3600_000) };
const limits: LimitsOfCall = {
  duplicateSeconds: 600,
  dailyMessages: 0,
  monthlyCost: 0n,
  lowCredit: 0n,
  periods: { day, month: day },
};

function guardedCall(text: string): CallToStore {
  const call = callOf(world);
  const textHash = createHash("sha256").update(text).digest("hex");
  return { ...call, limits, messages: call.messages.map((message) => ({ ...message, textHash })) };
}

const accept = async (db: Database, text: string): Promise<string | undefined> =>
  (await acceptLimitedCalls(db, [guardedCall(text)], 24)).fates[0];

// With a look at the message of an earlier text in the accepting statement itself, the process of
// PostgreSQL 18 crashed within some hundred calls (docs/decisions/0042).
it("accepts texts again and again while messages of the account end unsent", async () => {
  const accountId = world.account().id;
  await world.db.transaction((tx) => beginCounting(tx, accountId, limits.periods));
  const other = Database.open({ url: world.url, poolSize: 2 });
  const stored: string[] = [];
  let isOver = false;
  const end = async (): Promise<number> => {
    let ended = 0;
    while (!isOver || stored.length > 0) {
      const endings = stored.splice(0, 3).map((messageId) => ({ accountId, messageId, reason: 1303, detail: null }));
      ended += (await other.transaction((tx) => endUnsent(tx, endings))).length;
    }
    return ended;
  };
  try {
    const ends = [end(), end()];
    let accepted = 0;
    for (let round = 0; round < 500; round += 1) {
      const calls = [guardedCall(`text ${round % 40}`)];
      const { fates } = await acceptLimitedCalls(world.db, calls, 24);
      const taken = calls.filter((_, place) => fates[place] === "stored");
      accepted += taken.length;
      stored.push(...taken.flatMap(({ messages }) => messages.map(({ id }) => id)));
    }
    isOver = true;
    const ended = await Promise.all(ends);
    expect(ended.reduce((sum, one) => sum + one, 0)).toBe(accepted);
    expect(accepted).toBeGreaterThan(200);
  } finally {
    isOver = true;
    await other.close();
  }
  const { balance, ledger } = await readMoney(world);
  expect(balance).toBe(ledger);
}, 60_000);

it("does not count a text whose message ended unsent", async () => {
  const call = guardedCall("ended");
  expect((await acceptLimitedCalls(world.db, [call], 24)).fates).toEqual(["stored"]);
  expect(await accept(world.db, "ended")).toBe("unaffordable");
  const endings = call.messages.map(({ id }) => ({
    accountId: world.account().id,
    messageId: id,
    reason: 1303,
    detail: null,
  }));
  expect(await world.db.transaction((tx) => endUnsent(tx, endings))).toHaveLength(1);
  expect(await accept(world.db, "ended")).toBe("stored");
  expect(await accept(world.db, "ended")).toBe("unaffordable");
});

it("accepts one of equal calls at the same time after a message that ended unsent", async () => {
  for (let round = 0; round < 10; round += 1) {
    const text = `at once ${round}`;
    const call = guardedCall(text);
    expect((await acceptLimitedCalls(world.db, [call], 24)).fates).toEqual(["stored"]);
    const accountId = world.account().id;
    const endings = call.messages.map(({ id }) => ({ accountId, messageId: id, reason: 1303, detail: null }));
    expect(await world.db.transaction((tx) => endUnsent(tx, endings))).toHaveLength(1);
    const fates = await Promise.all(Array.from({ length: 6 }, () => accept(world.db, text)));
    expect(fates.filter((fate) => fate === "stored")).toHaveLength(1);
  }
});

it("accepts one of equal calls of two nodes where one has left its text before without being stored", async () => {
  const accountId = world.account().id;
  // Its account's usage was changed by a third node after it had noted the text.
  const text = `left ${uuidv7()}`;
  const first = guardedCall(text);
  const [message] = first.messages;
  await world.rows(
    `insert into recent_text (account_id, hash, message_id, accepted_at) values ($1, decode($2, 'hex'), $3, now())`,
    [accountId, message?.textHash, message?.id],
  );
  const nodes = [1, 2, 3].map(() => Database.open({ url: world.url, poolSize: 1 }));
  const [holder, one, other] = nodes as [Database, Database, Database];
  const waiters = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  const waiting = (count: number) => eventually(async () => (await world.rows(waiters)).length === count);
  try {
    const fates = await holder.transaction(async (tx) => {
      await tx.query(statement("select from account_balance where account_id = $1 for update", [accountId]));
      // It comes again as it is, in a group with another one that has been judged anew.
      const again = { ...first, limits: { ...limits, isFirstTry: true } };
      const group = acceptLimitedCalls(one, [again, guardedCall(text)], 24);
      await waiting(1);
      const equal = acceptLimitedCalls(other, [guardedCall(text)], 24);
      await waiting(2);
      return [group, equal];
    });
    const stored = (await Promise.all(fates)).flatMap((each) => each.fates).filter((fate) => fate === "stored");
    expect(stored).toHaveLength(1);
  } finally {
    await Promise.all(nodes.map((db) => db.close()));
  }
});

it("takes from credit that comes while a call waits for the balance", async () => {
  const account = world.account();
  const setBalance = (rials: bigint) =>
    statement("update account_balance set balance = $2 where account_id = $1", [account.id, rials]);
  await world.db.query(setBalance(0n));
  const taking = await duringChange(world.db, setBalance(otherPrice + 100n), () => accept(world.db, "after credit"));
  expect(taking).toBe("stored");
  expect(await readMoney(world)).toMatchObject({ balance: 100n });
});
