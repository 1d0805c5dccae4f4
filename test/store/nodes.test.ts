import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  acquireBinds,
  insertNode,
  listNodes,
  markBind,
  noteConfigurationVersion,
  readCluster,
  readBindHolders,
  releaseBinds,
  removeDeadNodes,
  removeNode,
  removeOtherNodes,
  renewNode,
} from "../../src/store/nodes.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { clear, count, openWorld, seedNode, type World } from "../support/factories.ts";

let world: World;
let connectorId: number;

beforeAll(async () => {
  world = await openWorld();
  connectorId = world.connector().id;
});

beforeEach(async () => {
  await clear(world);
});

afterAll(async () => {
  await world.close();
});

const acquire = (nodeId: string, wanted: number, binds = 3): Promise<number[]> =>
  world.db.transaction((tx) => acquireBinds(tx, { nodeId, connectorId, binds, wanted }));

const holders = (): Promise<{ bind: number; node: string }[]> =>
  world.rows("select bind_number as bind, node_id as node from bind_lease order by 1");

describe("a node's lease", () => {
  it("is renewed while it lasts, and never again once it has ended", async () => {
    const { db } = world;
    const lease = { nodeId: uuidv7(), leaseMs: 10_000, configurationVersion: 1n };
    const node = { ...lease, host: "h", pid: 1, dispatches: true };
    expect(await renewNode(db, lease)).toBe(false);
    expect(await insertNode(db, node)).toBe(true);
    expect(await insertNode(db, node)).toBe(false);
    expect(await renewNode(db, { ...lease, leaseMs: -1 })).toBe(true);
    expect(await renewNode(db, lease)).toBe(false);
  });

  it("tells the configuration that the node works by, and never an older one than before", async () => {
    const { db } = world;
    const lease = { nodeId: uuidv7(), leaseMs: 10_000, configurationVersion: 7n };
    await insertNode(db, { ...lease, host: "h", pid: 4711, dispatches: false });
    await noteConfigurationVersion(db, { ...lease, configurationVersion: 9n });
    await noteConfigurationVersion(db, { ...lease, configurationVersion: 8n });
    await renewNode(db, lease);
    expect(await listNodes(db)).toEqual([{ id: lease.nodeId, host: "h", pid: 4711, configurationVersion: 9n }]);
    await renewNode(db, { ...lease, leaseMs: -1 });
    expect(await listNodes(db)).toEqual([]);
  });

  it("of one that only takes calls gives no share in the binds", async () => {
    const { db } = world;
    const lease = { nodeId: uuidv7(), leaseMs: 10_000, configurationVersion: 1n };
    await insertNode(db, { ...lease, host: "h", pid: 1, dispatches: false });
    const dispatching = await seedNode(world, 60);
    expect((await readBindHolders(db)).nodeIds).toEqual([dispatching]);
  });

  it("ends with all its binds, whether it is given up or has run out", async () => {
    const [left, dead, alive] = [await seedNode(world, 60), await seedNode(world, 60), await seedNode(world, 60)];
    for (const nodeId of [left, dead, alive]) expect(await acquire(nodeId, 1)).toHaveLength(1);
    await removeNode(world.db, left);
    await world.rows("update node set lease_until = now() - interval '1 second' where id = $1", [dead]);
    expect(await removeDeadNodes(world.db)).toBe(1);
    expect(await removeDeadNodes(world.db)).toBe(0);
    expect(await holders()).toEqual([{ bind: 3, node: alive }]);
    expect(await count(world, "node")).toBe(1);
  });

  it("of any other node counts for nothing where one process owns the database", async () => {
    const [old, own] = [await seedNode(world, 60), await seedNode(world, 60)];
    await acquire(old, 3);
    await removeOtherNodes(world.db, own);
    expect(await acquire(own, 3)).toEqual([1, 2, 3]);
  });
});

describe("bind leases", () => {
  it("case 15: never more than the connector has binds, however many nodes ask at once and how often", async () => {
    const nodes = await Promise.all(Array.from({ length: 6 }, () => seedNode(world, 60)));
    const won = await Promise.all([...nodes, ...nodes].map(async (node) => ({ node, binds: await acquire(node, 2) })));
    const flat = won.flatMap(({ node, binds }) => binds.map((bind) => ({ bind, node })));
    expect(flat.sort((left, right) => left.bind - right.bind)).toEqual(await holders());
    expect(flat.map(({ bind }) => bind)).toEqual([1, 2, 3]);
  });

  it("go from a dead node to the next that asks, once, even before anybody has cleared it away", async () => {
    const dead = await seedNode(world, 60);
    await acquire(dead, 3);
    await world.rows("update node set lease_until = now() - interval '1 second'");
    const nodes = [await seedNode(world, 60), await seedNode(world, 60)];
    const won = await Promise.all(nodes.map((node) => acquire(node, 3)));
    expect(won.flat().sort()).toEqual([1, 2, 3]);
  });

  it("are not for a node without a lease of its own", async () => {
    expect(await acquire(uuidv7(), 1)).toEqual([]);
    expect(await acquire(await seedNode(world, -1), 1)).toEqual([]);
  });

  it("are free again when released, by their holder only", async () => {
    const [first, second] = [await seedNode(world, 60), await seedNode(world, 60)];
    await acquire(first, 1, 1);
    await releaseBinds(world.db, { nodeId: second, connectorId, bindNumbers: [1] });
    expect(await acquire(second, 1, 1)).toEqual([]);
    await releaseBinds(world.db, { nodeId: first, connectorId, bindNumbers: [1] });
    expect(await acquire(second, 1, 1)).toEqual([1]);
  });

  it("tell who lives and holds which, and nothing of the dead", async () => {
    const [first, second, dead] = [await seedNode(world, 60), await seedNode(world, 60), await seedNode(world, 60)];
    expect(await acquire(dead, 1)).toEqual([1]);
    expect(await acquire(first, 2)).toEqual([2, 3]);
    await world.rows("update node set lease_until = now() - interval '1 second' where id = $1", [dead]);
    const { nodeIds, holdings } = await readBindHolders(world.db);
    expect([...nodeIds].sort()).toEqual([first, second].sort());
    expect(holdings).toEqual([{ nodeId: first, connectorId, bindNumbers: [2, 3] }]);
  });

  it("tell every node which connectors are bound, on living nodes only", async () => {
    const [first, dead] = [await seedNode(world, 60), await seedNode(world, 60)];
    await acquire(first, 1);
    await acquire(dead, 1);
    expect(await readCluster(world.db)).toEqual({ boundConnectors: [], now: expect.any(Date) as Date });
    await markBind(world.db, { nodeId: dead, connectorId, bindNumber: 2, bound: true, error: null });
    expect(await readCluster(world.db)).toEqual({
      boundConnectors: [connectorId],
      now: expect.any(Date) as Date,
    });
    await world.rows("update node set lease_until = now() - interval '1 second' where id = $1", [dead]);
    expect(await readCluster(world.db)).toEqual({ boundConnectors: [], now: expect.any(Date) as Date });
    await markBind(world.db, { nodeId: first, connectorId, bindNumber: 1, bound: true, error: null });
    expect((await readCluster(world.db)).boundConnectors).toEqual([connectorId]);
    await markBind(world.db, { nodeId: first, connectorId, bindNumber: 1, bound: false, error: "closed by the peer" });
    expect((await readCluster(world.db)).boundConnectors).toEqual([]);
  });
});
