// Which connectors may carry a message, and which of them does (setup `routes`; decisions §4 "Waiting", error 1203).
// A link that is down is no reason to refuse a message: it only waits.
import type { SenderLine } from "./sender-line.ts";

export interface RouteConnector {
  readonly id: number;
  readonly enabled: boolean;
}

export interface Route {
  readonly id: number;
  /** Operator name or "*". */
  readonly operator: string;
  /** Line number, line kind or "*". */
  readonly line: string;
  /** In order of preference. */
  readonly connectors: readonly RouteConnector[];
}

/** The first route that matches, in the order given; undefined (1203) when none does or all its connectors are disabled. */
export function chooseRoute(routes: readonly Route[], operator: string, line: SenderLine): Route | undefined {
  const route = routes.find((candidate) => matchesRoute(candidate, operator, line));
  return route?.connectors.some((connector) => connector.enabled) === true ? route : undefined;
}

function matchesRoute(route: Route, operator: string, line: SenderLine): boolean {
  if (route.operator !== "*" && route.operator !== operator) return false;
  return route.line === "*" || route.line === line.number || route.line === line.kind;
}

/** The first connector of the route that is enabled and up; undefined: the message waits. */
export function chooseConnector(route: Route, isUp: (connectorId: number) => boolean): number | undefined {
  return route.connectors.find((connector) => connector.enabled && isUp(connector.id))?.id;
}
