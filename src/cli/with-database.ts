// Runs a command's work on its database (open-database.ts), ready to use: migrated, with the country's operators, and closed
// again however the work ends.
import { existsSync } from "node:fs";
import path from "node:path";
import { readConfig, type Config } from "../config.ts";
import { DataFolderInUse } from "../postgres/owner-lock.ts";
import { seedOperators } from "../setup/seed-operators.ts";
import type { Database } from "../store/database.ts";
import { CommandFailed, note, type CommandContext } from "./command-context.ts";
import { openDatabase, type OpenDatabase } from "./open-database.ts";

/** A large setup is written by few long statements. */
const statementTimeoutMs = 300_000;
const poolSize = 2;

export interface DatabaseNeed {
  /** Whether a data folder without a database gets one; else that is an error. */
  readonly create: boolean;
}

export async function withDatabase<Result>(
  context: CommandContext,
  { create }: DatabaseNeed,
  work: (db: Database, config: Config) => Promise<Result>,
): Promise<Result> {
  const config = readConfig();
  if (config.databaseUrl === undefined && !create) expectDatabase(config.dataDir);
  const { db, close } = await open(context, { ...config, databasePoolSize: poolSize, statementTimeoutMs });
  const forgetSignals = closeOnSignal(close);
  try {
    await seedOperators(db);
    return await work(db, config);
  } finally {
    forgetSignals();
    await close();
  }
}

function expectDatabase(dataDir: string): void {
  if (existsSync(path.join(dataDir, "postgres"))) return;
  throw new CommandFailed(`there is no database in the data folder ${dataDir}`, {
    hint: "set HODHOD_DATA_DIR to the gateway's data folder, or DATABASE_URL to its database",
  });
}

async function open(context: CommandContext, config: Config): Promise<OpenDatabase> {
  for (;;) {
    try {
      return await openDatabase(config, { purpose: "command", progress: (line) => note(context, line) });
    } catch (error) {
      // A gateway took the folder in this very moment: its database is ours, too.
      if (!(error instanceof DataFolderInUse) || error.owner.purpose !== "serve") throw error;
    }
  }
}

/** A database that was started for the command must not outlive it. */
export function closeOnSignal(close: () => Promise<void>): () => void {
  const signals = ["SIGINT", "SIGTERM"] as const;
  const handler = (signal: NodeJS.Signals): void => {
    void close().finally(() => process.exit(signal === "SIGINT" ? 130 : 143));
  };
  for (const signal of signals) process.once(signal, handler);
  return () => {
    for (const signal of signals) process.off(signal, handler);
  };
}
