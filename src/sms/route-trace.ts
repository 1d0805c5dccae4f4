// Why a message goes the way it goes: what each route and each connector of the chosen route says
// to it. Uses the rules that sending uses (routing.ts, prepare-message.ts), and decides nothing of
// its own. Pure.
import type { Carrier } from "./carrying.ts";
import { canCarry, demandOf } from "./carrying.ts";
import type { Encoding } from "./text-kind.ts";
import { chooseConnector, hasEnabledConnector, mismatchOf, type Route } from "./routing.ts";
import type { SenderLine } from "./sender-line.ts";

export const routeVerdicts = ["operator", "line", "used", "off", "later"] as const;

/**
 * `operator`, `line`: is for another one. `used`: the first that matches. `off`: the first that
 * matches, but all its connectors are disabled, so the message is refused. `later`: matches, but
 * another one comes first.
 */
export type RouteVerdict = (typeof routeVerdicts)[number];

export interface TracedRoute {
  readonly route: Route;
  readonly verdict: RouteVerdict;
}

/** In the order of the routes. */
export function traceRoutes(routes: readonly Route[], operator: string, line: SenderLine): readonly TracedRoute[] {
  let isFirst = true;
  return routes.map((route) => {
    const mismatch = mismatchOf(route, operator, line);
    if (mismatch !== undefined) return { route, verdict: mismatch };
    if (!isFirst) return { route, verdict: "later" };
    isFirst = false;
    return { route, verdict: hasEnabledConnector(route) ? "used" : "off" };
  });
}

export const connectorVerdicts = ["used", "standby", "alphabet", "disabled", "paused", "down"] as const;

/**
 * `used`: takes the message now. `standby`: would, if those before it could not. `alphabet`: lacks
 * characters of the text, and another connector of the route has them. `paused`, `down`: takes
 * nothing at present.
 */
export type ConnectorVerdict = (typeof connectorVerdicts)[number];

export interface LinkNow {
  readonly bound: boolean;
  readonly paused: boolean;
  readonly carrier: Carrier;
}

export interface TracedConnector {
  readonly id: number;
  readonly verdict: ConnectorVerdict;
}

export type TracedText = { readonly content: string; readonly encoding: Encoding; readonly parts: number } | undefined;

/**
 * In the order of the route. Without a text, every link can carry it. None is `used`: the message
 * waits.
 */
export function traceConnectors(
  route: Route,
  text: TracedText,
  linkOf: (connectorId: number) => LinkNow | undefined,
): readonly TracedConnector[] {
  const demand = text && demandOf(text);
  const carries = (id: number): boolean => {
    const link = linkOf(id);
    return demand === undefined || (link !== undefined && canCarry(link.carrier, demand));
  };
  const isUp = (id: number): boolean => {
    const link = linkOf(id);
    return link !== undefined && link.bound && !link.paused;
  };
  const chosen = chooseConnector(route, isUp, carries);
  const someCarries = route.connectors.some(({ id, enabled }) => enabled && carries(id));
  return route.connectors.map(({ id, enabled }): TracedConnector => {
    if (!enabled) return { id, verdict: "disabled" };
    if (id === chosen) return { id, verdict: "used" };
    if (someCarries && !carries(id)) return { id, verdict: "alphabet" };
    if (linkOf(id)?.paused === true) return { id, verdict: "paused" };
    return { id, verdict: isUp(id) ? "standby" : "down" };
  });
}
