import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type DirectClaims, storeCalls } from "../../src/store/accept-calls.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import {
  callOf,
  clear,
  count,
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

describe("storeCalls", () => {
  it("case 53: stores all of an account's calls or none; those of the others are their own affair", async () => {
    const [two, rich] = [world.account("two"), world.account("rich")];
    const calls = [callOf(world), callOf(world, { account: rich }), callOf(world), callOf(world)];
    expect((await storeCalls(world.db, calls)).stored).toEqual([false, true, false, false]);
    expect(await readMoney(world, two)).toMatchObject({ balance: 2n * otherPrice });
    expect((await storeCalls(world.db, calls.slice(2))).stored).toEqual([true, true]);
    for (const account of [two, rich]) {
      const { balance, ledger } = await readMoney(world, account);
      expect(balance).toBe(ledger);
    }
    expect(await count(world, "message")).toBe(3);
  });

  it("case 53: groups that meet at the same balance never spend it twice", async () => {
    const groups = await Promise.all(
      Array.from({ length: 6 }, () => storeCalls(world.db, [callOf(world), callOf(world)])),
    );
    expect(groups.flatMap(({ stored }) => stored).filter((isStored) => isStored)).toHaveLength(2);
    expect(await readMoney(world, world.account("two"))).toEqual({ balance: 0n, ledger: 0n });
  });
});

describe("calls stored under claims", () => {
  const directTo = (nodeId: string, claimId: string, claimOf: (number | null)[]): DirectClaims => ({
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
    const { isClaimed } = await storeCalls(world.db, calls, directTo(nodeId, claimId, [0, null, 0]));
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
  });

  it("case 6: a node whose lease has ended claims nothing: all wait in the queue", async () => {
    const nodeId = await seedNode(world, -1);
    const call = callOf(world, { account: world.account("rich") });
    const { stored, isClaimed } = await storeCalls(world.db, [call], directTo(nodeId, uuidv7(), [0]));
    expect([stored, isClaimed]).toEqual([[true], false]);
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
    const { storedAt } = await storeCalls(world.db, [call]);
    const [queued] = await world.rows<{ due_at: Date }>(
      "select date_trunc('milliseconds', due_at) as due_at from message_queue",
    );
    expect(queued?.due_at).toEqual(storedAt);
  });
});
