import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { acquireBinds } from "../../src/store/nodes.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { clear, seedNode, useWorld } from "../support/factories.ts";

const world = useWorld();
let connectorId: number;

beforeAll(async () => {
  connectorId = world.connector().id;
});

beforeEach(async () => {
  await clear(world);
});

const acquire = (nodeId: string, wanted: number, binds = 3): Promise<number[]> =>
  world.db.transaction((tx) => acquireBinds(tx, { nodeId, connectorId, binds, wanted }));

const holders = (): Promise<{ bind: number; node: string }[]> =>
  world.rows("select bind_number as bind, node_id as node from bind_lease order by 1");

describe("bind leases", () => {
  it("case 15: never more than the connector has binds, however many nodes ask at once and how often", async () => {
    const nodes = await Promise.all(Array.from({ length: 6 }, () => seedNode(world, 60)));
    const won = await Promise.all([...nodes, ...nodes].map(async (node) => ({ node, binds: await acquire(node, 2) })));
    const flat = won.flatMap(({ node, binds }) => binds.map((bind) => ({ bind, node })));
    expect(flat.sort((left, right) => left.bind - right.bind)).toEqual(await holders());
    expect(flat.map(({ bind }) => bind)).toEqual([1, 2, 3]);
  });

  it("are not for a node without a lease of its own", async () => {
    expect(await acquire(uuidv7(), 1)).toEqual([]);
    expect(await acquire(await seedNode(world, -1), 1)).toEqual([]);
  });
});
