// One target under fuzz, seen from outside: starts a worker that tries the inputs, notices when it
// hangs or dies, and starts another one behind that input.
import { Worker } from "node:worker_threads";
import { Random } from "./random.ts";
import { describeError, kindOf, type Surroundings, type Target } from "./target.ts";
import type { Report, RunFigures, WorkerData } from "./worker.ts";

/** What a worker runs. */
export interface Program {
  readonly worker: URL;
  /** URL of the module that exports the target. */
  readonly from: string;
}

export interface CampaignOptions {
  readonly target: Target;
  /** Instead of the sources. */
  readonly program?: Program | undefined;
  readonly seed: string;
  readonly seconds: number;
  /** At most so many, from `from` on. */
  readonly inputs?: number;
  readonly from?: number;
  /** Of one worker. */
  readonly heapMegabytes?: number;
  readonly surroundings: Surroundings;
}

export interface FoundFault {
  /** Number of the input; undefined where no single one is to blame. */
  readonly index: number | undefined;
  readonly words: string;
  /** As it would stand in a test. */
  readonly input: string;
}

export interface CampaignResult extends RunFigures {
  readonly target: Target;
  readonly inputs: number;
  readonly seconds: number;
  readonly faults: readonly FoundFault[];
}

/** Beyond it a subject is said to run out of memory. */
const defaultHeapMegabytes = 512;
/** To open and to close a subject. */
const startMs = 60_000;
const watchEveryMs = 100;
/** A subject that fails in so many ways has shown enough. */
const enoughFaults = 5;

export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const { target, seed, seconds, inputs: most = Infinity, from = 0 } = options;
  const begunAt = performance.now();
  const secondsSince = (): number => (performance.now() - begunAt) / 1000;
  const faults = new Map<string, FoundFault>();
  const note = (index: number | undefined, words: string): void => {
    const input = index === undefined ? "" : target.write(target.generate(new Random(seed, target.name, index)));
    if (!faults.has(kindOf(words))) faults.set(kindOf(words), { index, words, input });
  };
  let next = from;
  let figures: RunFigures = { grownBytes: 0, slowestMs: 0, slowestIndex: 0, notes: "" };
  while (next < from + most && secondsSince() < seconds && faults.size < enoughFaults) {
    const end = await runWorker(options, note, {
      first: next,
      inputs: Math.min(from + most - next, 2 ** 31),
      seconds: seconds - secondsSince(),
    });
    next = end.next;
    if (end.figures === undefined) continue;
    figures = end.figures;
    break;
  }
  const grown = figures.grownBytes / 2 ** 20;
  if (grown > target.growthMegabytes)
    note(
      undefined,
      `the heap grew by ${grown.toFixed(1)} MiB in ${next - from} inputs, at most ${target.growthMegabytes} are allowed`,
    );
  return { ...figures, target, inputs: next - from, seconds: secondsSince(), faults: [...faults.values()] };
}

interface WorkerEnd {
  readonly next: number;
  /** Undefined if it hung or died. */
  readonly figures?: RunFigures;
}

/** A hang is that nothing was begun for the budget of the target. */
function runWorker(
  { target, program, seed, surroundings, heapMegabytes = defaultHeapMegabytes }: CampaignOptions,
  note: (index: number | undefined, words: string) => void,
  limits: Pick<WorkerData, "first" | "inputs" | "seconds">,
): Promise<WorkerEnd> {
  const begun = new Int32Array(new SharedArrayBuffer(8));
  const { worker: file, from } = program ?? { worker: new URL("./worker.js", import.meta.url), from: target.from };
  const workerData: WorkerData = { ...limits, from, target: target.name, seed, surroundings, begun };
  const worker = new Worker(file, { workerData, resourceLimits: { maxOldGenerationSizeMb: heapMegabytes } });
  let [seen, seenAt] = [0, performance.now()];
  let watch: NodeJS.Timeout | undefined;
  const ended = new Promise<WorkerEnd>((resolve, reject) => {
    const give = (words: string): void => {
      const index = begun[0] ?? 0;
      if (Atomics.load(begun, 1) === 0)
        reject(new Error(`the target ${target.name} does not start or close: ${words}`));
      else note(index, words);
      resolve({ next: index + 1 });
    };
    worker.on("message", (report: Report) => {
      if (report.kind === "fault") note(report.index, report.words);
      else if (report.kind === "died") give(report.words);
      else resolve({ next: report.next, figures: report.figures });
    });
    worker.on("error", (error) => give(describeError(error)));
    watch = setInterval(() => {
      const now = Atomics.load(begun, 1);
      if (now !== seen) [seen, seenAt] = [now, performance.now()];
      const budgetMs = now === 0 ? startMs : target.budgetMs;
      if (performance.now() - seenAt > budgetMs) give(`no answer within ${budgetMs} ms`);
    }, watchEveryMs);
  });
  return ended.finally(async () => {
    clearInterval(watch);
    await worker.terminate();
  });
}
