// Where the gateway's main thread spends its time: a V8 processor profile (node --cpu-prof) summed
// up by the rooms of the program.

interface ProfileNode {
  readonly id: number;
  /** `lineNumber`: of the function, counted from 0. */
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** Microseconds of the machine's monotonic clock. */
  readonly startTime: number;
  readonly samples: readonly number[];
  /** Before each sample, in microseconds. */
  readonly timeDeltas: readonly number[];
}

const stages = [
  { name: "SQL (client side)", files: /\/dist\/(store\/|group-commit)|\/node_modules\/(pg|postgres)[-/]/ },
  { name: "SMPP", files: /\/dist\/(smpp|connectors)\// },
  { name: "rules (checks, prices, parts, credit)", files: /\/dist\/(sms|intake|directory|credentials)\// },
  { name: "dispatch and receipts", files: /\/dist\/(dispatch|inbound|maintenance)\// },
  {
    name: "telemetry and metrics",
    files: /\/dist\/(telemetry|metrics|instruments|logger)|\/node_modules\/(prom-client|pino)/,
  },
  {
    name: "HTTP",
    files:
      /\/dist\/http\/|^node:(_http|internal\/http)|\/node_modules\/(@?fastify|find-my-way|avvio|ajv|fast-|light-my)/,
  },
] as const;

const collector = "garbage collection";
const native = "system calls and native code outside JavaScript";
const rest = "Node.js itself (sockets, timers, promises)";

export type Stage = (typeof stages)[number]["name"] | typeof collector | typeof native | typeof rest;

/**
 * Microseconds in which the thread was not idle, between two moments of the machine's monotonic
 * clock (ms), by stage. Time counts for the nearest function up the stack whose file belongs to a
 * stage: what a library or Node.js does on behalf of a stage counts for it.
 */
export function timeByStage(profile: CpuProfile, fromMs: number, untilMs: number): Map<Stage, number> {
  const stageOfNode = stagesOfNodes(profile.nodes);
  const sums = new Map<Stage, number>();
  let at = profile.startTime;
  for (const [index, node] of profile.samples.entries()) {
    at += profile.timeDeltas[index] ?? 0;
    // A sample stands for the time until the next one.
    const lasted = profile.timeDeltas[index + 1] ?? 0;
    const stage = stageOfNode.get(node);
    if (stage === undefined || at < fromMs * 1000 || at >= untilMs * 1000) continue;
    sums.set(stage, (sums.get(stage) ?? 0) + Math.max(0, lasted));
  }
  return sums;
}

/** Idle nodes have no stage. */
function stagesOfNodes(nodes: readonly ProfileNode[]): Map<number, Stage> {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const found = new Map<number, Stage>();
  for (const node of nodes) {
    const { functionName, url } = node.callFrame;
    if (url === "" && functionName === "(idle)") continue;
    if (url === "" && functionName === "(garbage collector)") found.set(node.id, collector);
    else if (url === "" && functionName === "(program)") found.set(node.id, native);
    else found.set(node.id, nearestStage(node, byId, parents));
  }
  return found;
}

function nearestStage(
  node: ProfileNode,
  byId: ReadonlyMap<number, ProfileNode>,
  parents: ReadonlyMap<number, number>,
): Stage {
  for (let at: ProfileNode | undefined = node; at !== undefined; at = byId.get(parents.get(at.id) ?? -1)) {
    const { url } = at.callFrame;
    const stage = stages.find(({ files }) => files.test(url));
    if (stage !== undefined) return stage.name;
  }
  return rest;
}
