// The share of one worker in the settings that hold for the whole gateway. Pure.
import type { Config } from "../platform/config.ts";

/**
 * Connections of a worker besides its pool: for notifications, the lease, the console, and
 * sometimes maintenance.
 */
const connectionsBesidePool = 5;
/** For the parent, for commands, and a few to spare. */
const connectionsBesideWorkers = 20;

export function configOfWorker(config: Config): Config {
  const { workers, databasePoolSize, acceptQueueLimit } = config;
  return Object.freeze({
    ...config,
    databasePoolSize: Math.floor(databasePoolSize / workers),
    acceptQueueLimit: Math.ceil(acceptQueueLimit / workers),
  });
}

/** Connections that all workers together may open. */
export function connectionsOfWorkers({ workers, databasePoolSize }: Config): number {
  return databasePoolSize + workers * connectionsBesidePool;
}

/** For the embedded server. It never has fewer than for one process. */
export function connectionsOfServer(config: Config, usual: number): number {
  return Math.max(usual, connectionsOfWorkers(config) + connectionsBesideWorkers);
}
