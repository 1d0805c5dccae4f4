// Tells of nodes that do not use a change yet.
import type { NodesAtVersion } from "../setup/await-nodes.ts";
import type { LivingNode } from "../store/nodes.ts";
import { note, type CommandContext } from "./command-context.ts";

export function warnOfNodesBehind(context: CommandContext, { behind }: NodesAtVersion): void {
  for (const node of behind) note(context, `warning: ${nodeName(node)} does not use the change yet`);
}

/** Where no node is alive. A gateway uses `what` from its start on. */
export function noNodeUses(what: string, isServed: boolean): string {
  return isServed ? `The gateway is not ready yet; it will use ${what}.` : "No gateway is running.";
}

function nodeName({ id, host, pid }: LivingNode): string {
  return `node ${id} (${pid === null ? host : `process ${pid} on ${host}`})`;
}
