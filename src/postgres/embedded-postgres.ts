// The embedded database: one PostgreSQL server, run for one gateway, its files in the data folder, reached through a
// private unix socket only. Restarts the server when it dies, never lets two gateways share a folder.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { findBinaries, type PostgresBinaries } from "./binaries.ts";
import { possibleLaunchers, reaches } from "./launcher.ts";
import { DataFolderInUse, readOwner, takeOwnerLock, type LockPurpose } from "./owner-lock.ts";
import {
  createCluster,
  endSurvivor,
  giveTo,
  prepareSocketFolder,
  readServerState,
  signalTo,
  startServer,
  stopServer,
  superuser,
  temporaryPrefix,
  type RunningServer,
  type ServerSettings,
} from "./server.ts";
import type { Telemetry } from "../telemetry.ts";

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly purpose?: LockPurpose;
  readonly telemetry?: Telemetry;
  /** Told of steps that take long. */
  readonly progress?: (line: string) => void;
  /** Beyond our own; for tests. */
  readonly settings?: ServerSettings;
}

export interface EmbeddedPostgres {
  /** For Database.open. */
  readonly url: string;
  /** Of the server that runs now. */
  readonly pid: number;
  /** Idempotent; over when the server is gone and the folder free. */
  stop(): Promise<void>;
}

/** The folder was made by another major version of PostgreSQL, whose files this one cannot read. */
export class OtherMajorVersion extends Error {
  constructor(folder: string, found: string, ours: number) {
    super(
      `the database in ${folder} was made by PostgreSQL ${found}, and this version of Hodhod runs PostgreSQL ${ours}. ` +
        "Nothing was changed. To move: with the version of Hodhod that made it run `hodhod backup FILE`, move the data " +
        "folder away, then with this version run `hodhod restore FILE`",
    );
    this.name = "OtherMajorVersion";
  }
}

const databaseName = "hodhod";
const socketName = "/.s.PGSQL.5432";
/** sun_path of unix(7) holds 108 bytes with the closing zero on Linux, 104 elsewhere. */
const longestSocketPath = process.platform === "linux" ? 107 : 103;
/** How long a start waits for a command (apply, backup) that has the folder for moments. */
const waitForCommandMs = 60_000;
const restartPausesMs = [0, 200, 500, 1000, 2000, 5000];

/** Starts the database of a data folder, and makes it first where there is none. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, progress = () => undefined } = options;
  mkdirSync(dataDir, { recursive: true });
  const free = await takeFolder(dataDir, options.purpose ?? "serve", progress);
  try {
    const folder = path.join(dataDir, "postgres");
    const launchers = possibleLaunchers(folder).filter((launcher) => reaches(launcher, dataDir));
    if (launchers.length === 0) throw new Error(closedFolder(dataDir));
    const binaries = findBinaries(launchers, dataDir, progress);
    refuseForeignFolder(folder, binaries);
    await endSurvivor(folder, progress);
    if (!existsSync(folder)) {
      progress("making the database (first start)");
      await createCluster(binaries, folder);
    }
    giveTo(binaries.launcher, folder);
    const supervisor = new Supervisor(options, binaries, folder, free);
    await supervisor.start();
    return supervisor;
  } catch (error) {
    free();
    throw error;
  }
}

/** The database of a gateway that runs on this folder now; undefined where none does. Waits for one that is starting. */
export async function findRunningPostgres(dataDir: string): Promise<{ readonly url: string } | undefined> {
  for (;;) {
    if (readOwner(dataDir)?.purpose !== "serve") return undefined;
    const state = readServerState(path.join(dataDir, "postgres"));
    if (state?.ready) return { url: socketUrl(state.socketFolder) };
    await delay(50);
  }
}

async function takeFolder(
  dataDir: string,
  purpose: LockPurpose,
  progress: (line: string) => void,
): Promise<() => void> {
  const until = Date.now() + waitForCommandMs;
  let told = false;
  for (;;) {
    try {
      return takeOwnerLock(dataDir, purpose);
    } catch (error) {
      const wait = error instanceof DataFolderInUse && error.owner.purpose === "command" && Date.now() < until;
      if (!wait) throw error;
      if (!told) progress(`waiting for process ${error.owner.pid}, which has the data folder for a moment`);
      told = true;
      await delay(100);
    }
  }
}

/** Only where a container left root neither capability nor user namespaces. */
function closedFolder(dataDir: string): string {
  return (
    `PostgreSQL does not run as root, and an unprivileged user cannot be let into ${dataDir}. Choose a data folder ` +
    "outside of folders closed to others (HODHOD_DATA_DIR), start Hodhod as an ordinary user, or set DATABASE_URL"
  );
}

function refuseForeignFolder(folder: string, binaries: PostgresBinaries): void {
  const us = process.getuid?.() ?? 0;
  const uid = statSync(folder, { throwIfNoEntry: false })?.uid ?? us;
  if (us !== 0 && uid !== us) {
    throw new Error(
      `the database in ${folder} belongs to user ${uid}: start Hodhod as that user, or as root as before`,
    );
  }
  const file = path.join(folder, "PG_VERSION");
  if (!existsSync(file)) return;
  const found = readFileSync(file, "utf8").trim();
  if (found !== String(binaries.major)) throw new OtherMajorVersion(folder, found, binaries.major);
}

function socketUrl(socketFolder: string, database = databaseName): string {
  return `postgresql://${superuser}@localhost/${database}?host=${encodeURIComponent(socketFolder)}`;
}

/** Inside the data folder where the path is short and plain enough, else in the folder for temporary files. */
function chooseSocketFolder(dataDir: string): string {
  const inside = path.join(dataDir, "socket");
  const fits = (folder: string) => Buffer.byteLength(folder + socketName) <= longestSocketPath;
  // A comma would end the name in PostgreSQL's list of folders.
  if (fits(inside) && /^[\w./+@:-]+$/.test(inside)) return inside;
  const parent = fits(path.join(tmpdir(), `${temporaryPrefix}123456`)) ? tmpdir() : "/tmp";
  return mkdtempSync(path.join(parent, temporaryPrefix));
}

class Supervisor implements EmbeddedPostgres {
  readonly #options: EmbeddedPostgresOptions;
  readonly #binaries: PostgresBinaries;
  readonly #folder: string;
  readonly #free: () => void;
  readonly #socketFolder: string;
  readonly #stopped = new AbortController();
  #server: RunningServer | undefined;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: EmbeddedPostgresOptions, binaries: PostgresBinaries, folder: string, free: () => void) {
    this.#options = options;
    this.#binaries = binaries;
    this.#folder = folder;
    this.#free = free;
    this.#socketFolder = chooseSocketFolder(options.dataDir);
    prepareSocketFolder(this.#socketFolder, binaries.launcher);
  }

  get url(): string {
    return socketUrl(this.#socketFolder);
  }

  get pid(): number {
    return this.#server?.pid ?? 0;
  }

  async start(): Promise<void> {
    process.once("exit", this.#endWithUs);
    try {
      await this.#startServer(false);
      await createDatabase(socketUrl(this.#socketFolder, "postgres"));
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
    rmSync(this.#socketFolder, { recursive: true, force: true });
    this.#free();
  }

  /** The last resort of a process that ends without stop(): the server ends by itself soon after. */
  readonly #endWithUs = (): void => {
    if (this.#server) signalTo(this.#server.pid, "SIGINT");
    this.#free();
  };

  async #startServer(restarted: boolean): Promise<void> {
    const begun = performance.now();
    const { dataDir, progress = () => undefined, settings = {}, telemetry } = this.#options;
    const place = {
      folder: this.#folder,
      socketFolder: this.#socketFolder,
      logFile: path.join(dataDir, "postgres.log"),
    };
    const server = await startServer(this.#binaries, place, settings, progress);
    this.#server = server;
    server.child.once("exit", (code, signal) => {
      this.#server = undefined;
      if (this.#stopped.signal.aborted) return;
      telemetry?.emit("postgres.exited", { code, signal });
      this.#starting = this.#restart();
    });
    telemetry?.emit("postgres.started", { pid: server.pid, durationMs: performance.now() - begun, restarted });
  }

  /** Tries until it succeeds or is stopped: without its database a gateway is nothing. */
  async #restart(): Promise<void> {
    const stopped = () => this.#stopped.signal.aborted;
    for (let attempt = 0; !stopped(); attempt += 1) {
      await delay(restartPausesMs[Math.min(attempt, restartPausesMs.length - 1)] ?? 0);
      if (stopped()) return;
      try {
        await this.#startServer(true);
        return;
      } catch (error) {
        this.#options.telemetry?.emit("service.failed", { service: "embedded-postgres", error });
      }
    }
  }
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query("select from pg_database where datname = $1", [databaseName]);
    if (rowCount === 0) await client.query(`create database ${databaseName}`);
  } finally {
    await client.end();
  }
}
