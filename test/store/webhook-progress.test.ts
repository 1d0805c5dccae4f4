// Who may write for an endpoint: the node that holds its slot, while it is enabled for that time.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { currentPosition, logBeginning, type Position } from "../../src/store/event-log.ts";
import {
  acquireSlots,
  readSlotHolders,
  releaseSlots,
  slotOfAccount,
  webhookSlots,
} from "../../src/store/webhook-leases.ts";
import { beginProgress, saveProgress } from "../../src/store/webhook-progress.ts";
import { deleteEndpoints } from "../../src/store/endpoint-changes.ts";
import { disableFailingEndpoint } from "../../src/store/disable-failing-endpoint.ts";
import {
  dropOldAttempts,
  makeRetriesDue,
  readRetries,
  saveAttempts,
  saveRetries,
  trimAttempts,
} from "../../src/store/webhook-requests.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { eventually, openWorld, seedNode, type World } from "../support/factories.ts";

let world: World;
let endpointId: string;
let nodeId: string;

beforeAll(async () => {
  world = await openWorld();
});

beforeEach(async () => {
  await world.rows("truncate node, webhook_lease, webhook_endpoint cascade");
  endpointId = uuidv7();
  await insertEndpoint(endpointId, "shop");
  nodeId = await sender(60);
});

afterAll(async () => {
  await world.close();
});

async function insertEndpoint(id: string, name: string): Promise<void> {
  await world.rows(
    "insert into webhook_endpoint (id, account_id, name, url, events, secret) values ($1, $2, $3, 'https://shop.example', '{*}', 'whsec_')",
    [id, world.account().id, name],
  );
}

async function sender(leaseSeconds: number): Promise<string> {
  const id = await seedNode(world, leaseSeconds);
  await world.rows("update node set sends_webhooks = true where id = $1", [id]);
  return id;
}

const acquire = (node: string, wanted: number): Promise<readonly number[]> =>
  world.db.transaction((tx) => acquireSlots(tx, { nodeId: node, wanted }));

describe("slots", () => {
  it("have one holder each, however many nodes ask at once", async () => {
    const nodes = [nodeId, await sender(60), await sender(60)];
    const won = await Promise.all([...nodes, ...nodes].map((node) => acquire(node, 20)));
    expect(won.flat().sort((one, other) => one - other)).toEqual(
      Array.from({ length: webhookSlots }, (_, slot) => slot),
    );
    const { nodes: count, own, free } = await readSlotHolders(world.db, nodeId);
    expect([count, free]).toEqual([3, 0]);
    expect(own.length).toBeGreaterThanOrEqual(20);
  });

  it("of a dead node are free, and of one that gives them back", async () => {
    const dead = await sender(60);
    expect(await acquire(dead, 10)).toHaveLength(10);
    await world.rows("update node set lease_until = now() - interval '1 second' where id = $1", [dead]);
    expect(await readSlotHolders(world.db, nodeId)).toEqual({ nodes: 1, own: [], free: webhookSlots });
    expect(await acquire(nodeId, webhookSlots)).toHaveLength(webhookSlots);
    await releaseSlots(world.db, nodeId, [3, 4]);
    expect(await readSlotHolders(world.db, nodeId)).toMatchObject({ free: 2 });
    expect(await acquire(dead, 5)).toEqual([]);
  });
});

describe("what a node writes", () => {
  const position: Position = { transaction: 77n, eventId: logBeginning.eventId };
  const save = (epoch = 0): Promise<void> => {
    const times = { lastSuccessAt: new Date(5), lastFailureAt: undefined };
    const progress = [{ endpointId, epoch, position, health: { limit: 8 }, ...times }];
    return saveProgress(world.db, { nodeId, progress });
  };
  const fail = (epoch = 0): Promise<void> => {
    const request = { requestId: uuidv7(), eventIds: [uuidv7(), uuidv7()], happenedAt: new Date(1), tries: 1 };
    return saveRetries(world.db, { nodeId, retry: [{ endpointId, epoch, ...request, dueAt: new Date(9) }] });
  };
  const begin = async () => (await beginProgress(world.db, [{ endpointId, epoch: 0 }]))[0];
  const positionNow = async () => (await begin())?.position.transaction;

  it("begins with what happens from now on, once", async () => {
    const now = await currentPosition(world.db);
    const start = await begin();
    expect(start).toMatchObject({ endpointId, epoch: 0, health: null, retries: 0, nextRetryAt: null });
    expect(start?.position.transaction).toBeGreaterThanOrEqual(now.transaction);
    await world.rows("select pg_current_xact_id()");
    expect(await begin()).toEqual(start);
  });

  it("counts while it holds the slot", async () => {
    await begin();
    await acquire(nodeId, webhookSlots);
    await save();
    await fail();
    expect(await begin()).toMatchObject({ position, health: { limit: 8 }, retries: 1, nextRetryAt: new Date(9) });
    const [retry] = await readRetries(world.db, endpointId, 5);
    expect(retry?.eventIds).toHaveLength(2);
    await makeRetriesDue(world.db, [endpointId], new Date(3));
    expect((await begin())?.nextRetryAt).toEqual(new Date(3));
  });

  it("does not count without the slot, with a lease that has ended, or of another time", async () => {
    await begin();
    await acquire(nodeId, webhookSlots);
    await save(1);
    await fail(1);
    await releaseSlots(world.db, nodeId, [slotOfAccount(world.account().id)]);
    await save();
    await fail();
    await acquire(nodeId, 1);
    await world.rows("update node set lease_until = now() - interval '1 second'");
    await save();
    await fail();
    expect(await positionNow()).not.toBe(77n);
    expect(await readRetries(world.db, endpointId, 5)).toEqual([]);
  });

  it("does not count for an endpoint that is disabled, which gets nothing more", async () => {
    await begin();
    await acquire(nodeId, webhookSlots);
    await fail();
    const disable = () =>
      world.db.transaction((tx) => disableFailingEndpoint(tx, { endpointId, epoch: 0, reason: "gone" }));
    expect([await disable(), await disable()]).toEqual([true, false]);
    await fail();
    expect(await readRetries(world.db, endpointId, 5)).toEqual([]);
    expect(await begin()).toBeUndefined();
  });
});

describe("attempts", () => {
  const second = uuidv7();
  const attempt = (id: string, ms: number) => ({
    ...{ id: uuidv7(ms), endpointId: id, eventIds: [uuidv7()], startedAt: new Date(ms), durationMs: 1 },
    ...{ httpStatus: 500, failure: "status", nextAttemptAt: undefined },
  });
  const waiters = async () =>
    (
      await world.rows(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%Attempts%'",
      )
    ).length;

  it("are kept for 7 days, and of an endpoint the newest 1,000", async () => {
    const now = Date.now();
    const count = async () => (await world.rows("select from webhook_attempt")).length;
    await saveAttempts(
      world.db,
      [8, 6].map((days) => attempt(endpointId, now - days * 86_400_000)),
    );
    await dropOldAttempts(world.db, new Date(now));
    expect(await count()).toBe(1);
    await saveAttempts(
      world.db,
      Array.from({ length: 1010 }, (_, index) => attempt(endpointId, now + index)),
    );
    await trimAttempts(world.db, [endpointId]);
    expect(await count()).toBe(1000);
    expect(await world.rows("select min(started_at) as oldest from webhook_attempt")).toEqual([
      { oldest: new Date(now + 10) },
    ]);
  });

  // If they waited for what is deleted, the two could wait for each other.
  it.each([
    ["those that are too old", (): Promise<void> => dropOldAttempts(world.db, new Date(Date.now() + 8 * 86_400_000))],
    ["those that are too many", (): Promise<void> => trimAttempts(world.db, [endpointId, second])],
  ])("%s do not wait for endpoints that are being deleted", async (_, drop) => {
    await insertEndpoint(second, "second");
    const now = Date.now();
    for (const id of [endpointId, second])
      await saveAttempts(
        world.db,
        Array.from({ length: 1001 }, (_, index) => attempt(id, now + index)),
      );
    let dropping: Promise<unknown> = Promise.resolve();
    await world.db.transaction(async (tx) => {
      await deleteEndpoints(tx, [second]);
      let hasEnded = false;
      dropping = drop().finally(() => {
        hasEnded = true;
      });
      dropping.catch(() => undefined);
      await eventually(async () => hasEnded || (await waiters()) > 0);
      expect(hasEnded).toBe(true);
      await deleteEndpoints(tx, [endpointId]);
    });
    await dropping;
    expect(await world.rows("select from webhook_attempt")).toEqual([]);
  });
});
