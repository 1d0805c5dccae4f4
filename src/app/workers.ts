// All workers together: started, stopped, and their metrics summed.
import type { Config } from "../platform/config.ts";
import { countersOf, type MetricFamilies, type Metrics, sumMetrics, textOfMetrics } from "../platform/metrics.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { type FromWorker, type Task, WorkerHandle } from "./worker-handle.ts";

/** Of a worker that does not answer for so long, the metrics are those last seen. */
const answerWithinMs = 2_000;
/**
 * Connections of a worker besides its pool: for notifications, the lease, the console, and
 * sometimes maintenance.
 */
const connectionsBesidePool = 5;
/** For the parent, for commands, and a few to spare. */
const connectionsBesideWorkers = 20;
const stoppedWhileStarting = "stopped while the workers start";

export interface WorkersOptions {
  /** Its configuration is that of all workers. */
  readonly task: Omit<Task, "number">;
  readonly telemetry: Telemetry;
  /** Of the parent itself. */
  readonly metrics: Metrics;
  readonly progress: (line: string) => void;
}

export class Workers {
  readonly #options: WorkersOptions;
  readonly #handles: readonly WorkerHandle[];
  /** Counters of processes that have ended: a sum that falls would look like a restart. */
  #past: Promise<MetricFamilies> = Promise.resolve([]);
  #sum: Promise<string> | undefined;
  #onMessage: (worker: number, message: FromWorker) => void = () => undefined;

  constructor(options: WorkersOptions) {
    this.#options = options;
    const { task, telemetry } = options;
    const config = configOfWorker(task.config);
    this.#handles = Array.from({ length: task.config.workers }, (_, index) => {
      const number = index + 1;
      const handle: WorkerHandle = new WorkerHandle({
        task: { ...task, number, config },
        telemetry,
        onMessage: (message) => this.#hear(handle, number, message),
        onEnd: (metrics) => {
          this.#past = this.#past.then((past) => sumMetrics([past, countersOf(metrics)]));
        },
      });
      return handle;
    });
  }

  /** Resolves with the address when all workers are ready; rejects if one of them cannot start. */
  async start(abort: AbortSignal): Promise<string> {
    // A signal that has come before calls no listener.
    if (abort.aborted) throw new Error(stoppedWhileStarting);
    process.once("exit", this.#killAll);
    const ready = new Set<number>();
    const started = new Promise<string>((resolve, reject) => {
      abort.addEventListener("abort", () => reject(new Error(stoppedWhileStarting)), { once: true });
      this.#onMessage = (worker, message) => {
        if (message.kind === "failed") reject(new Error(`worker ${worker} cannot start: ${message.reason}`));
        if (message.kind === "ready" && ready.add(worker).size === this.#handles.length) resolve(message.address);
      };
    });
    for (const handle of this.#handles) handle.start();
    try {
      return await started;
    } finally {
      this.#onMessage = () => undefined;
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#handles.map((handle) => handle.stop()));
    process.removeListener("exit", this.#killAll);
  }

  /** The parent ends before its workers: at a second signal, or after too long. */
  readonly #killAll = (): void => {
    for (const handle of this.#handles) handle.kill();
  };

  #hear(handle: WorkerHandle, worker: number, message: FromWorker): void {
    const { progress } = this.#options;
    if (message.kind === "sumWanted") {
      this.#sum ??= this.#sumUp().finally(() => (this.#sum = undefined));
      void this.#sum.then((text) => handle.tell({ kind: "sum", id: message.id, text }));
    }
    if (message.kind === "progress") progress(`worker ${worker}: ${message.line}`);
    if (message.kind === "failed") progress(`worker ${worker} cannot start: ${message.reason}`);
    this.#onMessage(worker, message);
  }

  async #sumUp(): Promise<string> {
    await Promise.all(this.#handles.map((handle) => handle.refreshMetrics(answerWithinMs)));
    const own = await this.#options.metrics.families();
    return textOfMetrics([own, ...this.#handles.map(({ metrics }) => metrics), await this.#past]);
  }
}

export function configOfWorker(config: Config): Config {
  const { workers, databasePoolSize, acceptQueueLimit } = config;
  return Object.freeze({
    ...config,
    databasePoolSize: Math.floor(databasePoolSize / workers),
    acceptQueueLimit: Math.ceil(acceptQueueLimit / workers),
  });
}

/** Connections that all workers together may open. */
export function connectionsOfWorkers({ workers, databasePoolSize }: Config): number {
  return databasePoolSize + workers * connectionsBesidePool;
}

/** For the embedded server. It never has fewer than for one process. */
export function connectionsOfServer(config: Config, usual: number): number {
  return Math.max(usual, connectionsOfWorkers(config) + connectionsBesideWorkers);
}
