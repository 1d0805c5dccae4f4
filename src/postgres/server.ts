// PostgreSQL's server as a child process: makes a data folder, starts, waits, stops, and ends one that outlived its
// parent. Knows nothing of what is stored.
import { spawnSync, type ChildProcess } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
} from "node:fs";
import { readFileSync, readlinkSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { PostgresBinaries } from "./binaries.ts";
import { start, type Launcher } from "./launcher.ts";
import { isRunning } from "./owner-lock.ts";

export const superuser = "hodhod";

const pollMs = 10;
/** A server told to stop writes all it holds in memory; then it is told again, more firmly. */
const fastStopMs = 60_000;
const firmStopMs = 10_000;
/** Sessions of a server that was killed end within moments; until then a new one refuses to start. */
const leftoverSessionsMs = 60_000;
const progressEveryMs = 5000;
const longestLogBytes = 10_000_000;

export type ServerSettings = Readonly<Record<string, string>>;

/** For a machine of two cores that also runs the gateway. Given on the command line, so that they hold for old folders too. */
const settings: ServerSettings = {
  listen_addresses: "",
  unix_socket_permissions: "0700",
  max_connections: "60",
  shared_buffers: "128MB",
  max_wal_size: "2GB",
  checkpoint_timeout: "15min",
  wal_compression: "on",
  // Nothing copies the log away: backup reads rows.
  wal_level: "minimal",
  max_wal_senders: "0",
  // The queue turns over many times a minute.
  autovacuum_naptime: "10s",
  autovacuum_vacuum_cost_limit: "1000",
  max_parallel_workers_per_gather: "0",
  random_page_cost: "1.1",
  timezone: "UTC",
  log_timezone: "UTC",
  log_min_messages: "warning",
  log_checkpoints: "off",
  // A failed statement's text and the row it failed on may hold message text.
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
};

export class PostgresFailed extends Error {
  constructor(what: string, output: string) {
    super(`${what}:\n${output.trim().split("\n").slice(-12).join("\n")}`);
    this.name = "PostgresFailed";
  }
}

/** What a data folder's postmaster.pid says. */
export interface ServerState {
  readonly pid: number;
  readonly socketFolder: string;
  readonly ready: boolean;
}

export function readServerState(folder: string): ServerState | undefined {
  try {
    const lines = readFileSync(path.join(folder, "postmaster.pid"), "utf8").split("\n");
    const pid = Number(lines[0]);
    if (!Number.isInteger(pid) || pid <= 0) return undefined;
    return { pid, socketFolder: lines[4] ?? "", ready: (lines[7] ?? "").trim() === "ready" };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Makes the folder of a new cluster. It appears whole or not at all. */
export async function createCluster(binaries: PostgresBinaries, folder: string): Promise<void> {
  const unfinished = `${folder}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  const { owner } = binaries.launcher;
  if (owner) chownSync(unfinished, owner.uid, owner.gid);
  const args = ["-D", unfinished, "-U", superuser, "--auth=trust", "--encoding=UTF8", "--locale=C", "--data-checksums"];
  const child = start(binaries.launcher, path.join(binaries.folder, "initdb"), [...args, "--no-instructions"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new PostgresFailed("the database's files cannot be made", output);
  renameSync(unfinished, folder);
}

/** Gives all files of the cluster to the user that the server will run as, where they are another's. */
export function giveTo(launcher: Launcher, folder: string): void {
  const { owner } = launcher;
  if (!owner || statSync(folder).uid === owner.uid) return;
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = path.join(folder, name);
    if (lstatSync(file).uid !== owner.uid) lchownSync(file, owner.uid, owner.gid);
  }
  // Last: an interrupted pass is made again.
  chownSync(folder, owner.uid, owner.gid);
}

export interface RunningServer {
  readonly child: ChildProcess;
  readonly pid: number;
}

/** Starts the server and waits until it takes connections, however long its recovery takes. */
export async function startServer(
  binaries: PostgresBinaries,
  place: { folder: string; socketFolder: string; logFile: string },
  extra: ServerSettings,
  progress: (line: string) => void,
): Promise<RunningServer> {
  const giveUpAt = Date.now() + leftoverSessionsMs;
  for (;;) {
    const attempt = await tryStart(binaries, place, extra, progress);
    if (typeof attempt !== "string") return attempt;
    if (!/pre-existing shared memory block/.test(attempt) || Date.now() > giveUpAt) {
      throw new PostgresFailed(`the database does not start (see ${place.logFile})`, attempt);
    }
    await delay(100);
  }
}

/** Answers what the server wrote where it ended instead of starting. */
async function tryStart(
  binaries: PostgresBinaries,
  place: { folder: string; socketFolder: string; logFile: string },
  extra: ServerSettings,
  progress: (line: string) => void,
): Promise<RunningServer | string> {
  const all = { ...settings, unix_socket_directories: place.socketFolder, ...extra };
  const flags = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  clearRemains(place);
  turnLog(place.logFile);
  const log = openSync(place.logFile, "a", 0o600);
  const logFrom = statSync(place.logFile).size;
  // A session of its own: Ctrl-C at the terminal reaches us, and we stop it in our order.
  const child = start(binaries.launcher, path.join(binaries.folder, "postgres"), ["-D", place.folder, ...flags], {
    stdio: ["ignore", log, log],
    detached: true,
  });
  closeSync(log);
  let failed: string | undefined;
  child.once("error", (error) => (failed = error.message));
  const begun = Date.now();
  let nextLine = begun + 2000;
  for (;;) {
    if (failed !== undefined) return failed;
    if (child.exitCode !== null || child.signalCode !== null)
      return readFileSync(place.logFile).subarray(logFrom).toString();
    const state = readServerState(place.folder);
    if (child.pid !== undefined && state?.ready && state.pid === child.pid) return { child, pid: child.pid };
    if (Date.now() > nextLine) {
      progress(`the database is recovering (${Math.round((Date.now() - begun) / 1000)} s)`);
      nextLine += progressEveryMs;
    }
    await delay(pollMs);
  }
}

/** Ends a running server: in order, and where it does not obey in time, more firmly. Nothing committed is ever lost. */
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

/** Sends a signal; false where the process is gone. */
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
  if (path.basename(state.socketFolder).startsWith(temporaryPrefix)) {
    rmSync(state.socketFolder, { recursive: true, force: true });
  }
}

/** No system gives it to a process. */
const impossiblePid = 2_147_483_647;

/**
 * No server runs here. A pid that another process has now, or that a dead server keeps because nobody fetched it, would
 * make PostgreSQL refuse, though. In postmaster.pid only the pid is replaced: by the rest of the file PostgreSQL sees
 * whether sessions of the dead server still live.
 */
function clearRemains(place: { folder: string; socketFolder: string }): void {
  for (const name of readdirSync(place.socketFolder)) rmSync(path.join(place.socketFolder, name), { force: true });
  const file = path.join(place.folder, "postmaster.pid");
  if (!existsSync(file)) return;
  writeFileSync(file, readFileSync(file, "utf8").replace(/^\d+/, String(impossiblePid)));
}

function isServerOf(pid: number, folder: string): boolean {
  if (!existsSync("/proc/self/cwd")) {
    const ps = spawnSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" });
    return ps.stdout.includes("postgres") && ps.stdout.includes(folder);
  }
  try {
    // A server's working directory is its data folder.
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(folder);
  } catch {
    return false;
  }
}

/** Prefix of socket folders outside the data folder. */
export const temporaryPrefix = "hodhod-socket-";

/** A private folder for the socket. */
export function prepareSocketFolder(folder: string, launcher: Launcher): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  if (launcher.owner) chownSync(folder, launcher.owner.uid, launcher.owner.gid);
}

function turnLog(file: string): void {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > longestLogBytes) renameSync(file, `${file}.1`);
}
