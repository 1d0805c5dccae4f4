// What of the present state needs a person. Pure.
import type { ConnectorList } from "../../api/network.ts";

export type Trouble =
  | {
      readonly kind: "unbound" | "waiting";
      readonly connector: string;
      /** Since when, or how old the oldest message is. */ readonly ms: number;
    }
  | { readonly kind: "unroutable"; readonly count: number };

const waitingSeconds = 60;

/** In order of harm. */
export function findTroubles({ items, unroutable }: ConnectorList, now: Date): readonly Trouble[] {
  const unbound = items
    .filter(({ enabled, state }) => enabled && state !== "bound")
    .map(({ name, bindStates }): Trouble => {
      const times = bindStates.flatMap(({ since }) => (since === undefined ? [] : [Date.parse(since)]));
      return { kind: "unbound", connector: name, ms: now.getTime() - Math.min(now.getTime(), ...times) };
    });
  const waiting = items
    .filter(({ oldestSeconds }) => oldestSeconds >= waitingSeconds)
    .map(({ name, oldestSeconds }): Trouble => ({ kind: "waiting", connector: name, ms: oldestSeconds * 1000 }));
  const stuck: readonly Trouble[] =
    unroutable !== undefined && unroutable.due > 0 ? [{ kind: "unroutable", count: unroutable.due }] : [];
  return [...unbound, ...stuck, ...waiting];
}
