// Opens the database of a command: that of DATABASE_URL, or else the embedded one. A running
// gateway shares its embedded server with the command. If no gateway runs, the command starts the
// server, or waits for another command that has started it.
import { existsSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Config } from "../platform/config.ts";
import { findRunningPostgres, startEmbeddedPostgres } from "../postgres/embedded-postgres.ts";
import { readOwner } from "../postgres/owner-lock.ts";
import { codeOf } from "../store/database-errors.ts";
import { Database } from "../store/database.ts";
import { migrate } from "../store/migrate.ts";
import { ensurePartitions, readDatabaseTime } from "../store/partitions.ts";
import { CommandFailed } from "../platform/command-failed.ts";

export interface OpenDatabase {
  readonly db: Database;
  /** The embedded server was started for this command, so no gateway runs on the database. */
  readonly alone: boolean;
  /** Closes db, and stops the embedded server if it was started for this command. */
  readonly close: () => Promise<void>;
}

export interface OpenDatabaseOptions {
  /** Create a database if the data folder has none; otherwise a missing database is an error. */
  readonly create: boolean;
  /** Migrate the schema first; default true. */
  readonly migrate?: boolean;
  readonly progress?: (line: string) => void;
}

type DatabaseConfig = Pick<
  Config,
  "databaseUrl" | "databaseDirectUrl" | "dataDir" | "databasePoolSize" | "statementTimeoutMs"
>;

const lookAgainMs = 50;

export async function openDatabase(config: DatabaseConfig, options: OpenDatabaseOptions): Promise<OpenDatabase> {
  const server = await findServer(config, options);
  const db = Database.open({
    url: server.url,
    ...(config.databaseDirectUrl === undefined ? {} : { directUrl: config.databaseDirectUrl }),
    poolSize: config.databasePoolSize,
    statementTimeoutMs: config.statementTimeoutMs,
  });
  const close = async () => {
    await db.close();
    await server.stop();
  };
  try {
    if (server.shared) await untilMade(db, config.dataDir);
    if (options.migrate ?? true) {
      await migrate(db, options.progress ? { progress: options.progress } : {});
      await ensurePartitions(db, await readDatabaseTime(db));
    }
    return { db, alone: server.alone, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** On its first start a gateway creates the role and the database only after its server is up. */
async function untilMade(db: Database, dataDir: string): Promise<void> {
  for (;;) {
    try {
      await db.ping();
      return;
    } catch (error) {
      const isMissing = /^(28|3D)...$/.test(codeOf(error));
      if (!isMissing || readOwner(dataDir)?.purpose !== "serve") throw error;
      await delay(lookAgainMs);
    }
  }
}

export function hasDatabase(dataDir: string): boolean {
  return existsSync(path.join(dataDir, "postgres"));
}

function noDatabase(dataDir: string): CommandFailed {
  return new CommandFailed(`there is no database in the data folder ${dataDir}`, {
    hint:
      "set HODHOD_DATA_DIR to the gateway's data folder, or DATABASE_URL to its database; " +
      "a gateway makes one at its first start, and so does hodhod apply --create",
  });
}

interface Server {
  readonly url: string;
  /** The embedded server of a running gateway. */
  readonly shared: boolean;
  readonly alone: boolean;
  readonly stop: () => Promise<void>;
}

async function findServer(config: DatabaseConfig, options: OpenDatabaseOptions): Promise<Server> {
  const others = { alone: false, stop: async () => undefined };
  if (config.databaseUrl !== undefined) return { url: config.databaseUrl, shared: false, ...others };
  const running = await findRunningPostgres(config.dataDir, options.progress);
  if (running) return { url: running.url, shared: true, ...others };
  if (!options.create && !hasDatabase(config.dataDir)) throw noDatabase(config.dataDir);
  const { progress } = options;
  const embedded = await startEmbeddedPostgres({
    dataDir: config.dataDir,
    purpose: "command",
    ...(progress ? { progress } : {}),
  });
  return { url: embedded.url, shared: false, alone: true, stop: () => embedded.stop() };
}
