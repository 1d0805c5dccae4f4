// Waits until the running nodes use a configuration that was just stored. Changes nothing.
import { setTimeout as delay } from "node:timers/promises";
import type { Queryable } from "../store/database.ts";
import { listNodes, type NodeState } from "../store/nodes.ts";

export interface NodesAtVersion {
  readonly following: readonly NodeState[];
  /** Nodes that did not report this version or a later one in time. */
  readonly behind: readonly NodeState[];
}

const pollMs = 50;

/**
 * Returns as soon as no living node is behind. If `isServed`, a gateway holds the database and may
 * still be starting: then at least one node is awaited. Otherwise returns at once if no node is
 * alive.
 */
export async function awaitNodes(
  db: Queryable,
  version: bigint,
  { waitMs, isServed = false }: { waitMs: number; isServed?: boolean },
): Promise<NodesAtVersion> {
  const until = performance.now() + waitMs;
  for (;;) {
    const nodes = await listNodes(db);
    const isBehind = ({ configurationVersion }: NodeState): boolean => configurationVersion < version;
    const behind = nodes.filter(isBehind);
    const isComplete = behind.length === 0 && (nodes.length > 0 || !isServed);
    if (isComplete || performance.now() >= until) {
      return { following: nodes.filter((node) => !isBehind(node)), behind };
    }
    await delay(pollMs);
  }
}
