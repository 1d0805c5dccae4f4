// One target under fuzz, seen from outside: hands orders to a worker, notices when it hangs or
// dies, and goes on behind it.
import { Worker } from "node:worker_threads";
import { Random } from "./random.ts";
import { describeError, type Surroundings, type Target } from "./target.ts";
import type { Order, Report, RunFigures, WorkerData } from "./worker.ts";

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
  readonly progress?: (line: string) => void;
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
const startMs = 60_000;
const watchEveryMs = 100;
/** A subject that fails so often, or in so many ways, has told enough. */
const enoughFailures = 100;
const enoughFaults = 5;

type Outcome = Report | { readonly kind: "hang" } | { readonly kind: "died"; readonly words: string };

/** A worker with its target open. */
class Trial {
  readonly #target: Target;
  readonly #worker: Worker;
  readonly #begun = new Int32Array(new SharedArrayBuffer(8));
  #settle: ((outcome: Outcome) => void) | undefined;
  /** It hangs or is dead. */
  #end: Outcome | undefined;

  constructor(options: CampaignOptions) {
    const { target, seed, surroundings, heapMegabytes = defaultHeapMegabytes } = options;
    this.#target = target;
    const { worker, from } = options.program ?? {
      worker: new URL("./worker.js", import.meta.url),
      from: target.from,
    };
    const workerData: WorkerData = { from, target: target.name, seed, surroundings, begun: this.#begun };
    this.#worker = new Worker(worker, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    });
    this.#worker.on("message", (report: Report) => this.#settle?.(report));
    this.#worker.on("error", (error) => this.#spend({ kind: "died", words: describeError(error) }));
    this.#worker.on("exit", (code) => this.#spend({ kind: "died", words: `the worker ended with code ${code}` }));
  }

  /** Of the input that was begun last. */
  get index(): number {
    return this.#begun[0] ?? 0;
  }

  get isSpent(): boolean {
    return this.#end !== undefined;
  }

  opened(): Promise<Outcome> {
    return this.#await(startMs);
  }

  order(order: Order): Promise<Outcome> {
    const outcome = this.#await(order.kind === "close" ? startMs : this.#target.budgetMs);
    this.#worker.postMessage(order);
    return outcome;
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #spend(outcome: Outcome): void {
    this.#end ??= outcome;
    this.#settle?.(this.#end);
  }

  /** A hang is that nothing was begun for `budgetMs`. */
  #await(budgetMs: number): Promise<Outcome> {
    if (this.#end !== undefined) return Promise.resolve(this.#end);
    let seen = -1;
    let seenAt = performance.now();
    return new Promise((resolve) => {
      const watch = setInterval(() => {
        const now = Atomics.load(this.#begun, 1);
        if (now !== seen) [seen, seenAt] = [now, performance.now()];
        else if (performance.now() - seenAt > budgetMs) this.#spend({ kind: "hang" });
      }, watchEveryMs);
      this.#settle = (outcome) => {
        this.#settle = undefined;
        clearInterval(watch);
        resolve(outcome);
      };
    });
  }
}

class Campaign {
  readonly #options: CampaignOptions;
  /** By their kind. */
  readonly #faults = new Map<string, FoundFault>();
  #failures = 0;
  #trial: Trial | undefined;

  constructor(options: CampaignOptions) {
    this.#options = options;
  }

  async run(): Promise<CampaignResult> {
    const { target, seconds, inputs = Infinity, from = 0 } = this.#options;
    await this.#open();
    const begunAt = performance.now();
    const secondsLeft = (): number => seconds - (performance.now() - begunAt) / 1000;
    let next = from;
    let figures: RunFigures = { grownBytes: 0, slowestMs: 0, slowestIndex: 0, notes: "" };
    while (next < from + inputs && secondsLeft() > 0 && !this.#hasEnough) {
      const trial = await this.#open();
      const limits = { from: next, inputs: Math.min(from + inputs - next, 2 ** 31), seconds: secondsLeft() };
      const outcome = await trial.order({ kind: "run", ...limits });
      if (outcome.kind === "done") {
        figures = outcome;
        next = outcome.next;
        this.#judgeGrowth(outcome);
        break;
      }
      const index = trial.index;
      await this.#note(index, outcome);
      next = index + 1;
    }
    await this.#close();
    const spent = (performance.now() - begunAt) / 1000;
    return { ...figures, target, inputs: next - from, seconds: spent, faults: [...this.#faults.values()] };
  }

  #judgeGrowth({ grownBytes, next }: Extract<Report, { kind: "done" }>): void {
    const { growthMegabytes } = this.#options.target;
    if (grownBytes <= growthMegabytes * 2 ** 20) return;
    const words = `the heap grew by ${(grownBytes / 2 ** 20).toFixed(1)} MiB in ${next} inputs, at most ${growthMegabytes} are allowed`;
    this.#faults.set(kindOf(words), { index: undefined, words, input: "" });
  }

  get #hasEnough(): boolean {
    return this.#faults.size >= enoughFaults || this.#failures >= enoughFailures;
  }

  async #note(index: number, outcome: Outcome): Promise<void> {
    const { target, seed, progress } = this.#options;
    const words = this.#describe(outcome);
    this.#failures += 1;
    if (this.#faults.has(kindOf(words))) return;
    progress?.(`input ${index}: ${firstLine(words)}`);
    const input = target.write(target.generate(new Random(seed, target.name, index)));
    this.#faults.set(kindOf(words), { index, words, input });
    // The subject may be spoiled.
    await this.#close();
  }

  #describe(outcome: Outcome): string {
    if (outcome.kind === "hang") return `no answer within ${this.#options.target.budgetMs} ms`;
    return "words" in outcome ? outcome.words : "";
  }

  /** The worker at hand, or a new one where the last hung or died. */
  async #open(): Promise<Trial> {
    if (this.#trial?.isSpent === false) return this.#trial;
    await this.#trial?.end();
    const { target } = this.#options;
    const trial = new Trial(this.#options);
    this.#trial = trial;
    const outcome = await trial.opened();
    if (outcome.kind === "ready") return trial;
    await trial.end();
    throw new Error(`the target ${target.name} does not start: ${this.#describe(outcome)}`);
  }

  async #close(): Promise<void> {
    const trial = this.#trial;
    this.#trial = undefined;
    if (trial === undefined) return;
    const wasWell = !trial.isSpent;
    const outcome = await trial.order({ kind: "close" });
    await trial.end();
    if (!wasWell || outcome.kind === "closed") return;
    const words = `the subject does not close: ${this.#describe(outcome)}`;
    this.#faults.set(kindOf(words), { index: undefined, words, input: "" });
  }
}

export function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  return new Campaign(options).run();
}

function firstLine(words: string): string {
  return words.split("\n", 1)[0] ?? "";
}

/** Faults that differ only in the values they mention are the same kind. */
function kindOf(words: string): string {
  return firstLine(words)
    .replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replace(/\d+/g, "0");
}
