// The parent of several workers: prepares the database, starts the workers, keeps the port and the
// embedded database for them, and sums their metrics. It holds no message.
import cluster from "node:cluster";
import path from "node:path";
import { CommandFailed } from "../platform/command-failed.ts";
import type { Config } from "../platform/config.ts";
import { expectFreeAddress, openServiceDatabase } from "./gateway-process.ts";
import { createLogger, LogOutput, logTelemetry, standardOutput } from "../platform/logger.ts";
import { createParentMetrics } from "../platform/metrics.ts";
import { prepareDatabase } from "./prepare-database.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../postgres/embedded-postgres.ts";
import { usualConnections } from "../postgres/server.ts";
import type { Database } from "../store/database.ts";
import { Telemetry } from "../platform/telemetry.ts";
import { connectionsOfServer, connectionsOfWorkers, Workers } from "./workers.ts";
import { connectionLimit } from "../store/transaction-settings.ts";

export interface ParentOptions {
  /** With more than one worker. */
  readonly config: Config;
  readonly progress: (line: string) => void;
  /** Ends the start, which then throws. */
  readonly abort: AbortSignal;
}

export interface Parent {
  readonly gateway: { readonly address: string };
  readonly db: Database;
  /** Idempotent: the workers finish, then the database is closed. */
  stop(): Promise<void>;
}

export async function startParent({ config, progress, abort }: ParentOptions): Promise<Parent> {
  await expectFreeAddress(config);
  const telemetry = new Telemetry();
  logTelemetry(createLogger(config, new LogOutput(standardOutput, telemetry)), telemetry);
  const metrics = createParentMetrics(telemetry);
  const embedded = config.databaseUrl === undefined ? await startServer(config, telemetry, progress) : undefined;
  const databaseUrl = config.databaseUrl ?? embedded?.url ?? "";
  const db = openServiceDatabase({ ...config, databasePoolSize: 1 }, databaseUrl, telemetry);
  let workers: Workers | undefined;
  const stop = async (): Promise<void> => {
    await workers?.stop();
    await db.close();
    await embedded?.stop();
  };
  try {
    await prepareDatabase({ config, db, progress, abort });
    if (embedded === undefined) await expectConnections(config, db);
    // Each worker accepts for itself. A connection that the parent hands over hangs for ever if its
    // worker dies before it has it.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({ exec: workerProgram, args: [] });
    workers = new Workers({ task: { config, databaseUrl }, telemetry, metrics, progress });
    const address = await workers.start(abort);
    let stopping: Promise<void> | undefined;
    return { gateway: { address }, db, stop: () => (stopping ??= stop()) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Beside this file, in the sources as in what is built. */
const workerProgram = path.join(import.meta.dirname, `worker-main${path.extname(import.meta.filename)}`);

function startServer(
  config: Config,
  telemetry: Telemetry,
  progress: (line: string) => void,
): Promise<EmbeddedPostgres> {
  const settings = { max_connections: String(connectionsOfServer(config, usualConnections)) };
  return startEmbeddedPostgres({ dataDir: config.dataDir, telemetry, progress, settings });
}

async function expectConnections(config: Config, db: Database): Promise<void> {
  // Behind a pooler, connections of the server are none of the workers' business.
  if (db.isPooled) return;
  const [needed, limit] = [connectionsOfWorkers(config), await connectionLimit(db)];
  if (needed <= limit) return;
  throw new CommandFailed(
    `${config.workers} workers open up to ${needed} connections, and the database takes ${limit}`,
    { hint: "raise its max_connections, or choose fewer HODHOD_WORKERS or a smaller HODHOD_DATABASE_POOL_SIZE" },
  );
}
