// The program of a worker: a whole gateway that shares the port, the database and the limits with
// its siblings. Stops when its parent says so, or when its parent is gone.
import cluster from "node:cluster";
import { type GatewayProcess, startGatewayProcess } from "../app/gateway-process.ts";
import { endOrphanedPostgres } from "../postgres/embedded-postgres.ts";
import { enterAsWorker } from "../postgres/owner-lock.ts";
import { Conversation } from "./conversation.ts";
import type { ParentNews, ParentQuestion, Task, WorkerNews, WorkerQuestion } from "./messages.ts";
import { SiblingLink } from "./sibling-link.ts";

/** For the end of the database, when a worker has not finished in time. */
const hasteMs = 5_000;

class WorkerProcess {
  readonly #parent: Conversation<WorkerQuestion, WorkerNews, ParentQuestion, ParentNews>;
  readonly #abort = new AbortController();
  #task: Task | undefined;
  #siblings: SiblingLink | undefined;
  #running: GatewayProcess | undefined;
  #starting: Promise<void> | undefined;
  #leaveFolder: (() => void) | undefined;
  #sent: Promise<void> = Promise.resolve();
  #unread = 0;

  constructor() {
    this.#parent = new Conversation({
      send: (message) => {
        this.#unread += 1;
        this.#sent = send(message).finally(() => (this.#unread -= 1));
      },
      unread: () => this.#unread,
      answer: (question) => this.#answer(question),
      hear: (news) => {
        if (news.kind === "begin") this.#starting = this.#begin(news.task);
        if (news.kind === "stop") void this.leave();
        if (news.kind === "siblings") this.#siblings?.hear(news.news);
      },
    });
  }

  /** The parent says what to do. */
  arrive(): void {
    this.#tell({ kind: "here" });
  }

  receive(message: unknown): void {
    this.#parent.receive(message);
  }

  /** Nobody answers any more, and nobody accepts connections: finishes what there is. */
  orphaned(): void {
    this.#parent.end();
    void this.leave();
  }

  /** Finishes work in progress, and ends the process. */
  async leave(): Promise<void> {
    if (this.#abort.signal.aborted) return;
    this.#abort.abort();
    if (this.#task === undefined) process.exit(0);
    setTimeout(() => this.#endInHaste(), this.#task.config.shutdownSeconds * 1000);
    await this.#starting;
    try {
      await this.#running?.stop();
      if (this.#running !== undefined) this.#tell({ kind: "lastMetrics", text: await this.#running.metrics.text() });
    } catch (error) {
      this.#tell({ kind: "progress", line: `stopped with an error: ${messageOf(error)}` });
      process.exitCode = 1;
    }
    await this.#end();
  }

  async #begin(task: Task): Promise<void> {
    this.#task = task;
    const { config, databaseUrl, number, parentPid, gatewayId } = task;
    const siblings = new SiblingLink(this.#parent, { gatewayId, workers: config.workers });
    this.#siblings = siblings;
    try {
      if (config.databaseUrl === undefined) {
        this.#leaveFolder = enterAsWorker(config.dataDir, parentPid, config.shutdownSeconds);
      }
      this.#running = await startGatewayProcess({
        config,
        progress: (line) => this.#tell({ kind: "progress", line }),
        abort: this.#abort.signal,
        worker: { number, databaseUrl, siblings, metricsText: () => siblings.metricsText() },
      });
      this.#tell({ kind: "ready", address: this.#running.gateway.address });
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      this.#tell({ kind: "failed", reason: messageOf(error) });
      process.exitCode = 1;
      await this.#end();
    }
  }

  /** It takes too long. The last worker of a parent that is gone still ends the database. */
  #endInHaste(): void {
    process.exitCode = 1;
    setTimeout(() => process.exit(1), hasteMs);
    void this.#end();
  }

  async #end(): Promise<void> {
    this.#leaveFolder?.();
    if (this.#parent.isOver && this.#task !== undefined && this.#task.config.databaseUrl === undefined) {
      await endOrphanedPostgres(this.#task.config.dataDir).catch(() => undefined);
    }
    await this.#sent;
    process.exit();
  }

  async #answer({ kind }: ParentQuestion): Promise<unknown> {
    if (kind === "presence") return true;
    if (this.#running === undefined) throw new Error("not started yet");
    return kind === "metrics" ? this.#running.metrics.text() : this.#running.gateway.readiness();
  }

  #tell(news: WorkerNews): void {
    this.#parent.tell(news);
  }
}

/** Resolves when it is on its way, or the parent is gone. */
function send(message: unknown): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(message, () => resolve());
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const worker = new WorkerProcess();
process.on("message", (message) => worker.receive(message));
cluster.worker?.once("disconnect", () => {
  // Node.js would end the process at once.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  worker.orphaned();
});
process.on("SIGTERM", () => void worker.leave());
// A terminal sends these to all processes; the parent decides what they mean.
for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
worker.arrive();
