// The parent's side of one worker: starts its process, and another one when that ends unexpectedly,
// after a pause that grows while each of them ends soon.
import cluster, { type Worker } from "node:cluster";
import type { MetricFamilies } from "../platform/metrics.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import type { Config } from "../platform/config.ts";

// What the parent of workers and a worker tell each other. Both are the same program, so messages
// are not checked.

/** All that a worker needs to begin. */
export interface Task {
  readonly number: number;
  /** Its share of what is divided among the workers. */
  readonly config: Config;
  readonly databaseUrl: string;
}

export type FromWorker =
  /** It listens; what it was told before is lost. */
  | { readonly kind: "here" }
  | { readonly kind: "ready"; readonly address: string }
  /** It cannot start, and ends. */
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "progress"; readonly line: string }
  | { readonly kind: "metrics"; readonly families: MetricFamilies }
  /** Somebody asks for the metrics of all workers. */
  | { readonly kind: "sumWanted"; readonly id: number };

export type FromParent =
  | { readonly kind: "begin"; readonly task: Task }
  | { readonly kind: "stop" }
  | { readonly kind: "metricsWanted" }
  | { readonly kind: "sum"; readonly id: number; readonly text: string };

const shortestPauseMs = 1_000;
const longestPauseMs = 30_000;

export interface WorkerHandleOptions {
  readonly task: Task;
  readonly telemetry: Telemetry;
  readonly onMessage: (message: FromWorker) => void;
  /** The process has ended, in order or not. These are its last metrics. */
  readonly onEnd: (metrics: MetricFamilies) => void;
}

export class WorkerHandle {
  readonly #options: WorkerHandleOptions;
  #worker: Worker | undefined;
  #ended: Promise<void> = Promise.resolve();
  #metrics: MetricFamilies = [];
  #awaitMetrics: (() => void)[] = [];
  #readyAt: number | undefined;
  #failures = 0;
  #restart: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(options: WorkerHandleOptions) {
    this.#options = options;
  }

  /** As last seen. */
  get metrics(): MetricFamilies {
    return this.#metrics;
  }

  start(): void {
    const { task, telemetry } = this.#options;
    const worker = cluster.fork();
    this.#worker = worker;
    worker.on("message", (message: FromWorker) => this.#hear(message));
    // Of messages to a process that is ending.
    worker.on("error", () => undefined);
    this.#ended = new Promise((resolve) => {
      // After its last message.
      worker.process.once("close", (code, signal) => {
        this.#end(code, signal);
        resolve();
      });
    });
    telemetry.emit("worker.started", { worker: task.number, pid: this.#pid });
  }

  tell(message: FromParent): void {
    if (this.#worker?.isConnected() === true) this.#worker.send(message);
  }

  /** Resolves when the metrics are those of now, or after this time. */
  async refreshMetrics(withinMs: number): Promise<void> {
    if (this.#readyAt === undefined) return;
    this.tell({ kind: "metricsWanted" });
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#awaitMetrics.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Tells the worker to finish, and resolves when it has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#restart);
    this.tell({ kind: "stop" });
    await this.#ended;
  }

  kill(): void {
    this.#worker?.process.kill("SIGKILL");
  }

  get #pid(): number {
    return this.#worker?.process.pid ?? 0;
  }

  #hear(message: FromWorker): void {
    const { task, telemetry, onMessage } = this.#options;
    if (message.kind === "here") this.tell(this.#isStopping ? { kind: "stop" } : { kind: "begin", task });
    if (message.kind === "metrics") {
      this.#metrics = message.families;
      for (const resolve of this.#awaitMetrics.splice(0)) resolve();
    }
    if (message.kind === "ready") {
      this.#readyAt = performance.now();
      telemetry.emit("worker.ready", { worker: task.number, pid: this.#pid });
    }
    onMessage(message);
  }

  #end(code: number | null, signal: string | null): void {
    const { task, telemetry, onEnd } = this.#options;
    const pid = this.#pid;
    // It did not fail at its start if it worked for longer than the longest pause, or was ready and
    // ended because somebody told it to.
    const workedMs = this.#readyAt === undefined ? 0 : performance.now() - this.#readyAt;
    if (workedMs > longestPauseMs || (workedMs > 0 && code === 0)) this.#failures = 0;
    this.#readyAt = undefined;
    this.#worker = undefined;
    for (const resolve of this.#awaitMetrics.splice(0)) resolve();
    onEnd(this.#metrics);
    this.#metrics = [];
    if (this.#isStopping) return;
    const restartAfterMs = Math.min(longestPauseMs, shortestPauseMs * 2 ** Math.min(this.#failures, 10));
    this.#failures += 1;
    telemetry.emit("worker.ended", { worker: task.number, pid, code, signal, restartAfterMs });
    this.#restart = setTimeout(() => this.start(), restartAfterMs);
  }
}
