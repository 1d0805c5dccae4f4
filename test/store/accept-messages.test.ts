import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { acceptCoveredCalls, acceptJudgedCalls, type StoredCalls } from "../../src/store/accept-messages.ts";
import type { StraightClaims } from "../../src/store/calls-to-store.ts";
import { findIdempotentAnswer } from "../../src/store/idempotency-keys.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { statement } from "../support/database.ts";
import {
  callOf,
  clear,
  count,
  duringChange,
  longText,
  openWorld,
  storeCall,
  otherPrice,
  readMoney,
  seedNode,
  type World,
} from "../support/factories.ts";

let world: World;

beforeAll(async () => {
  world = await openWorld({ accounts: [{ name: "two" }, { name: "rich" }, { name: "none", credit: 0n }] });
});

beforeEach(async () => {
  const credits = [
    ["two", 2n * otherPrice],
    ["none", 0n],
  ] as const;
  for (const [name, credit] of credits)
    await world.rows("update account_balance set balance = $2 where account_id = $1", [world.account(name).id, credit]);
  await clear(world);
});

afterAll(async () => {
  await world.close();
});

const fingerprint = Buffer.from("fingerprint");

describe("acceptJudgedCalls", () => {
  it("case 53: of one account's calls in a group stores those that fit, in order, and no other account minds", async () => {
    const calls = [
      callOf(world, { messages: [{ content: longText(3) }] }),
      callOf(world),
      callOf(world, { account: world.account("none") }),
      callOf(world, { account: world.account("rich") }),
      callOf(world),
      callOf(world),
    ];
    expect((await acceptJudgedCalls(world.db, calls, 24)).fates).toEqual([
      "unaffordable",
      "stored",
      "unaffordable",
      "stored",
      "stored",
      "unaffordable",
    ]);
    expect(await readMoney(world, world.account("two"))).toEqual({ balance: 0n, ledger: 0n });
    expect(await count(world, "message")).toBe(3);
    expect(await count(world, "message_queue")).toBe(3);
  });

  it("case 53: groups that meet at the same balance wait for each other and see what is left", async () => {
    const groups = await Promise.all(
      Array.from({ length: 6 }, () => acceptJudgedCalls(world.db, [callOf(world), callOf(world)], 24)),
    );
    expect(groups.flatMap(({ fates }) => fates).filter((fate) => fate === "stored")).toHaveLength(2);
    expect(await readMoney(world, world.account("two"))).toEqual({ balance: 0n, ledger: 0n });
  });

  it.each([
    ["without a key", undefined],
    ["with a key", { key: "later", fingerprint }],
  ])("case 53: takes from credit that comes while the call waits for the balance, %s", async (_, idempotency) => {
    const account = world.account("none");
    const credit = statement("update account_balance set balance = $2 where account_id = $1", [
      account.id,
      otherPrice + 100n,
    ]);
    const accepting = (): Promise<StoredCalls> =>
      acceptJudgedCalls(world.db, [callOf(world, { account, ...(idempotency && { idempotency }) })], 24);
    expect((await duringChange(world.db, credit, accepting)).fates).toEqual(["stored"]);
    expect(await readMoney(world, account)).toMatchObject({ balance: 100n });
  });

  it("case 2: a key that is there already keeps its answer, and its call is not stored", async () => {
    const account = world.account("rich");
    const first = callOf(world, { account, idempotency: { key: "k", fingerprint } });
    const second = callOf(world, { account, idempotency: { key: "k", fingerprint } });
    const stored = await Promise.all([first, second].map((call) => acceptJudgedCalls(world.db, [call], 24)));
    const fates = stored.flatMap((one) => one.fates);
    expect([...fates].sort()).toEqual(["keyTaken", "stored"]);
    const kept = await findIdempotentAnswer(world.db, { accountId: account.id, key: "k", idempotencyHours: 24 });
    expect(kept?.answer).toBe((fates[0] === "stored" ? first : second).idempotency?.answer);
    expect(await count(world, "message")).toBe(1);
    expect(await count(world, "ledger_entry where kind = 'charge'")).toBe(1);
  });

  it("a call that nothing covers leaves its key free", async () => {
    const call = callOf(world, { account: world.account("none"), idempotency: { key: "free", fingerprint } });
    expect((await acceptJudgedCalls(world.db, [call], 24)).fates).toEqual(["unaffordable"]);
    expect(await count(world, "idempotency_key")).toBe(0);
  });
});

describe("acceptCoveredCalls", () => {
  it("case 53: stores all of an account's calls or none; those of the others are their own affair", async () => {
    const [two, rich] = [world.account("two"), world.account("rich")];
    const calls = [callOf(world), callOf(world, { account: rich }), callOf(world), callOf(world)];
    expect((await acceptCoveredCalls(world.db, calls)).fates).toEqual(["unjudged", "stored", "unjudged", "unjudged"]);
    expect(await readMoney(world, two)).toMatchObject({ balance: 2n * otherPrice });
    expect((await acceptCoveredCalls(world.db, calls.slice(2))).fates).toEqual(["stored", "stored"]);
    for (const account of [two, rich]) {
      const { balance, ledger } = await readMoney(world, account);
      expect(balance).toBe(ledger);
    }
    expect(await count(world, "message")).toBe(3);
  });

  it("case 53: groups that meet at the same balance never spend it twice", async () => {
    const groups = await Promise.all(
      Array.from({ length: 6 }, () => acceptCoveredCalls(world.db, [callOf(world), callOf(world)])),
    );
    expect(groups.flatMap(({ fates }) => fates).filter((fate) => fate === "stored")).toHaveLength(2);
    expect(await readMoney(world, world.account("two"))).toEqual({ balance: 0n, ledger: 0n });
  });
});

describe("calls stored under claims", () => {
  const straightTo = (nodeId: string, claimId: string, claimOf: (number | null)[]): StraightClaims => ({
    nodeId,
    claims: [{ claimId, connectorId: world.connector().id, bindNumber: 1 }],
    claimOf,
  });

  it("case 5: a message stands in its claim or in the queue, never in both", async () => {
    const nodeId = await seedNode(world, 60);
    const account = world.account("rich");
    const calls = [callOf(world, { account, messages: [{}, {}] }), callOf(world, { account })];
    const [first, second] = calls.flatMap(({ messages }) => messages.map(({ id }) => id));
    const claimId = uuidv7();
    for (const accept of [acceptCoveredCalls, acceptJudged]) {
      await clear(world);
      await world.rows(
        "insert into node (id, host, pid, configuration_version, lease_until) values ($1, 'here', 1, 1, now() + interval '1 minute') on conflict do nothing",
        [nodeId],
      );
      const { isClaimed } = await accept(world.db, calls, straightTo(nodeId, claimId, [0, null, 0]));
      expect(isClaimed).toBe(true);
      const [claim] = await world.rows("select id, node_id, account_ids, message_ids, attempts from claim");
      const third = calls[1]?.messages[0]?.id;
      expect(claim).toEqual({
        id: claimId,
        node_id: nodeId,
        account_ids: [account.id, account.id],
        message_ids: [first, third],
        attempts: [0, 0],
      });
      expect(await world.rows("select message_id from message_queue")).toEqual([{ message_id: second }]);
    }
  });

  it("case 6: a node whose lease has ended claims nothing: all wait in the queue", async () => {
    const nodeId = await seedNode(world, -1);
    const call = callOf(world, { account: world.account("rich") });
    const { fates, isClaimed } = await acceptCoveredCalls(world.db, [call], straightTo(nodeId, uuidv7(), [0]));
    expect([fates, isClaimed]).toEqual([["stored"], false]);
    expect([await count(world, "claim"), await count(world, "message_queue")]).toEqual([0, 1]);
  });

  it("case 7: counts the validity of a scheduled message from its time, in its row and in the queue", async () => {
    const sendAt = new Date(Date.now() + 7_200_000);
    const [id = ""] = await storeCall(world, { account: world.account("rich"), sendAt, validSeconds: 60 });
    const rows = await world.rows(
      `select m.valid_until as message, q.valid_until as queue from message m join message_queue q on q.message_id = m.id where m.id = $1`,
      [id],
    );
    const end = new Date(sendAt.getTime() + 60_000);
    expect(rows).toEqual([{ message: end, queue: end }]);
  });

  it("tells the moment by the database's clock", async () => {
    const call = callOf(world, { account: world.account("rich") });
    const { storedAt } = await acceptCoveredCalls(world.db, [call]);
    const [queued] = await world.rows<{ due_at: Date }>(
      "select date_trunc('milliseconds', due_at) as due_at from message_queue",
    );
    expect(queued?.due_at).toEqual(storedAt);
  });
});

const acceptJudged = (...[db, calls, straight]: Parameters<typeof acceptCoveredCalls>): Promise<StoredCalls> =>
  acceptJudgedCalls(db, calls, 24, straight);
