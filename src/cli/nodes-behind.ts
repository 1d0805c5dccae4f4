// Names the nodes that do not work yet by what a command has changed.
import type { NodesAtVersion } from "../setup/await-nodes.ts";
import type { LivingNode } from "../store/nodes.ts";
import { note, type CommandContext } from "./command-context.ts";

export function warnOfNodesBehind(context: CommandContext, { behind }: NodesAtVersion): void {
  for (const node of behind) note(context, `warning: ${nodeName(node)} has not taken the change yet`);
}

function nodeName({ id, host, pid }: LivingNode): string {
  return `node ${id} (${pid === null ? host : `process ${pid} on ${host}`})`;
}
