// The place of one worker: starts a process for it, and another one when that ends unexpectedly,
// after a pause that grows while each of them ends soon.
import cluster, { type Worker } from "node:cluster";
import type { Telemetry } from "../platform/telemetry.ts";
import { Conversation, NoAnswer } from "./conversation.ts";
import type { ParentNews, ParentQuestion, Task, WorkerNews, WorkerQuestion } from "./messages.ts";
import { SilenceWatch } from "./silence-watch.ts";

const shortestPauseMs = 1_000;
const longestPauseMs = 30_000;

/** How long to wait after so many workers of this seat ended soon after their start. */
export function pauseAfter(failures: number): number {
  return Math.min(longestPauseMs, shortestPauseMs * 2 ** Math.min(failures, 10));
}

export interface SeatOptions {
  readonly number: number;
  readonly task: Task;
  readonly telemetry: Telemetry;
  readonly answer: (question: WorkerQuestion) => Promise<unknown>;
  readonly hear: (news: WorkerNews) => void;
  /** The process has ended, in order or not. */
  readonly onEnd: () => void;
}

type Talk = Conversation<ParentQuestion, ParentNews, WorkerQuestion, WorkerNews>;

export class WorkerSeat {
  readonly number: number;
  readonly #options: SeatOptions;
  #worker: Worker | undefined;
  #talk: Talk | undefined;
  #silence: SilenceWatch | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  #isReady = false;
  #readyAt = 0;
  #failures = 0;
  #restart: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(options: SeatOptions) {
    this.number = options.number;
    this.#options = options;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get pid(): number {
    return this.#worker?.process.pid ?? 0;
  }

  start(): void {
    const { number, telemetry, answer } = this.#options;
    const worker = cluster.fork();
    let unread = 0;
    const talk: Talk = new Conversation({
      send: (message) => {
        if (!worker.isConnected()) return;
        unread += 1;
        // An error means that it has ended, which is told apart.
        worker.process.send(message as object, () => (unread -= 1));
      },
      unread: () => unread,
      answer,
      hear: (news) => this.#hear(news),
    });
    this.#worker = worker;
    this.#talk = talk;
    worker.on("message", (message) => talk.receive(message));
    // Of messages to a worker that is ending.
    worker.on("error", () => undefined);
    this.#ended = endOf(worker).then(({ code, signal }) => this.#end(talk, code, signal));
    telemetry.emit("worker.started", { worker: number, pid: this.pid });
  }

  async ask(question: ParentQuestion, withinMs: number): Promise<unknown> {
    if (this.#talk === undefined) throw new NoAnswer(`worker ${this.number} does not run`);
    return this.#talk.ask(question, withinMs);
  }

  tell(news: ParentNews): void {
    this.#talk?.tell(news);
  }

  /** Tells what may be lost. */
  hint(news: ParentNews): void {
    this.#talk?.hint(news);
  }

  /** Tells the worker to finish, and resolves when it has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#restart);
    this.#talk?.tell({ kind: "stop" });
    await this.#ended;
  }

  kill(): void {
    this.#worker?.process.kill("SIGKILL");
  }

  #hear(news: WorkerNews): void {
    if (news.kind === "here")
      this.tell(this.#isStopping ? { kind: "stop" } : { kind: "begin", task: this.#options.task });
    if (news.kind === "ready") {
      this.#isReady = true;
      this.#readyAt = performance.now();
      this.#options.telemetry.emit("worker.ready", { worker: this.number, pid: this.pid });
      this.#watchSilence();
    }
    this.#options.hear(news);
  }

  /**
   * A worker that hangs would keep its share of the connections: it is ended, another one follows.
   */
  #watchSilence(): void {
    this.#silence = new SilenceWatch({
      ask: (withinMs) => this.ask({ kind: "presence" }, withinMs),
      onSilence: () => {
        // While it stops, the time for stopping is its bound.
        if (this.#isStopping) return;
        this.#options.telemetry.emit("worker.silent", { worker: this.number, pid: this.pid });
        this.kill();
      },
    });
  }

  #end(talk: Talk, code: number | null, signal: string | null): void {
    const { telemetry, onEnd } = this.#options;
    const { pid } = this;
    this.#silence?.end();
    // A worker did not fail at its start if it worked for longer than the longest pause, or if it
    // was ready and ended in order because somebody told it to.
    const workedMs = this.#isReady ? performance.now() - this.#readyAt : 0;
    if (workedMs > longestPauseMs || (workedMs > 0 && code === 0)) this.#failures = 0;
    this.#isReady = false;
    this.#worker = undefined;
    this.#talk = undefined;
    talk.end();
    onEnd();
    if (this.#isStopping) return;
    const restartAfterMs = pauseAfter(this.#failures);
    this.#failures += 1;
    telemetry.emit("worker.ended", { worker: this.number, pid, code, signal, restartAfterMs });
    this.#restart = setTimeout(() => this.start(), restartAfterMs);
  }
}

/**
 * Resolves when the process has ended and all that it said has been heard, or when it could not be
 * started. Never rejects.
 */
function endOf(worker: Worker): Promise<{ readonly code: number | null; readonly signal: string | null }> {
  return new Promise((resolve) => {
    worker.process.once("exit", (code, signal) => {
      const end = (): void => resolve({ code, signal });
      if (worker.process.connected) worker.process.once("disconnect", end);
      else end();
    });
    worker.process.on("error", () => {
      // Other errors are those of messages to a process that is ending.
      if (worker.process.pid === undefined) resolve({ code: null, signal: null });
    });
  });
}
