import { expect, it } from "vitest";
import { awaitNodes } from "../../src/setup/await-nodes.ts";
import { insertNode, listNodes, removeNode } from "../../src/store/nodes.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { useWorld } from "../support/factories.ts";

const world = useWorld();

const waitMs = 60_000;

it("returns at once where no node is alive, and waits for the first where a gateway is starting", async () => {
  const { db } = world;
  expect(await awaitNodes(db, 7n, { waitMs })).toEqual({ following: [], behind: [] });
  let isBack = false;
  const waiting = awaitNodes(db, 7n, { waitMs, isServed: true }).finally(() => (isBack = true));
  for (let look = 0; look < 10; look += 1) await listNodes(db);
  expect(isBack).toBe(false);
  const nodeId = uuidv7();
  await insertNode(db, { nodeId, leaseMs: 60_000, configurationVersion: 7n, host: "h", pid: 1, dispatches: true });
  expect(await waiting).toMatchObject({ following: [{ pid: 1 }], behind: [] });
  await removeNode(db, nodeId);
});
