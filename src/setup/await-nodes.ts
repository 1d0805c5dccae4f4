// Waits until the running nodes work by a configuration that was just stored. Changes nothing.
import { setTimeout as delay } from "node:timers/promises";
import type { Queryable } from "../store/database.ts";
import { listNodes, type LivingNode } from "../store/nodes.ts";

export interface NodesAtVersion {
  readonly following: readonly LivingNode[];
  /** Those that did not say in time that they have the version, or any later one. */
  readonly behind: readonly LivingNode[];
}

const pollMs = 50;

/** Answers as soon as no living node is behind, which is at once where none lives. */
export async function awaitNodes(db: Queryable, version: bigint, waitMs: number): Promise<NodesAtVersion> {
  const until = performance.now() + waitMs;
  for (;;) {
    const nodes = await listNodes(db);
    const isBehind = ({ configurationVersion }: LivingNode): boolean =>
      configurationVersion === null || configurationVersion < version;
    const behind = nodes.filter(isBehind);
    if (behind.length === 0 || performance.now() >= until) {
      return { following: nodes.filter((node) => !isBehind(node)), behind };
    }
    await delay(pollMs);
  }
}
