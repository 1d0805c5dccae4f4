// The embedded database: one PostgreSQL server for one gateway, with its files in the data folder,
// reachable only through a private Unix socket. Restarts the server if it dies, and never lets two
// gateways share a folder.
import { chmodSync, existsSync, lstatSync, mkdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { findBinaries, type PostgresBinaries } from "./binaries.ts";
import { administrator, createCluster, gatewayRole, prepareRoles, secureAccess } from "./cluster.ts";
import { ownerOf, chooseLauncher, type Launcher, readDatabaseFile } from "./launcher.ts";
import { DataFolderInUse, readOwner, takeOwnerLock, type LockPurpose } from "./owner-lock.ts";
import {
  clearRemains,
  endSurvivor,
  readServerState,
  signalTo,
  startServer,
  stopServer,
  type RunningServer,
  type ServerSettings,
  clearSocketFolder,
  makeSocketFolder,
  removeSocketFolder,
  type SocketFolder,
} from "./server.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { CommandFailed } from "../platform/command-failed.ts";

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly purpose?: LockPurpose;
  readonly telemetry?: Telemetry;
  /** Called before steps that take long. */
  readonly progress?: (line: string) => void;
  /** Additional settings: for many workers, and for tests. */
  readonly settings?: ServerSettings;
}

export interface EmbeddedPostgres {
  /** The address for Database.open. */
  readonly url: string;
  /** The address of the maintenance database as superuser, for tests. */
  readonly adminUrl: string;
  /** The process id of the current server. */
  readonly pid: number;
  /** Idempotent. Resolves when the server has ended and the folder is free. */
  stop(): Promise<void>;
}

/** How long a command waits for the database of a gateway, and when it says so. */
const waitForGatewayMs = 60_000;
const tellAfterMs = 2000;
/** How long a start waits for a command (apply, backup) that uses the folder briefly. */
const waitForCommandMs = 60_000;
const restartPausesMs = [0, 200, 500, 1000, 2000, 5000];

/** Starts the database of a data folder, and creates it first if there is none. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, progress = () => undefined } = options;
  makeDataFolder(dataDir);
  const free = await takeFolder(dataDir, options.purpose ?? "serve", progress);
  try {
    const folder = databaseFolder(dataDir);
    const launcher = chooseLauncher(dataDir, folder);
    refuseFolderOfOthers(folder, launcher);
    const binaries = findBinaries(launcher, dataDir, progress);
    refuseOtherMajor(folder, binaries);
    if (existsSync(folder)) await endSurvivor(folder, progress);
    else {
      progress("creating the database (first start)");
      await createCluster(binaries, folder, { isDurable: options.settings?.["fsync"] !== "off" });
    }
    clearRemains(launcher, folder);
    secureAccess(launcher, folder);
    const socket = makeSocketFolder(launcher, folder);
    const supervisor = new Supervisor({ options, binaries, folder, socket, free });
    await supervisor.start();
    return supervisor;
  } catch (error) {
    free();
    throw error;
  }
}

/**
 * A folder of root lets other users pass through it, so that the database's user can reach its
 * files; any other folder is closed to them. An existing folder keeps its mode.
 */
export function makeDataFolder(dataDir: string): void {
  if (mkdirSync(dataDir, { recursive: true }) === undefined) return;
  chmodSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
}

function databaseFolder(dataDir: string): string {
  const folder = path.join(dataDir, "postgres");
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw new Error(`${folder} is a symbolic link, which is not followed: name the data folder in HODHOD_DATA_DIR`);
  return folder;
}

/**
 * The database of a gateway that runs on this folder; undefined if none does. Waits for one that is
 * starting, or that its gateway starts again: says so, and gives up after a minute.
 */
export async function findRunningPostgres(
  dataDir: string,
  progress: (line: string) => void = () => undefined,
  timeoutMs = waitForGatewayMs,
): Promise<{ readonly url: string } | undefined> {
  const begun = performance.now();
  for (let isReported = false; ;) {
    const owner = readOwner(dataDir);
    if (owner?.purpose !== "serve") return undefined;
    const folder = databaseFolder(dataDir);
    const state = existsSync(folder) ? readServerState(folder) : undefined;
    if (state?.ready) return { url: socketUrl(state.socketFolder) };
    const waitedMs = performance.now() - begun;
    const what = `the database of the gateway (process ${owner.pid})`;
    const log = path.join(dataDir, "postgres.log");
    if (waitedMs > timeoutMs) throw new CommandFailed(`${what} is not ready; ${log} says why`);
    if (!isReported && waitedMs > tellAfterMs) {
      isReported = true;
      progress(`waiting for ${what} to start (its log: ${log})`);
    }
    await delay(50);
  }
}

async function takeFolder(
  dataDir: string,
  purpose: LockPurpose,
  progress: (line: string) => void,
): Promise<() => void> {
  const until = Date.now() + waitForCommandMs;
  let isReported = false;
  for (;;) {
    try {
      return takeOwnerLock(dataDir, purpose);
    } catch (error) {
      const wait = error instanceof DataFolderInUse && error.owner.purpose === "command" && Date.now() < until;
      if (!wait) throw error;
      if (!isReported) progress(`waiting for process ${error.owner.pid}, which is using the data folder`);
      isReported = true;
      await delay(100);
    }
  }
}

function refuseFolderOfOthers(folder: string, { owner }: Launcher): void {
  const uid = ownerOf(folder)?.uid;
  if (uid === undefined || uid === (owner?.uid ?? process.getuid?.())) return;
  throw new Error(
    owner === undefined
      ? `the database in ${folder} belongs to user ${uid}: start Hodhod as that user, or as root as before`
      : `the database in ${folder} belongs to user ${uid}, not to its own: chown -R ${owner.uid}:${owner.gid} ${folder}`,
  );
}

/** Its files cannot be read by this version. */
function refuseOtherMajor(folder: string, binaries: PostgresBinaries): void {
  const found = readDatabaseFile(folder, "PG_VERSION")?.trim();
  if (found !== undefined && found !== String(binaries.major))
    throw new CommandFailed(
      `the database in ${folder} was created by PostgreSQL ${found}, and this version of Hodhod runs PostgreSQL ${binaries.major}. ` +
        "Nothing was changed. To upgrade: run `hodhod backup FILE` with the version of Hodhod that created it, move the data " +
        "folder away, then run `hodhod restore FILE` with this version",
    );
}

function socketUrl(socketFolder: string, role = gatewayRole, database = gatewayRole): string {
  return `postgresql://${role}@localhost/${database}?host=${encodeURIComponent(socketFolder)}`;
}

interface SupervisorParts {
  readonly options: EmbeddedPostgresOptions;
  readonly binaries: PostgresBinaries;
  readonly folder: string;
  readonly socket: SocketFolder;
  readonly free: () => void;
}

class Supervisor implements EmbeddedPostgres {
  readonly #parts: SupervisorParts;
  readonly #stopped = new AbortController();
  #server: RunningServer | undefined;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
    parts.options.telemetry?.emit("service.watched", { service: "embedded-postgres" });
  }

  get url(): string {
    return socketUrl(this.#parts.socket.path);
  }

  get adminUrl(): string {
    return socketUrl(this.#parts.socket.path, administrator, "postgres");
  }

  get pid(): number {
    return this.#server?.pid ?? 0;
  }

  async start(): Promise<void> {
    process.once("exit", this.#endWithUs);
    try {
      await this.#startServer(false);
      await prepareRoles(this.adminUrl);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#stopped.abort();
    await this.#starting?.catch(() => undefined);
    const server = this.#server;
    if (server) await stopServer(server.pid);
    process.removeListener("exit", this.#endWithUs);
    // If somebody removed the folder and started anew in its place, the socket there is not ours.
    if (readOwner(this.#parts.options.dataDir)?.pid === process.pid) removeSocketFolder(this.#parts.socket);
    this.#parts.free();
  }

  /** The last resort if the process ends without stop(): tells the server to end. */
  readonly #endWithUs = (): void => {
    if (this.#server) signalTo(this.#server.pid, "SIGINT");
    this.#parts.free();
  };

  async #startServer(restarted: boolean): Promise<void> {
    const begun = performance.now();
    const { binaries, folder, socket, options } = this.#parts;
    const { dataDir, progress = () => undefined, settings = {}, telemetry } = options;
    clearSocketFolder(socket);
    const place = { folder, socket, logFile: path.join(dataDir, "postgres.log") };
    const server = await startServer(binaries, place, settings, progress);
    this.#server = server;
    server.child.once("exit", (code, signal) => {
      this.#server = undefined;
      if (this.#stopped.signal.aborted) return;
      telemetry?.emit("postgres.exited", { code, signal });
      this.#starting = this.#restart();
    });
    telemetry?.emit("postgres.started", { pid: server.pid, durationMs: performance.now() - begun, restarted });
  }

  /**
   * Retries until it succeeds or is stopped, because a gateway cannot work without its database.
   */
  async #restart(): Promise<void> {
    const stopped = () => this.#stopped.signal.aborted;
    for (let attempt = 0; !stopped(); attempt += 1) {
      await delay(restartPausesMs[Math.min(attempt, restartPausesMs.length - 1)] ?? 0);
      if (stopped()) return;
      try {
        await this.#startServer(true);
        return;
      } catch (error) {
        this.#parts.options.telemetry?.emit("service.failed", { service: "embedded-postgres", error });
      }
    }
  }
}
