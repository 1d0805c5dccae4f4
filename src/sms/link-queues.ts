// What staff are told of links and queues: the state of a bind, and which connector each waiting
// message is listed under. Pure.
import { chooseConnector } from "./routing.ts";

export type BindState = "bound" | "down" | "disabled" | "no node";

/** A bind as the node that holds it told last, or a connector without one. */
export interface LinkBind {
  readonly connectorId: number;
  readonly connector: string;
  readonly enabled: boolean;
  /** Null: no living node holds a bind of it. */
  readonly bindNumber: number | null;
  readonly bound: boolean | null;
}

export function bindStateOf({ enabled, bindNumber, bound }: LinkBind): BindState {
  if (!enabled) return "disabled";
  if (bindNumber === null) return "no node";
  return bound === true ? "bound" : "down";
}

/** What waits on one route, and the connectors that may carry it, by preference. */
export interface WaitingOnRoute {
  readonly routeId: number;
  readonly connectorIds: readonly number[];
  /** Due now. */
  readonly waiting: number;
  readonly scheduled: number;
  /** Of the message that has been due longest. */
  readonly oldestSeconds: number;
}

/**
 * The queue of one connector; without a name: of routes whose connectors are all disabled or
 * removed.
 */
export interface ConnectorQueue extends Omit<WaitingOnRoute, "routeId" | "connectorIds"> {
  readonly connector: string | undefined;
}

/**
 * A message is listed under the first bound connector of its route, or else under the first enabled
 * one.
 */
export function queueByConnector(
  binds: readonly LinkBind[],
  routes: readonly WaitingOnRoute[],
): readonly ConnectorQueue[] {
  const connectors = new Map(binds.map(({ connectorId, connector, enabled }) => [connectorId, { connector, enabled }]));
  const bound = new Set(binds.filter((bind) => bindStateOf(bind) === "bound").map(({ connectorId }) => connectorId));
  const queues = new Map<string | undefined, ConnectorQueue>(
    [...connectors.values()].map(({ connector }) => [
      connector,
      { connector, waiting: 0, scheduled: 0, oldestSeconds: 0 },
    ]),
  );
  for (const { routeId, connectorIds, waiting, scheduled, oldestSeconds } of routes) {
    const ofRoute = connectorIds.map((id) => ({ id, enabled: connectors.get(id)?.enabled === true }));
    const route = { id: routeId, operator: "*", line: "*", connectors: ofRoute };
    const id = chooseConnector(route, (each) => bound.has(each)) ?? ofRoute.find(({ enabled }) => enabled)?.id;
    const connector = id === undefined ? undefined : connectors.get(id)?.connector;
    const known = queues.get(connector);
    queues.set(connector, {
      connector,
      waiting: (known?.waiting ?? 0) + waiting,
      scheduled: (known?.scheduled ?? 0) + scheduled,
      oldestSeconds: Math.max(known?.oldestSeconds ?? 0, oldestSeconds),
    });
  }
  return [...queues.values()];
}
