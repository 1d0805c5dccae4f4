// How PostgreSQL's programs are run. They refuse to run as root, so root runs them as a user without any right beyond its own
// files. No capability is lent: the working directory, entered before the ids change, leads past folders closed to that user.
import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { databaseUser } from "./database-user.ts";
import { isListed, localUsers, type UserId } from "./user-list.ts";

export interface Launcher {
  /** For messages: "as user 31234". */
  readonly name: string;
  /** Who must own the data; undefined: whoever we are. */
  readonly owner?: UserId;
  /** Program and arguments that run the command in this way. */
  readonly prefix: readonly string[];
  readonly options: { readonly uid?: number; readonly gid?: number };
  /** Whether the server sees our id as we see it, which `peer` needs. */
  readonly sharesIds: boolean;
}

/** PostgreSQL gets a clean environment: PGDATA and its like of the caller must not reach it. */
const environment = { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin", LC_ALL: "C", TZ: "UTC" };

/** The working directory's name for those who may not walk to it by its own name. */
const workingDirectory = "/proc/self/cwd";

/** How the programs are told a folder that they are started in. */
export function startedIn(folder: string): string {
  return existsSync(workingDirectory) ? workingDirectory : folder;
}

const ourselves: Launcher = { name: "as ourselves", prefix: [], options: {}, sharesIds: true };

/** The way for this machine and data folder. `folder`: the database's, in the data folder. */
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

/** Whether root has what it takes to give files away and to run, reach and stop programs of another user. Containers may lack it. */
function mayActAsOthers(): boolean {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0";
  return (BigInt(`0x${effective}`) & capabilitiesOfOthers) === capabilitiesOfOthers;
}

/**
 * The same user under another id, one of the user list. Root keeps its files by this, and with them what they allow: it is
 * for containers that leave root no other way.
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

/** A way with the same rights in which the program finds its own id in the user list; undefined where there is none. */
export function asListedUser(launcher: Launcher): Launcher | undefined {
  const uid = launcher.options.uid ?? process.getuid?.() ?? 0;
  return !launcher.sharesIds || isListed(uid) ? launcher : inUserNamespace(launcher);
}

/** Our name, by which the server knows us when we connect; undefined where it cannot know us. */
export function nameKnownToServer(launcher: Launcher): string | undefined {
  try {
    const { username } = userInfo();
    return launcher.sharesIds && /^[\w.@-]+$/.test(username) ? username : undefined;
  } catch {
    // No entry in the user list.
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

/** Runs a program to its end. */
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

/** Runs shell commands with the rights of the launcher, in a folder that they need not be able to walk to. Throws where they fail. */
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
