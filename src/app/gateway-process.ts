// Runs a gateway as a process: database (embedded or from DATABASE_URL), log and signals. Shared by
// `serve` and `demo`.
import type { Config } from "../platform/config.ts";
import type { Gateway, GatewayOptions } from "./gateway.ts";
import { LogOutput, standardOutput, createLogger, logTelemetry } from "../platform/logger.ts";
import { createMetrics, type Metrics } from "../platform/metrics.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../postgres/embedded-postgres.ts";
import { DataFolderInUse, readOwner } from "../postgres/owner-lock.ts";
import { Database } from "../store/database.ts";
import { Telemetry } from "../platform/telemetry.ts";
import { openToAppend } from "../platform/trusted-file.ts";
import { setFlagsFromString } from "node:v8";
import { createServer } from "node:net";
import { CommandFailed } from "../platform/command-failed.ts";

// Checks whether a gateway can listen on an address, by listening on it for a moment.

/** Undefined if listening works; otherwise the error to report. */
export function tryToListen(host: string, port: number): Promise<CommandFailed | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", ({ code = "" }: NodeJS.ErrnoException) => resolve(refusal(host, port, code)));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}

function refusal(host: string, port: number, code: string): CommandFailed {
  const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  const why = code === "EADDRINUSE" ? "is used by another program" : `cannot be listened on (${code})`;
  return new CommandFailed(`${address} ${why}`, {
    hint: "choose another HODHOD_PORT, or another address of this machine as HODHOD_HOST",
  });
}

// Holds back how far the heap of this process grows while much of it lives for long: many accounts.

/** With fewer than this, a heap of four times the live data does no harm. */
export const manyAccounts = 10_000;
/** By how much the heap grows, in per cent of what lives in it. */
const growthPercent = 80;
/** V8 chooses: up to 300. */
const chosenByV8 = 0;

/**
 * By default V8 lets the heap grow to four times its live data before it collects garbage. With
 * 50,000 accounts that all send the process takes 320 MiB instead of 240. Collecting earlier costs
 * processor time that calls need, so it is done only while there are many accounts. Takes effect
 * with the next major collection.
 */
export function limitHeapGrowth(telemetry: Telemetry): void {
  let isLimited = false;
  const limit = (isWanted: boolean): void => {
    if (isWanted === isLimited) return;
    isLimited = isWanted;
    setFlagsFromString(`--heap-growing-percent=${isWanted ? growthPercent : chosenByV8}`);
  };
  // Reading them makes as much garbage as they take.
  telemetry.on("configuration.reading", ({ accounts }) => {
    if (accounts === "all" || accounts >= manyAccounts) limit(true);
  });
  telemetry.on("configuration.reloaded", ({ accounts }) => limit(accounts >= manyAccounts));
}

export interface GatewayProcess {
  readonly gateway: Gateway;
  readonly db: Database;
  readonly telemetry: Telemetry;
  /** Of this process alone. */
  readonly metrics: Metrics;
  /** Idempotent: drains, records, closes the database. */
  stop(): Promise<void>;
}

export interface GatewayProcessOptions {
  readonly config: Config;
  /** Called with a line for each long step. */
  readonly progress: (line: string) => void;
  /** Log file; absent: standard output. */
  readonly logFile?: string;
  /** Runs after the database is migrated and before the gateway starts. */
  readonly prepare?: (db: Database) => Promise<void>;
  /** Ends the wait for an unreachable database; the start then throws. */
  readonly abort?: AbortSignal;
  /** Shown at /docs/api; for the demo. */
  readonly exampleLogin?: NonNullable<GatewayOptions["exampleLogin"]>;
  /** They open the console; for the demo. */
  readonly demoTickets?: NonNullable<GatewayOptions["demoTickets"]>;
  /** This process is one of several workers. */
  readonly worker?: WorkerParts;
}

/** What a worker has of its parent, which keeps the database and the address. */
export interface WorkerParts {
  /** From 1. A worker that follows another one has its number. */
  readonly number: number;
  readonly databaseUrl: string;
  /** Of all workers together. */
  readonly metricsText: () => Promise<string>;
}

export async function startGatewayProcess(options: GatewayProcessOptions): Promise<GatewayProcess> {
  const { config, logFile, worker, ...given } = options;
  if (worker === undefined) await expectFreeAddress(config);
  const telemetry = new Telemetry();
  limitHeapGrowth(telemetry);
  const logTo = logFile === undefined ? standardOutput : openToAppend(logFile);
  logTelemetry(createLogger(config, new LogOutput(logTo, telemetry), worker?.number), telemetry);
  const metrics = createMetrics(telemetry);
  const embedded = await startServer(options, telemetry);
  const db = openServiceDatabase(config, worker?.databaseUrl ?? config.databaseUrl ?? embedded?.url ?? "", telemetry);
  const closeDatabase = async (): Promise<void> => {
    await db.close();
    await embedded?.stop();
  };
  try {
    // Loaded only now: a parent of workers needs none of it, nor does a start that is refused.
    const { startGateway } = await import("./gateway.ts");
    const gateway = await startGateway({
      ...given,
      config,
      db,
      telemetry,
      metrics: worker === undefined ? metrics : { ...metrics, text: worker.metricsText },
      alone: embedded !== undefined,
      isPrepared: worker !== undefined,
    });
    let stopping: Promise<void> | undefined;
    const stop = (): Promise<void> => (stopping ??= gateway.stop().finally(closeDatabase));
    return { gateway, db, telemetry, metrics, stop };
  } catch (error) {
    // A server that never answered keeps its connection attempt open for seconds. Closing is not
    // worth the wait.
    if (options.abort?.aborted === true && embedded === undefined) void closeDatabase().catch(() => undefined);
    else await closeDatabase();
    throw error;
  }
}

/** The embedded server; none if the configuration names another one, or a parent runs it. */
async function startServer(
  { config, worker, progress }: GatewayProcessOptions,
  telemetry: Telemetry,
): Promise<EmbeddedPostgres | undefined> {
  if (worker !== undefined || config.databaseUrl !== undefined) return undefined;
  return startEmbeddedPostgres({ dataDir: config.dataDir, telemetry, progress });
}

/** `url`: that of the embedded server, or of the configuration. */
export function openServiceDatabase(
  { databaseDirectUrl, databasePoolSize, statementTimeoutMs }: Config,
  url: string,
  telemetry: Telemetry,
): Database {
  return Database.open({
    url,
    ...(databaseDirectUrl === undefined ? {} : { directUrl: databaseDirectUrl }),
    poolSize: databasePoolSize,
    statementTimeoutMs,
    telemetry,
  });
}

/** Checked before the data folder, the database or a lease is taken. */
export async function expectFreeAddress({ host, port, databaseUrl, dataDir }: Config): Promise<void> {
  const refusal = await tryToListen(host, port);
  if (refusal === undefined) return;
  const owner = databaseUrl === undefined ? readOwner(dataDir) : undefined;
  // A second gateway uses the same folder and port. The error about the folder is more useful.
  throw owner?.purpose === "serve" ? new DataFolderInUse(dataDir, owner) : refusal;
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/**
 * On Ctrl-C the terminal signals all processes, and npm forwards the signal again. Both count as
 * one.
 */
const sameSignalMs = 500;

export interface ProcessOptions<Running> {
  /** The signal aborts when the process must stop. */
  readonly start: (abort: AbortSignal) => Promise<Running>;
  /**
   * Runs after the start. An exit code ends the process; undefined leaves it running until a
   * signal.
   */
  readonly work?: (running: Running) => Promise<number | undefined>;
  readonly shutdownSeconds: number;
  readonly say: (line: string) => void;
}

/**
 * Starts, works, and stops on a signal at any time. The exit code is 0 if everything was recorded.
 * A second signal, or a stop that takes too long, ends the process at once; work in progress is
 * then recovered at the next start.
 */
export async function runAsProcess<Running extends { stop(): Promise<void> }>(
  options: ProcessOptions<Running>,
): Promise<never> {
  const { start, work, shutdownSeconds, say } = options;
  const abort = new AbortController();
  let overdue: NodeJS.Timeout | undefined;
  const limitStopping = (): void => {
    overdue ??= setTimeout(() => {
      say(`not finished after ${shutdownSeconds} s; stopping at once`);
      process.exit(1);
    }, shutdownSeconds * 1000);
  };
  const signal = new Promise<number>((resolve) => {
    let first: { readonly name: string; readonly at: number } | undefined;
    for (const name of signals) {
      process.on(name, () => {
        const at = performance.now();
        if (first?.name === "SIGINT" && name === "SIGINT" && at - first.at < sameSignalMs) return;
        if (first !== undefined) process.exit(1);
        first = { name, at };
        abort.abort();
        say(`${name}: finishing work in progress, then stopping (send it again to stop at once)`);
        limitStopping();
        resolve(0);
      });
    }
  });
  const stopped = (): boolean => abort.signal.aborted;
  let running: Running;
  try {
    running = await start(abort.signal);
  } catch (error) {
    if (!stopped()) throw error;
    say("stopped");
    process.exit(0);
  }
  const code = await Promise.race([signal, stopped() ? signal : untilDone(running, work, stopped)]);
  limitStopping();
  try {
    await running.stop();
  } catch (error) {
    say(`stopped with an error: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  }
  clearTimeout(overdue);
  say("stopped");
  process.exit(code);
}

/**
 * The exit code of the work. Never resolves if the work leaves the process running or a signal
 * interrupted it.
 */
async function untilDone<Running extends { stop(): Promise<void> }>(
  running: Running,
  work: ((running: Running) => Promise<number | undefined>) | undefined,
  isSignalled: () => boolean,
): Promise<number> {
  try {
    const code = await work?.(running);
    if (code !== undefined) return code;
  } catch (error) {
    if (!isSignalled()) {
      await running.stop();
      throw error;
    }
  }
  return new Promise(() => undefined);
}
