// The database of a command: opened, made ready, and always closed afterwards.
import { setTimeout as delay } from "node:timers/promises";
import { readConfig, type Config } from "../platform/config.ts";
import { DataFolderInUse, readOwner } from "../postgres/owner-lock.ts";
import { seedOperators } from "../setup/save-setup.ts";
import { Database } from "../store/database.ts";
import { expectSchema, SchemaTooOld, migrate } from "../store/migrate.ts";
import { CommandFailed } from "../platform/command-failed.ts";
import type { CommandContext } from "./command.ts";
import { note } from "./output.ts";
import { existsSync } from "node:fs";
import path from "node:path";
import { findRunningPostgres, startEmbeddedPostgres } from "../postgres/embedded-postgres.ts";
import { codeOf } from "../store/database-errors.ts";
import { ensurePartitions, readDatabaseTime } from "../store/partitions.ts";
import { hostname, userInfo } from "node:os";
import type { Actor } from "../store/audit.ts";
import { findAccountByName } from "../store/ledger.ts";
import { awaitNodes, type NodesAtVersion } from "../setup/await-nodes.ts";

// Opens the database of a command: that of DATABASE_URL, or else the embedded one. A running
// gateway shares its embedded server with the command. If no gateway runs, the command starts the
// server, or waits for another command that has started it.

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

function hasDatabase(dataDir: string): boolean {
  return existsSync(path.join(dataDir, "postgres"));
}

function noDatabase(dataDir: string): CommandFailed {
  return new CommandFailed(`there is no database in the data folder ${dataDir}`, {
    hint:
      "set HODHOD_DATA_DIR to the gateway's data folder (of the demo: demo-data), or DATABASE_URL to its database; " +
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

/** Who runs a command, as the audit names them. */
export function commandActor(): Actor {
  return { who: `command:${userName()}@${hostname()}` };
}

/** A container may run under a user id that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "unknown");
  }
}

export async function findAccount(db: Database, name: string): Promise<{ readonly id: number }> {
  const account = await findAccountByName(db, name);
  if (account !== undefined) return account;
  throw new CommandFailed(`there is no account ${name}`, { hint: "hodhod accounts lists the accounts" });
}

/** Nodes follow a change within a second. Loading ten million numbers takes them some seconds. */
export const waitForNodesMs = { change: 5000, numbers: 30_000 } as const;

interface Change {
  /** If no gateway can be running, the list of nodes holds only entries left by a killed one. */
  readonly alone: boolean;
  /** Undefined: nothing was changed. */
  readonly version: bigint | undefined;
  readonly waitMs: number;
  readonly isServed?: boolean;
}

/** Waits until all nodes use the change, and warns of those that do not in time. */
export async function awaitChange(
  context: CommandContext,
  db: Database,
  { alone, version, ...wait }: Change,
): Promise<NodesAtVersion> {
  if (version === undefined || alone) return { following: [], behind: [] };
  const nodes = await awaitNodes(db, version, wait);
  for (const { id, host, pid } of nodes.behind)
    note(context, `warning: node ${id} (process ${pid} on ${host}) does not use the change yet`);
  return nodes;
}

/** For a change that no living node has to follow. A gateway uses `what` from its start on. */
export function noNodeUses(what: string, isServed: boolean): string {
  return isServed ? `The gateway is not ready yet; it will use ${what}.` : "No gateway is running.";
}
