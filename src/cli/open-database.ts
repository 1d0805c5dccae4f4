// The database that a command works on: the one of DATABASE_URL, else the embedded one: a running gateway's, or started for
// the moment.
import type { Config } from "../config.ts";
import { findRunningPostgres, startEmbeddedPostgres } from "../postgres/embedded-postgres.ts";
import type { LockPurpose } from "../postgres/owner-lock.ts";
import { Database } from "../store/database.ts";
import { migrate } from "../store/migrate.ts";
import { ensurePartitions } from "../store/partitions.ts";
import type { Telemetry } from "../telemetry.ts";

export interface OpenDatabase {
  readonly db: Database;
  /** Closes db, and stops the embedded server where it was started for this. */
  readonly close: () => Promise<void>;
}

export interface OpenDatabaseOptions {
  /** `serve` keeps the data folder to itself; a command shares it with a running gateway, or waits for another command. */
  readonly purpose: LockPurpose;
  /** Unless told: bring the schema up to date first. */
  readonly migrate?: boolean;
  readonly telemetry?: Telemetry;
  readonly progress?: (line: string) => void;
}

type DatabaseConfig = Pick<
  Config,
  "databaseUrl" | "databaseDirectUrl" | "dataDir" | "databasePoolSize" | "statementTimeoutMs"
>;

export async function openDatabase(config: DatabaseConfig, options: OpenDatabaseOptions): Promise<OpenDatabase> {
  const server = await findServer(config, options);
  const db = Database.open({
    url: server.url,
    ...(config.databaseDirectUrl === undefined ? {} : { directUrl: config.databaseDirectUrl }),
    poolSize: config.databasePoolSize,
    statementTimeoutMs: config.statementTimeoutMs,
    ...(options.telemetry ? { telemetry: options.telemetry } : {}),
  });
  const close = async () => {
    await db.close();
    await server.stop();
  };
  try {
    if (options.migrate ?? true) {
      await migrate(db, options.progress ? { progress: options.progress } : {});
      await ensurePartitions(db, new Date());
    }
    return { db, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function findServer(
  config: DatabaseConfig,
  options: OpenDatabaseOptions,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const stop = async () => undefined;
  if (config.databaseUrl !== undefined) return { url: config.databaseUrl, stop };
  const running = options.purpose === "command" ? await findRunningPostgres(config.dataDir) : undefined;
  if (running) return { url: running.url, stop };
  const { purpose, telemetry, progress } = options;
  const embedded = await startEmbeddedPostgres({
    dataDir: config.dataDir,
    purpose,
    ...(telemetry ? { telemetry } : {}),
    ...(progress ? { progress } : {}),
  });
  return { url: embedded.url, stop: () => embedded.stop() };
}
