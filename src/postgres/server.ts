// PostgreSQL's server as a child process: starts it, waits, stops it, and ends one that outlived
// its parent. Knows nothing about the stored data.
import { spawnSync, type ChildProcess } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  statSync,
  lchownSync,
  lstatSync,
  mkdtempSync,
} from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openRegularFile, UnsafeFile } from "../platform/trusted-file.ts";
import type { PostgresBinaries } from "./binaries.ts";
import {
  start,
  startedIn,
  type Launcher,
  shell,
  possibleOwners,
  readDatabaseFile,
  writeDatabaseFile,
  emptyAsOwner,
  removeFolderOf,
} from "./launcher.ts";
import { isRunning } from "./owner-lock.ts";
import { tmpdir } from "node:os";
import { CommandFailed } from "../platform/command-failed.ts";

// The private folder of the server's Unix socket: in the database's folder, or in the folder for
// temporary files if that path is too long for a socket.

export interface SocketFolder {
  /** Absolute path, for clients. */
  readonly path: string;
  /** The path for the server, whose working directory is the database's folder. */
  readonly forServer: string;
}

const folderName = "socket";
const socketName = "/.s.PGSQL.5432";
/** sun_path of unix(7) holds 108 bytes with the final zero on Linux, and 104 elsewhere. */
const longestSocketPath = process.platform === "linux" ? 107 : 103;
/** Prefix of socket folders outside the data folder. */
const temporaryPrefix = "hodhod-socket-";

/** Creates it again. `folder`: the existing folder of the database. */
export function makeSocketFolder(launcher: Launcher, folder: string): SocketFolder {
  const place = path.join(folder, folderName);
  // Relative to the server's working directory, where it has one.
  const forServer = startedIn(folder) === folder ? place : folderName;
  if (!fits(place) || !isPlain(forServer)) return makeTemporary(launcher);
  shell(launcher, folder, 'rm -rf "$1" && mkdir "$1"', [folderName]);
  return { path: place, forServer };
}

function makeTemporary(launcher: Launcher): SocketFolder {
  const parent =
    [tmpdir()].find((each) => fits(path.join(each, `${temporaryPrefix}123456`)) && isPlain(each)) ?? "/tmp";
  const temporary = mkdtempSync(path.join(parent, temporaryPrefix));
  if (launcher.owner) lchownSync(temporary, launcher.owner.uid, launcher.owner.gid);
  return { path: temporary, forServer: temporary };
}

export function removeSocketFolder(socket: SocketFolder): void {
  removeFolderOf(socket.path);
}

/** Removes the files that a dead server left in the folder. */
export function clearSocketFolder(socket: SocketFolder): void {
  emptyAsOwner(socket.path, lstatSync(socket.path));
}

/**
 * Removes the folder that a killed gateway left behind. Its path comes from a file of the
 * database's user.
 */
export function removeTemporarySocketFolder(folder: string, owners: ReadonlySet<number>): void {
  const expected =
    [tmpdir(), "/tmp"].includes(path.dirname(folder)) && path.basename(folder).startsWith(temporaryPrefix);
  const stat = expected ? lstatSync(folder, { throwIfNoEntry: false }) : undefined;
  if (stat?.isDirectory() === true && owners.has(stat.uid)) removeFolderOf(folder);
}

function fits(folder: string): boolean {
  return Buffer.byteLength(folder + socketName) <= longestSocketPath;
}

/** A comma would end the path in PostgreSQL's list of folders. */
function isPlain(folder: string): boolean {
  return /^[\w./+@:-]+$/.test(folder);
}

const pidFile = "postmaster.pid";
const pollMs = 10;
/**
 * A server that shuts down writes out its memory first. After this time it gets a stronger signal.
 */
const fastStopMs = 60_000;
const firmStopMs = 10_000;
/** The sessions of a killed server end soon; until then a new one refuses to start. */
const leftoverSessionsMs = 60_000;
const progressEveryMs = 5000;
const longestLogBytes = 10_000_000;

export type ServerSettings = Readonly<Record<string, string>>;

/** More than one process and its commands need. */
export const usualConnections = 60;

/**
 * For a machine with two cores that also runs the gateway. Passed on the command line, so they
 * apply to existing folders too.
 */
const settings: ServerSettings = {
  listen_addresses: "",
  unix_socket_permissions: "0700",
  max_connections: String(usualConnections),
  shared_buffers: "128MB",
  max_wal_size: "2GB",
  checkpoint_timeout: "15min",
  wal_compression: "on",
  // Nothing archives the log: backup reads rows.
  wal_level: "minimal",
  max_wal_senders: "0",
  // The rows of the queue are replaced many times a minute.
  autovacuum_naptime: "10s",
  autovacuum_vacuum_cost_limit: "1000",
  max_parallel_workers_per_gather: "0",
  random_page_cost: "1.1",
  timezone: "UTC",
  log_timezone: "UTC",
  log_min_messages: "warning",
  log_checkpoints: "off",
  // The text of a failed statement and its row may contain message texts.
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
};

/** With the last lines that it wrote. */
export function postgresFailed(what: string, output: string): CommandFailed {
  return new CommandFailed(`${what}:\n${output.trim().split("\n").slice(-12).join("\n")}`);
}

/** The content of postmaster.pid in a data folder. */
export interface ServerState {
  readonly pid: number;
  readonly socketFolder: string;
  readonly ready: boolean;
}

export function readServerState(folder: string): ServerState | undefined {
  const lines = readDatabaseFile(folder, pidFile)?.split("\n");
  const pid = Number(lines?.[0]);
  if (lines === undefined || !Number.isInteger(pid) || pid <= 0) return undefined;
  // Relative to the server's working directory.
  const socketFolder = path.resolve(folder, lines[4] ?? "");
  return { pid, socketFolder, ready: (lines[7] ?? "").trim() === "ready" };
}

export interface RunningServer {
  readonly child: ChildProcess;
  readonly pid: number;
}

export interface ServerPlace {
  readonly folder: string;
  readonly socket: SocketFolder;
  readonly logFile: string;
}

/** Starts the server and waits until it accepts connections, however long recovery takes. */
export async function startServer(
  binaries: PostgresBinaries,
  place: ServerPlace,
  extra: ServerSettings,
  progress: (line: string) => void,
): Promise<RunningServer> {
  const giveUpAt = Date.now() + leftoverSessionsMs;
  for (;;) {
    const attempt = await tryStart(binaries, place, extra, progress);
    if (typeof attempt !== "string") return attempt;
    if (!/pre-existing shared memory block/.test(attempt) || Date.now() > giveUpAt) {
      throw postgresFailed(`the database does not start (see ${place.logFile})`, attempt);
    }
    await delay(100);
  }
}

/** Returns the server's output if it ended instead of starting. */
async function tryStart(
  binaries: PostgresBinaries,
  place: ServerPlace,
  extra: ServerSettings,
  progress: (line: string) => void,
): Promise<RunningServer | string> {
  const all = { ...settings, unix_socket_directories: place.socket.forServer, ...extra };
  const flags = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  clearRemains(binaries.launcher, place.folder);
  const log = openLog(place);
  try {
    const { size: logFrom } = fstatSync(log);
    // Its own session, so that Ctrl-C at the terminal reaches only us, and we stop the server in
    // order.
    const child = start(
      binaries.launcher,
      path.join(binaries.folder, "postgres"),
      ["-D", startedIn(place.folder), ...flags],
      { cwd: place.folder, stdio: ["ignore", log, log], detached: true },
    );
    // A signal may end us before anybody else knows of the server.
    const endWithUs = (): void => void child.kill("SIGINT");
    process.once("exit", endWithUs);
    const ready = await untilReady(child, place.folder, progress).finally(() => process.off("exit", endWithUs));
    return ready ?? readFrom(log, logFrom);
  } finally {
    closeSync(log);
  }
}

/** Undefined if the server ended instead. */
async function untilReady(
  child: ChildProcess,
  folder: string,
  progress: (line: string) => void,
): Promise<RunningServer | undefined> {
  let failed: Error | undefined;
  child.once("error", (error) => (failed = error));
  const begun = Date.now();
  let nextLine = begun + 2000;
  for (;;) {
    if (failed) throw failed;
    if (child.exitCode !== null || child.signalCode !== null) return undefined;
    const state = stateOrEnd(child, folder);
    if (child.pid !== undefined && state?.ready && state.pid === child.pid) return { child, pid: child.pid };
    if (Date.now() > nextLine) {
      progress(`the database is recovering (${Math.round((Date.now() - begun) / 1000)} s)`);
      nextLine += progressEveryMs;
    }
    await delay(pollMs);
  }
}

function stateOrEnd(child: ChildProcess, folder: string): ServerState | undefined {
  try {
    return readServerState(folder);
  } catch (error) {
    child.kill("SIGQUIT");
    throw error;
  }
}

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = constants;

/** The server can write it and we can read it. A long log is moved aside first. */
function openLog({ logFile, folder }: ServerPlace): number {
  const owners = possibleOwners(folder);
  const open = (): number => {
    const fd = openRegularFile(logFile, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, ({ uid, nlink }) => {
      if (!owners.has(uid)) return "belongs neither to this user nor to the database's user";
      return nlink === 1 ? undefined : "has a second name (a hard link)";
    });
    if (fd === undefined) throw new UnsafeFile(logFile, undefined, "cannot be made");
    return fd;
  };
  const fd = open();
  if (fstatSync(fd).size <= longestLogBytes) {
    fchmodSync(fd, 0o600);
    return fd;
  }
  closeSync(fd);
  renameSync(logFile, `${logFile}.1`);
  return open();
}

function readFrom(fd: number, position: number): string {
  const length = Math.min(fstatSync(fd).size - position, longestLogBytes);
  const octets = Buffer.alloc(length);
  return octets.subarray(0, readSync(fd, octets, 0, length, position)).toString();
}

/**
 * Stops a running server: first in order and then, if it takes too long, by stronger signals.
 * Committed data is never lost.
 */
export async function stopServer(pid: number): Promise<void> {
  const steps: readonly [NodeJS.Signals, number][] = [
    ["SIGINT", fastStopMs],
    ["SIGQUIT", firmStopMs],
    ["SIGKILL", firmStopMs],
  ];
  for (const [signal, waitMs] of steps) {
    if (!signalTo(pid, signal)) return;
    const until = Date.now() + waitMs;
    while (Date.now() < until) {
      if (!isRunning(pid)) return;
      await delay(pollMs);
    }
  }
}

/** Sends a signal. False if the process does not exist. */
export function signalTo(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
    throw error;
  }
}

/** Stops a server that outlived its gateway. */
export async function endSurvivor(folder: string, progress: (line: string) => void): Promise<void> {
  const state = readServerState(folder);
  if (!state) return;
  if (isRunning(state.pid) && isServerOf(state.pid, folder)) {
    progress("stopping the database that an earlier gateway left running");
    await stopServer(state.pid);
  }
  removeTemporarySocketFolder(state.socketFolder, possibleOwners(folder));
}

/** A pid that no system assigns. */
const impossiblePid = 2_147_483_647;

/**
 * Called when no server runs here. PostgreSQL refuses to start if another process has the old pid,
 * or if the dead server is a zombie. So the pid in postmaster.pid is replaced; from the rest of the
 * file PostgreSQL sees whether sessions of the dead server are still alive.
 */
export function clearRemains(launcher: Launcher, folder: string): void {
  const text = readDatabaseFile(folder, pidFile);
  if (text === undefined) return;
  writeDatabaseFile(launcher, folder, pidFile, text.replace(/^\d+/, String(impossiblePid)));
}

/**
 * The pid comes from a file of the database's user, so only a process of that user is ever
 * signalled.
 */
function isServerOf(pid: number, folder: string): boolean {
  if (!existsSync("/proc/self/cwd")) {
    const ps = spawnSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" });
    return ps.stdout.includes("postgres") && ps.stdout.includes(folder);
  }
  try {
    if (!possibleOwners(folder).has(statSync(`/proc/${pid}`).uid)) return false;
    // A server's working directory is its data folder.
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(folder);
  } catch {
    return false;
  }
}
