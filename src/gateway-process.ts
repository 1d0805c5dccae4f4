// Runs a gateway as a process: database (embedded or from DATABASE_URL), log and signals. Shared by
// `serve` and `demo`.
import { destination } from "pino";
import type { Config } from "./config.ts";
import { type Gateway, type GatewayOptions, startGateway } from "./gateway.ts";
import { createLogger, logTelemetry } from "./logger.ts";
import { createMetrics } from "./metrics.ts";
import { startEmbeddedPostgres } from "./postgres/embedded-postgres.ts";
import { DataFolderInUse, readOwner } from "./postgres/owner-lock.ts";
import { Database } from "./store/database.ts";
import { Telemetry } from "./telemetry.ts";
import { tryToListen } from "./try-to-listen.ts";

export interface GatewayProcess {
  readonly gateway: Gateway;
  readonly db: Database;
  readonly telemetry: Telemetry;
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
  /** Shown at /docs; for the demo. */
  readonly exampleLogin?: GatewayOptions["exampleLogin"];
  /** They open the console; for the demo. */
  readonly demoTickets?: GatewayOptions["demoTickets"];
}

export async function startGatewayProcess(options: GatewayProcessOptions): Promise<GatewayProcess> {
  const { config, progress, logFile } = options;
  await expectFreeAddress(config);
  const telemetry = new Telemetry();
  const logger = createLogger(
    config,
    logFile === undefined ? undefined : destination({ dest: logFile, mkdir: true, mode: 0o600 }),
  );
  logTelemetry(logger, telemetry);
  const metrics = createMetrics(telemetry);
  const embedded =
    config.databaseUrl === undefined
      ? await startEmbeddedPostgres({ dataDir: config.dataDir, telemetry, progress })
      : undefined;
  const db = Database.open({
    url: config.databaseUrl ?? embedded?.url ?? "",
    ...(config.databaseDirectUrl === undefined ? {} : { directUrl: config.databaseDirectUrl }),
    poolSize: config.databasePoolSize,
    statementTimeoutMs: config.statementTimeoutMs,
    telemetry,
  });
  const closeDatabase = async (): Promise<void> => {
    await db.close();
    await embedded?.stop();
  };
  try {
    const alone = embedded !== undefined;
    const { prepare, abort, exampleLogin, demoTickets } = options;
    const gateway = await startGateway({
      config,
      db,
      telemetry,
      metrics,
      alone,
      progress,
      ...(prepare && { prepare }),
      ...(abort && { abort }),
      ...(exampleLogin && { exampleLogin }),
      ...(demoTickets && { demoTickets }),
    });
    let stopping: Promise<void> | undefined;
    const stop = (): Promise<void> => (stopping ??= gateway.stop().finally(closeDatabase));
    return { gateway, db, telemetry, stop };
  } catch (error) {
    // A server that never answered keeps its connection attempt open for seconds. Closing is not
    // worth the wait.
    if (options.abort?.aborted === true && embedded === undefined) void closeDatabase().catch(() => undefined);
    else await closeDatabase();
    throw error;
  }
}

/** Checked before the data folder, the database or a lease is taken. */
async function expectFreeAddress({ host, port, databaseUrl, dataDir }: Config): Promise<void> {
  const refusal = await tryToListen(host, port);
  if (refusal === undefined) return;
  const owner = databaseUrl === undefined ? readOwner(dataDir) : undefined;
  // A second gateway uses the same folder and port. The error about the folder is more useful.
  if (owner?.purpose === "serve") throw new DataFolderInUse(dataDir, owner);
  throw refusal;
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/**
 * On Ctrl-C the terminal signals all processes, and npm forwards the signal again. Both count as
 * one.
 */
const sameSignalMs = 500;

export interface ProcessOptions<Running> {
  /** The signal aborts when the process is told to stop. */
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
