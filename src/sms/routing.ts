// Which connectors may carry a message, and which of them does (setup `routes`,
// error 1203). A message is never refused because a link is down: it waits.
import { canCarry, type Carrier, carriesAll, specialDemands, type TextDemand, demandOf } from "./data-coding.ts";
import type { SenderLine } from "./sender-line.ts";
import type { Encoding } from "./text-kind.ts";

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

/**
 * The first matching route in the given order; undefined (1203) if none matches or all its
 * connectors are disabled.
 */
export function chooseRoute(routes: readonly Route[], operator: string, line: SenderLine): Route | undefined {
  for (const route of routes)
    if (mismatchOf(route, operator, line) === undefined) return hasEnabledConnector(route) ? route : undefined;
  return undefined;
}

function hasEnabledConnector({ connectors }: Route): boolean {
  for (const { enabled } of connectors) if (enabled) return true;
  return false;
}

/** What keeps the message from the route; undefined: it matches. */
function mismatchOf(route: Route, operator: string, line: SenderLine): "operator" | "line" | undefined {
  if (route.operator !== "*" && route.operator !== operator) return "operator";
  const isLine = route.line === "*" || route.line === line.number || route.line === line.kind;
  return isLine ? undefined : "line";
}

/**
 * The first connector of the route that is enabled and up, among those that can carry the text. If
 * none can, any that is up gets the message and then ends it. Undefined: the message waits.
 */
export function chooseConnector(
  route: Route,
  isUp: (connectorId: number) => boolean,
  canCarry?: (connectorId: number) => boolean,
): number | undefined {
  let isAnyAble = false;
  let anyUp: number | undefined;
  for (const { id, enabled } of route.connectors) {
    if (!enabled) continue;
    const isAble = canCarry === undefined || canCarry(id);
    isAnyAble ||= isAble;
    if (!isUp(id)) continue;
    if (isAble) return id;
    anyUp ??= id;
  }
  return isAnyAble ? undefined : anyUp;
}

// Messages that demand more of a link than the route's others wait in a variant of their route. Its
// number combines those of the route and the demand.
const variantStep = 2 ** 27;
const demandStep = 3;

/** The number of the variant for that demand; without a demand, the route's own number. */
export function variantOf(routeId: number, { inParts, asWhole }: TextDemand): number {
  return routeId + variantStep * (inParts + demandStep * asWhole);
}

export function routeOfVariant(variantId: number): number {
  return variantId % variantStep;
}

/**
 * The variant in which a message waits for another link that can carry it; undefined if no enabled
 * connector of the route can.
 */
export function variantElsewhere(
  route: Route,
  demand: TextDemand,
  carrierOf: (connectorId: number) => Carrier | undefined,
): number | undefined {
  return route.connectors.some(({ id, enabled }) => enabled && carries(carrierOf(id), demand))
    ? variantOf(route.id, demand)
    : undefined;
}

/** The variants of the route by demand; none if all its connectors carry everything. */
export function variantsOf(
  route: Route,
  carrierOf: (connectorId: number) => Carrier | undefined,
): readonly { readonly variantId: number; readonly demand: TextDemand }[] {
  const carriers = route.connectors.filter(({ enabled }) => enabled).map(({ id }) => carrierOf(id));
  if (carriers.every((carrier) => carrier !== undefined && carriesAll(carrier))) return [];
  return specialDemands.map((demand) => ({ variantId: variantOf(route.id, demand), demand }));
}

/** The numbers (of the route and its variants) that the connector serves at present. */
export function variantsServed(
  route: Route,
  connectorId: number,
  isUp: (connectorId: number) => boolean,
  carrierOf: (connectorId: number) => Carrier | undefined,
): readonly number[] {
  const own = chooseConnector(route, isUp) === connectorId ? [route.id] : [];
  const special = variantsOf(route, carrierOf).filter(
    ({ demand }) => chooseConnector(route, isUp, (id) => carries(carrierOf(id), demand)) === connectorId,
  );
  return [...own, ...special.map(({ variantId }) => variantId)];
}

function carries(carrier: Carrier | undefined, demand: TextDemand): boolean {
  return carrier !== undefined && canCarry(carrier, demand);
}

// Why a message goes the way it goes: what each route and each connector of the chosen route says
// to it. Uses the rules that sending uses (above, prepare-message.ts), and decides nothing of its
// own. Pure.

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

// What staff see of links and queues: the state of a bind, and which connector each waiting
// message is listed under. Pure.

export const bindStates = ["bound", "paused", "down", "disabled", "no node"] as const;

/** Paused: bound, and nothing is submitted over it. */
export type BindState = (typeof bindStates)[number];

/** A bind as the node that holds it told last, or a connector without one. */
export interface LinkBind {
  readonly connectorId: number;
  readonly connector: string;
  readonly enabled: boolean;
  readonly paused: boolean;
  /** Null: no living node holds a bind of it. */
  readonly bindNumber: number | null;
  readonly bound: boolean | null;
}

export function bindStateOf({ enabled, paused, bindNumber, bound }: LinkBind): BindState {
  if (!enabled) return "disabled";
  if (bindNumber === null) return "no node";
  if (bound !== true) return "down";
  return paused ? "paused" : "bound";
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
