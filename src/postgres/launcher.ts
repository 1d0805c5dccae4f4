// How to run PostgreSQL's programs. They refuse to run as root, so root runs them as a user with no
// rights beyond its own files. No capability is passed on: the working directory is entered before
// the ids change, so the program needs no access to the folders above it.
import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { databaseUser } from "./database-user.ts";
import { isListedUser, localUsers, type UserId } from "./user-list.ts";

export interface Launcher {
  /** For messages: "as user 31234". */
  readonly name: string;
  /** Who must own the data; undefined: the current user. */
  readonly owner?: UserId;
  /** The program and arguments that run a command this way. */
  readonly prefix: readonly string[];
  readonly options: { readonly uid?: number; readonly gid?: number };
  /** Whether the server sees our user id unchanged, which `peer` requires. */
  readonly sharesIds: boolean;
}

/**
 * PostgreSQL gets a clean environment: the caller's PGDATA and similar variables must not reach it.
 */
const environment = { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin", LC_ALL: "C", TZ: "UTC" };

/** A path for processes that cannot reach the working directory by its own name. */
const workingDirectory = "/proc/self/cwd";

/** The path of the folder for programs that are started in it. */
export function startedIn(folder: string): string {
  return existsSync(workingDirectory) ? workingDirectory : folder;
}

const ourselves: Launcher = { name: "as ourselves", prefix: [], options: {}, sharesIds: true };

/**
 * The launcher for this machine and data folder. `folder`: the database's, inside the data folder.
 */
export function chooseLauncher(dataDir: string, folder: string): Launcher {
  if (process.getuid?.() !== 0) return ourselves;
  if (process.platform !== "linux") {
    throw new Error("PostgreSQL does not run as root: start Hodhod as an ordinary user, or set DATABASE_URL");
  }
  if (mayActAsOthers()) {
    const user = databaseUser(dataDir, folder);
    const asUser: Launcher = { name: `as user ${user.uid}`, owner: user, prefix: [], options: user, sharesIds: true };
    if (runs(asUser)) return asUser;
  }
  const hidden = inUserNamespace({ ...ourselves, owner: { uid: 0, gid: 0 } });
  if (hidden !== undefined) return hidden;
  throw new Error(
    "PostgreSQL does not run as root, and root may not act as another user here. Start Hodhod as an ordinary user, or set DATABASE_URL",
  );
}

/** Of capabilities(7): chown, dac_override, kill, setgid, setuid. */
const capabilitiesOfOthers = (1n << 0n) | (1n << 1n) | (1n << 5n) | (1n << 6n) | (1n << 7n);

/**
 * Whether root can give files away, and run, reach and stop programs of another user. Some
 * containers do not allow it.
 */
function mayActAsOthers(): boolean {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0";
  return (BigInt(`0x${effective}`) & capabilitiesOfOthers) === capabilitiesOfOthers;
}

/**
 * The same user under another id from the user list. The files stay root's, and so do the rights
 * that come with them. This is for containers in which root has no other way.
 */
function inUserNamespace(launcher: Launcher): Launcher | undefined {
  const shown = localUsers()[0];
  if (shown === undefined) return undefined;
  const map = [`--map-user=${shown.uid}`, `--map-group=${shown.gid}`];
  const name = `${launcher.name} in a user namespace`;
  const prefix = [...launcher.prefix, "unshare", "--user", ...map, "--"];
  const wrapped: Launcher = { ...launcher, name, prefix, sharesIds: false };
  return runs(wrapped) ? wrapped : undefined;
}

/**
 * A launcher with the same rights under which the program finds its own id in the user list;
 * undefined if there is none.
 */
export function asListedUser(launcher: Launcher): Launcher | undefined {
  const uid = launcher.options.uid ?? process.getuid?.() ?? 0;
  return !launcher.sharesIds || isListedUser(uid) ? launcher : inUserNamespace(launcher);
}

/** The name by which the server identifies our connections; undefined if it cannot. */
export function nameKnownToServer(launcher: Launcher): string | undefined {
  try {
    const { username } = userInfo();
    return launcher.sharesIds && /^[\w.@-]+$/.test(username) ? username : undefined;
  } catch {
    // The id has no entry in the user list.
    return undefined;
  }
}

export function asUser({ uid, gid }: UserId): Launcher {
  return { name: `as user ${uid}`, owner: { uid, gid }, prefix: [], options: { uid, gid }, sharesIds: true };
}

function runs(launcher: Launcher): boolean {
  return runSync(launcher, "/bin/sh", ["-c", ":"]).status === 0;
}

export interface RunResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly input?: string;
}

/** Runs a program to completion. */
export function runSync(
  launcher: Launcher,
  program: string,
  args: readonly string[],
  { cwd = "/", input = "" }: RunOptions = {},
): RunResult {
  const [file = program, ...rest] = [...launcher.prefix, program, ...args];
  const result = spawnSync(file, rest, { ...launcher.options, env: environment, cwd, input, encoding: "utf8" });
  const stderr = result.error ? result.error.message : result.stderr;
  return { status: result.status, stdout: result.stdout || "", stderr: stderr || "" };
}

/**
 * Runs shell commands with the launcher's rights in a folder whose path they may be unable to walk.
 * Throws if they fail.
 */
export function shell(launcher: Launcher, folder: string, commands: string, args: readonly string[], input = ""): void {
  const script = `umask 077; ${commands}`;
  const { status, stderr } = runSync(launcher, "/bin/sh", ["-c", script, "sh", ...args], { cwd: folder, input });
  if (status !== 0) throw new Error(`in ${folder}, ${launcher.name}: ${stderr.trim()}`);
}

/** Starts a program and leaves it running. */
export function start(
  launcher: Launcher,
  program: string,
  args: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  const [file = program, ...rest] = [...launcher.prefix, program, ...args];
  return spawn(file, rest, { cwd: "/", ...options, ...launcher.options, env: environment });
}
