// How long a command waits until all nodes use its change, and what it says of nodes that do not.
import type { NodesAtVersion } from "../setup/await-nodes.ts";
import { note, type CommandContext } from "./command-context.ts";

/** Nodes follow a change within a second. Loading ten million numbers takes them some seconds. */
export const waitForNodesMs = { change: 5000, numbers: 30_000 } as const;

export function warnOfNodesBehind(context: CommandContext, { behind }: NodesAtVersion): void {
  for (const { id, host, pid } of behind)
    note(context, `warning: node ${id} (process ${pid} on ${host}) does not use the change yet`);
}

/** For a change that no living node has to follow. A gateway uses `what` from its start on. */
export function noNodeUses(what: string, isServed: boolean): string {
  return isServed ? `The gateway is not ready yet; it will use ${what}.` : "No gateway is running.";
}
