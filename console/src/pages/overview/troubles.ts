// What of the present state needs a person. Pure.
import type { Connector } from "../../api/network.ts";

export interface Trouble {
  readonly kind: "unbound" | "waiting";
  readonly connector: string;
  /** Since when, or how old the oldest message is. */
  readonly ms: number;
}

const waitingSeconds = 60;

export function findTroubles(connectors: readonly Connector[], now: Date): readonly Trouble[] {
  const unbound = connectors
    .filter(({ enabled, binds }) => enabled && binds.every(({ state }) => state !== "bound"))
    .map(({ name, binds }): Trouble => {
      const since = Math.min(
        now.getTime(),
        ...binds.flatMap(({ lastErrorAt }) => (lastErrorAt === undefined ? [] : [Date.parse(lastErrorAt)])),
      );
      return { kind: "unbound", connector: name, ms: now.getTime() - since };
    });
  const waiting = connectors
    .filter(({ queue }) => queue.oldestSeconds >= waitingSeconds)
    .map(({ name, queue }): Trouble => ({ kind: "waiting", connector: name, ms: queue.oldestSeconds * 1000 }));
  return [...unbound, ...waiting];
}
