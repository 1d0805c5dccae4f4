// All workers together: started, asked, and stopped as one gateway.
import type { Metrics } from "../platform/metrics.ts";
import type { SiblingNews } from "./siblings.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import type { Task, WorkerNews, WorkerQuestion } from "./messages.ts";
import { configOfWorker } from "./shares.ts";
import { countsOf, type Figures, parseFigures, sumFigures, writeFigures } from "./sum-metrics.ts";
import { WorkerSeat } from "./worker-seat.ts";

/** A worker that does not answer for so long is not ready, and its last known metrics are shown. */
const answerWithinMs = 2_000;
/** If one worker ends this often before it is ready, the start fails. */
const mostEndsAtStart = 3;
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
  readonly #seats: readonly WorkerSeat[];
  /** By number of the worker: the metrics of the process that runs now, as last seen. */
  readonly #seen = new Map<number, Figures>();
  /** Counters of processes that have ended. */
  #past: Figures = new Map();
  #reading: Promise<string> | undefined;
  #onNews: (worker: number, news: WorkerNews) => void = () => undefined;
  #onEnd: (worker: number) => void = () => undefined;

  constructor(options: WorkersOptions) {
    this.#options = options;
    const { task, telemetry } = options;
    const config = configOfWorker(task.config);
    this.#seats = Array.from({ length: task.config.workers }, (_, index) => {
      const number = index + 1;
      return new WorkerSeat({
        number,
        task: { ...task, number, config },
        telemetry,
        answer: (question) => this.#answer(question),
        hear: (news) => this.#hear(number, news),
        onEnd: () => {
          this.#forget(number);
          this.#onEnd(number);
        },
      });
    });
  }

  /** Resolves with the address when all workers are ready; rejects if one of them cannot start. */
  async start(abort: AbortSignal): Promise<string> {
    // A signal that has come before calls no listener.
    if (abort.aborted) throw new Error(stoppedWhileStarting);
    process.once("exit", this.#killAll);
    const ready = new Set<number>();
    const ends = new Map<number, number>();
    const started = new Promise<string>((resolve, reject) => {
      abort.addEventListener("abort", () => reject(new Error(stoppedWhileStarting)), { once: true });
      this.#onEnd = (worker) => {
        ends.set(worker, (ends.get(worker) ?? 0) + 1);
        if (!ready.has(worker) && ends.get(worker) === mostEndsAtStart)
          reject(new Error(`worker ${worker} has ended ${mostEndsAtStart} times before it was ready`));
      };
      this.#onNews = (worker, news) => {
        if (news.kind === "failed") reject(new Error(`worker ${worker} cannot start: ${news.reason}`));
        if (news.kind === "ready" && ready.add(worker).size === this.#seats.length) resolve(news.address);
      };
    });
    for (const seat of this.#seats) seat.start();
    try {
      return await started;
    } finally {
      this.#onNews = () => undefined;
      this.#onEnd = () => undefined;
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#seats.map((seat) => seat.stop()));
    process.removeListener("exit", this.#killAll);
  }

  /** The parent ends before its workers: at a second signal, or after too long. */
  readonly #killAll = (): void => {
    for (const seat of this.#seats) seat.kill();
  };

  async #answer(question: WorkerQuestion): Promise<unknown> {
    switch (question.kind) {
      case "metrics":
        return (this.#reading ??= this.#readMetrics().finally(() => (this.#reading = undefined)));
      case "readiness":
        return this.#readiness();
    }
  }

  #hear(worker: number, news: WorkerNews): void {
    if (news.kind === "siblings") this.#passOn(worker, news.news);
    if (news.kind === "progress") this.#options.progress(`worker ${worker}: ${news.line}`);
    if (news.kind === "failed") this.#options.progress(`worker ${worker} cannot start: ${news.reason}`);
    if (news.kind === "lastMetrics") this.#seen.set(worker, parseFigures(news.text));
    this.#onNews(worker, news);
  }

  #passOn(from: number, news: readonly SiblingNews[]): void {
    for (const seat of this.#seats) if (seat.number !== from) seat.hint({ kind: "siblings", news });
  }

  #forget(worker: number): void {
    const last = this.#seen.get(worker);
    this.#seen.delete(worker);
    if (last !== undefined) this.#past = sumFigures([this.#past, countsOf(last)]);
  }

  async #readMetrics(): Promise<string> {
    const own = parseFigures(await this.#options.metrics.text());
    await Promise.all(
      this.#seats.map(async (seat) => {
        const text = await seat.ask({ kind: "metrics" }, answerWithinMs).catch(() => undefined);
        // A worker that ended meanwhile is among those of the past.
        if (typeof text === "string" && seat.isReady) this.#seen.set(seat.number, parseFigures(text));
      }),
    );
    return writeFigures(sumFigures([own, ...this.#seen.values(), this.#past]));
  }

  /** Of each check, whether it holds for every worker. */
  async #readiness(): Promise<Record<string, boolean>> {
    const all = await Promise.all(
      this.#seats.map(async (seat) => {
        if (!seat.isReady) return { workers: false };
        // The worker answers so.
        const checks = (await seat.ask({ kind: "readiness" }, answerWithinMs).catch(() => undefined)) as
          Record<string, boolean> | undefined;
        return checks ?? { workers: false };
      }),
    );
    const together: Record<string, boolean> = { database: true, migrated: true, workers: true };
    for (const checks of all) {
      for (const [name, holds] of Object.entries(checks)) together[name] = (together[name] ?? true) && holds;
    }
    return together;
  }
}
