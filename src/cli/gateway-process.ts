// A gateway as a process of its own: its database (embedded or by DATABASE_URL), its log, its signals. Shared by `serve` and `demo`.
import { destination } from "pino";
import type { Config } from "../config.ts";
import { type Gateway, startGateway } from "../gateway.ts";
import { createLogger, logTelemetry } from "../logger.ts";
import { createMetrics } from "../metrics.ts";
import { startEmbeddedPostgres } from "../postgres/embedded-postgres.ts";
import { Database } from "../store/database.ts";
import { Telemetry } from "../telemetry.ts";

export interface GatewayProcess {
  readonly gateway: Gateway;
  readonly db: Database;
  readonly telemetry: Telemetry;
  /** Idempotent: drains, records, closes the database. */
  stop(): Promise<void>;
}

export interface GatewayProcessOptions {
  readonly config: Config;
  /** Told of steps that take long. */
  readonly progress: (line: string) => void;
  /** File that log lines go to; absent: standard output. */
  readonly logFile?: string;
  /** Runs when the database is migrated and before the gateway starts. */
  readonly prepare?: (db: Database) => Promise<void>;
}

export async function startGatewayProcess(options: GatewayProcessOptions): Promise<GatewayProcess> {
  const { config, progress, logFile } = options;
  const telemetry = new Telemetry();
  const logger = createLogger(config, logFile === undefined ? undefined : destination({ dest: logFile, mkdir: true }));
  logTelemetry(logger, telemetry);
  const metrics = createMetrics(telemetry);
  const embedded =
    config.databaseUrl === undefined
      ? await startEmbeddedPostgres({ dataDir: config.dataDir, telemetry, progress })
      : undefined;
  const db = Database.open({
    url: config.databaseUrl ?? embedded?.url ?? "",
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
    const { prepare } = options;
    const gateway = await startGateway({
      config,
      db,
      telemetry,
      metrics,
      alone,
      progress,
      ...(prepare && { prepare }),
    });
    let stopping: Promise<void> | undefined;
    const stop = (): Promise<void> => (stopping ??= gateway.stop().finally(closeDatabase));
    return { gateway, db, telemetry, stop };
  } catch (error) {
    await closeDatabase();
    throw error;
  }
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Waits for a signal to end, stops, and ends the process: with 0 when everything was recorded. A second signal, or a stop that takes
 * too long, ends it at once; what was under way then is recovered at the next start.
 */
export async function runUntilSignal(
  stop: () => Promise<void>,
  { shutdownSeconds, say }: { shutdownSeconds: number; say: (line: string) => void },
): Promise<never> {
  const signal = await new Promise<string>((resolve) => {
    for (const name of signals) process.once(name, resolve);
  });
  say(`${signal}: stopping; what is under way is finished first (again to stop at once)`);
  for (const name of signals) process.on(name, () => process.exit(1));
  const overdue = setTimeout(() => {
    say(`not finished after ${shutdownSeconds} s: stopping at once`);
    process.exit(1);
  }, shutdownSeconds * 1000);
  try {
    await stop();
  } catch (error) {
    say(`stopped with an error: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  }
  clearTimeout(overdue);
  say("stopped");
  process.exit(0);
}
