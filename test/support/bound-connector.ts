// A node, in the tables alone, that holds a bind: the routes see their connector as bound.
import { acquireBinds, insertNode, markBind } from "../../src/store/nodes.ts";
import { uuidv7 } from "../../src/uuid.ts";
import type { FrontDoor } from "./front-door.ts";

export async function bindFirstConnector({ db, directory }: FrontDoor): Promise<void> {
  const nodeId = uuidv7();
  const node = { nodeId, leaseMs: 3_600_000, configurationVersion: 1n, host: "sms-1", pid: 1, dispatches: true };
  await insertNode(db, node);
  const connectorId = directory.current.connectors[0]?.id ?? 0;
  await acquireBinds(db, { nodeId, connectorId, binds: 1, wanted: 1 });
  await markBind(db, { connectorId, bindNumber: 1, nodeId, bound: true, error: null });
}
