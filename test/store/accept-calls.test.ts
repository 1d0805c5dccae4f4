import { beforeEach, describe, expect, it } from "vitest";
import { type DirectClaims, storeCalls } from "../../src/store/accept-calls.ts";
import { settleCallsInDoubt } from "../../src/store/idempotency-keys.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import {
  callOf,
  clear,
  count,
  eventually,
  storeMessage,
  otherPrice,
  seedNode,
  useWorld,
} from "../support/factories.ts";

const world = useWorld({ accounts: [{ name: "two" }, { name: "rich" }, { name: "none", credit: 0n }] });

beforeEach(async () => {
  const credits = [
    ["two", 2n * otherPrice],
    ["none", 0n],
  ] as const;
  for (const [name, credit] of credits)
    await world.rows("update account_balance set balance = $2 where account_id = $1", [world.account(name).id, credit]);
  await clear(world);
});

describe("calls stored under claims", () => {
  const directTo = (nodeId: string, claimId: string, claimOf: (number | null)[]): DirectClaims => ({
    nodeId,
    claims: [{ claimId, connectorId: world.connector().id, bindNumber: 1 }],
    claimOf,
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
    const id = await storeMessage(world, {}, { account: world.account("rich"), sendAt, validSeconds: 60 });
    const rows = await world.rows(
      `select m.valid_until as message, q.valid_until as queue from message m join message_queue q on q.message_id = m.id where m.id = $1`,
      [id],
    );
    const end = new Date(sendAt.getTime() + 60_000);
    expect(rows).toEqual([{ message: end, queue: end }]);
  });
});

describe("calls in doubt", () => {
  const isAwaited = (): Promise<boolean> =>
    count(world, "pg_stat_activity where wait_event_type = 'Lock' and query like '%settleDoubtedCalls%'").then(Boolean);

  it("are found stored where their statement commits while they are looked for", async () => {
    const call = callOf(world, { account: world.account("rich") });
    const settled = await world.db.transaction(async (tx) => {
      await storeCalls(tx, [call]);
      const settling = settleCallsInDoubt(world.db, [call]);
      await eventually(isAwaited);
      return { settling };
    });
    expect(await settled.settling).toEqual(new Set([call.batchId]));
    expect(await count(world, "ledger_entry where kind = 'charge'")).toBe(1);
  });

  it("can never be stored once they were found not to be", async () => {
    const call = callOf(world, { account: world.account("rich") });
    expect(await settleCallsInDoubt(world.db, [call])).toEqual(new Set());
    expect(await settleCallsInDoubt(world.db, [call])).toEqual(new Set());
    await expect(storeCalls(world.db, [call])).rejects.toThrow("duplicate key");
    expect(await count(world, "message")).toBe(0);
  });
});
