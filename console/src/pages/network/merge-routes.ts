// Merges the routes arranged here with those that somebody else has saved meanwhile. Changes of
// both sides are kept. If both changed the same route, or the order, the version made here is kept,
// and the other one is shown. Pure.
import type { Route } from "../../api/types.ts";

/**
 * A change by the other side that must be shown: it is in the merged list, or left out because this
 * side changed the same route.
 */
export type OtherDeed = "added" | "changed" | "removed" | "contested";

export interface MergedRoutes {
  readonly routes: readonly Route[];
  readonly deeds: readonly { readonly deed: OtherDeed; readonly route: Route }[];
  /** The order of the other side, where both sides moved routes. */
  readonly otherOrder?: readonly Route[];
}

type Keyed = ReadonlyMap<string, Route>;

/** `before`: what both sides began with. `now`: what the other side has saved. */
export function mergeRoutes(before: readonly Route[], mine: readonly Route[], now: readonly Route[]): MergedRoutes {
  const [was, here, there] = [keyed(before), keyed(mine), keyed(now)];
  const order = (side: Keyed): string =>
    [...side.keys()].filter((key) => was.has(key) && here.has(key) && there.has(key)).join("\n");
  const [didMove, didTheyMove] = [order(here) !== order(was), order(there) !== order(was)];
  const keys = didMove ? withAdded(here, there) : withAdded(there, here);
  const fates = keys.map((key) => fateOf(was.get(key), here.get(key), there.get(key)));
  return {
    routes: fates.flatMap(({ route }) => (route === undefined ? [] : [route])),
    deeds: fates.flatMap(({ told }) => (told === undefined ? [] : [told])),
    ...(didMove && didTheyMove && order(here) !== order(there) && { otherOrder: now }),
  };
}

/**
 * A route is the same one as long as operator and line are; equal ones are told apart by their
 * order.
 */
function keyed(routes: readonly Route[]): Keyed {
  const counts = new Map<string, number>();
  return new Map(
    routes.map((route) => {
      const name = JSON.stringify([route.operator, route.line]);
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return [`${name} ${count}`, route];
    }),
  );
}

/**
 * The keys of one side in their order. Each additional key of the other side comes after the key
 * that it follows there.
 */
function withAdded(first: Keyed, second: Keyed): readonly string[] {
  const keys = [...first.keys()];
  let previous = -1;
  for (const key of second.keys()) {
    const place = keys.indexOf(key);
    previous = place === -1 ? previous + 1 : place;
    if (place === -1) keys.splice(previous, 0, key);
  }
  return keys;
}

interface Fate {
  /** Absent: it is not in the list any more. */
  readonly route?: Route;
  readonly told?: { readonly deed: OtherDeed; readonly route: Route };
}

function fateOf(was: Route | undefined, here: Route | undefined, there: Route | undefined): Fate {
  const mine = here === undefined ? {} : { route: here };
  // What the other side did is also what this side did, or nothing.
  if (same(there, was) || same(there, here)) return mine;
  // Told as it is there; where it is gone there, as it was.
  const route = there ?? was;
  if (route === undefined) return mine;
  if (!same(here, was)) return { ...mine, told: { deed: "contested", route } };
  if (there === undefined) return { told: { deed: "removed", route } };
  return { route: there, told: { deed: was === undefined ? "added" : "changed", route } };
}

function same(left: Route | undefined, right: Route | undefined): boolean {
  return left?.connectors.join("\n") === right?.connectors.join("\n") && (left === undefined) === (right === undefined);
}
