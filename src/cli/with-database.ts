// Runs a command's work on its database (open-database.ts) and always closes the database
// afterwards. The mode says what the command may do to the database before its work begins.
import { setTimeout as delay } from "node:timers/promises";
import { readConfig, type Config } from "../platform/config.ts";
import { DataFolderInUse, readOwner } from "../postgres/owner-lock.ts";
import { seedOperators } from "../setup/seed-operators.ts";
import type { Database } from "../store/database.ts";
import { expectSchema, SchemaTooOld } from "../store/migrate.ts";
import { CommandFailed } from "../platform/command-failed.ts";
import { note, type CommandContext } from "./command-context.ts";
import { hasDatabase, openDatabase, type OpenDatabase } from "./open-database.ts";

/** A large setup is written with few, long statements. */
const statementTimeoutMs = 300_000;
const poolSize = 2;
const lookForGatewayMs = 50;

/**
 * What happens to the database before the work:
 * - `read`: nothing. The database must exist and have the schema of this version.
 * - `write`: it is migrated and the country's operators are added. In a data folder it must exist.
 * - `create`: like `write`, and a missing database is created in the data folder.
 */
export type DatabaseMode = "read" | "write" | "create";

export interface DatabaseNeed {
  readonly mode: DatabaseMode;
  /** How long to wait for a gateway that is about to create the database of the data folder. */
  readonly waitForGatewayMs?: number;
}

export interface DatabaseSurroundings {
  readonly config: Config;
  /** The database was started for this command, so no gateway can be running. */
  readonly alone: boolean;
  /** The database is the embedded one of a gateway, which may still be starting. */
  readonly isServed: boolean;
}

export async function withDatabase<Result>(
  context: CommandContext,
  { mode, waitForGatewayMs = 0 }: DatabaseNeed,
  work: (db: Database, surroundings: DatabaseSurroundings) => Promise<Result>,
): Promise<Result> {
  const config = readConfig();
  if (config.databaseUrl === undefined) await lookForGateway(config.dataDir, waitForGatewayMs);
  const own = { ...config, databasePoolSize: poolSize, statementTimeoutMs };
  return closingAfter(
    () => open(context, own, mode),
    async ({ db, alone }) => {
      if (mode === "read") await expectReadable(db);
      else await seedOperators(db);
      return work(db, { config, alone, isServed: config.databaseUrl === undefined && !alone });
    },
  );
}

/**
 * Waits until the data folder has a database, or until a gateway that will create it holds the
 * folder.
 */
async function lookForGateway(dataDir: string, waitMs: number): Promise<void> {
  const until = performance.now() + waitMs;
  while (!hasDatabase(dataDir) && readOwner(dataDir)?.purpose !== "serve" && performance.now() < until) {
    await delay(lookForGatewayMs);
  }
}

async function expectReadable(db: Database): Promise<void> {
  try {
    await expectSchema(db);
  } catch (error) {
    if (!(error instanceof SchemaTooOld)) throw error;
    const hint =
      error.missing === undefined
        ? "check that DATABASE_URL is the gateway's; the gateway creates the tables when it starts, and so does hodhod migrate"
        : "run hodhod migrate, or start the gateway of this version, to update the schema";
    throw new CommandFailed(error.message, { hint });
  }
}

async function open(context: CommandContext, config: Config, mode: DatabaseMode): Promise<OpenDatabase> {
  for (;;) {
    try {
      const progress = (line: string): void => note(context, line);
      return await openDatabase(config, {
        create: mode === "create",
        migrate: mode !== "read",
        progress,
      });
    } catch (error) {
      // A gateway took the folder in the meantime. The command uses its database.
      if (!(error instanceof DataFolderInUse) || error.owner.purpose !== "serve") throw error;
    }
  }
}

/**
 * A database that was started for the command must not outlive it, also where a signal ends the
 * command, from the start of the server on.
 */
export async function closingAfter<Result>(
  open: () => Promise<OpenDatabase>,
  work: (opened: OpenDatabase) => Promise<Result>,
): Promise<Result> {
  let close = async (): Promise<void> => undefined;
  const forgetSignals = closeOnSignal(() => close());
  try {
    const opened = await open();
    close = opened.close;
    return await work(opened);
  } finally {
    forgetSignals();
    await close();
  }
}

function closeOnSignal(close: () => Promise<void>): () => void {
  const signals = ["SIGINT", "SIGTERM"] as const;
  const handler = (signal: NodeJS.Signals): void => {
    void close().finally(() => process.exit(signal === "SIGINT" ? 130 : 143));
  };
  for (const signal of signals) process.once(signal, handler);
  return () => {
    for (const signal of signals) process.off(signal, handler);
  };
}
