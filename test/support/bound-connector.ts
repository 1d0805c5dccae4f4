// A node, in the tables alone, that holds a bind of the first connector: the routes see it as
// bound, or the pages are told that it was lost.
import { type NodeFigures, noCounts } from "../../src/figures/tally.ts";
import { tellFigures } from "../../src/store/figures.ts";
import { acquireBinds, insertNode, markBind } from "../../src/store/nodes.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { statement } from "./database.ts";
import type { TestApi } from "./test-api.ts";

const host = "sms-1";

export async function bindFirstConnector(api: TestApi): Promise<void> {
  await holdFirstBind(api, { bound: true, error: null });
}

/** Another node's binds of it fail, all by one cause. Answers how many. */
export async function failFurtherBinds({ db, directory }: TestApi, binds: number): Promise<number> {
  const nodeId = uuidv7();
  await insertNode(db, { nodeId, leaseMs: 3_600_000, configurationVersion: 1n, host, pid: 2, dispatches: true });
  const connectorId = directory.current.connectors[0]?.id ?? 0;
  const held = await acquireBinds(db, { nodeId, connectorId, binds, wanted: binds });
  const error = "connect ECONNREFUSED 10.0.0.4:2775";
  for (const bindNumber of held) await markBind(db, { connectorId, bindNumber, nodeId, bound: false, error });
  return held.length;
}

/** Its node tells so in its figures, and never anew. */
export async function loseFirstBind(api: TestApi): Promise<void> {
  const error = "ESME_RBINDFAIL";
  const { nodeId, connector } = await holdFirstBind(api, { bound: false, error });
  const minuteAgo = new Date(Date.now() - 60_000).toISOString();
  const bind = { connector, bind: 1, bound: false, since: minuteAgo, inFlight: 0, window: 10 };
  const figures: NodeFigures = {
    pid: 1,
    rates: noCounts,
    latency: { answers: 0, medianMs: 0, slowMs: 0 },
    binds: [{ ...bind, partsPerSecond: 0, lastError: error, lastErrorAt: minuteAgo }],
    asked: {},
    lease: true,
  };
  await tellFigures(api.db, { processId: nodeId, host, figures });
  await api.db.query(statement("update node_figures set at = now() + interval '1 hour'"));
}

async function holdFirstBind(
  { db, directory }: TestApi,
  state: { readonly bound: boolean; readonly error: string | null },
): Promise<{ readonly nodeId: string; readonly connector: string }> {
  const nodeId = uuidv7();
  await insertNode(db, { nodeId, leaseMs: 3_600_000, configurationVersion: 1n, host, pid: 1, dispatches: true });
  const { id: connectorId, name: connector } = directory.current.connectors[0] ?? { id: 0, name: "" };
  await acquireBinds(db, { nodeId, connectorId, binds: 1, wanted: 1 });
  await markBind(db, { connectorId, bindNumber: 1, nodeId, ...state });
  return { nodeId, connector };
}
