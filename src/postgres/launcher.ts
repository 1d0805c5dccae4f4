// How to run PostgreSQL's programs. They refuse to run as root, so root runs them as a user with no
// rights beyond its own files. No capability is passed on: the working directory is entered before
// the ids change, so the program needs no access to the folders above it.
import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from "node:child_process";
import { existsSync, readFileSync, lstatSync, readdirSync, statSync, constants, rmdirSync } from "node:fs";
import { randomInt } from "node:crypto";
import path from "node:path";
import { readRegularFile } from "../platform/trusted-file.ts";

// The user for the embedded database when root starts it: an id that no user and no other process
// has. It is the owner of the database's files. Needs no entry in the user list, and creates none.

/**
 * Above the ids that systems assign to users in sequence, below those of nobody and of containers.
 */
const lowestId = 20_000;
const highestId = 59_999;

export interface UserId {
  readonly uid: number;
  readonly gid: number;
}

/**
 * By convention the user who owns nothing. Any program may run as it, so none of our files may
 * belong to it.
 */
const nobody = 65_534;

/** The owner of the database or of the data folder, if that is an ordinary user; else a new id. */
export function databaseUser(dataDir: string, folder: string): UserId {
  const owner = ownerOf(folder) ?? ownerOf(dataDir);
  if (owner !== undefined && owner.uid !== 0 && owner.uid !== nobody) return owner;
  const id = freeId();
  return { uid: id, gid: id };
}

export function ownerOf(folder: string): UserId | undefined {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  return stat && { uid: stat.uid, gid: stat.gid };
}

/** Random, so that two gateways that start together do not choose the same id. */
function freeId(): number {
  const used = idsOfProcesses();
  for (let round = 0; round < 100; round += 1) {
    const id = randomInt(lowestId, highestId + 1);
    if (!used.has(id) && !isTaken(id)) return id;
  }
  throw new Error(`no user id from ${lowestId} to ${highestId} is free for the embedded database`);
}

/** Whether the user list, including directories such as LDAP, has an entry for the id. */
function isListedUser(uid: number): boolean {
  return isListedIn("passwd", uid) || localUsers().some((user) => user.uid === uid);
}

/** Whether a user or a group with this id exists. */
function isTaken(id: number): boolean {
  return isListedUser(id) || isListedIn("group", id);
}

function isListedIn(database: "passwd" | "group", id: number): boolean {
  // Some images lack getent; then /etc/passwd is used.
  return spawnSync("getent", [database, String(id)], { stdio: "ignore" }).status === 0;
}

/** The unprivileged users of /etc/passwd. */
export function localUsers(): readonly UserId[] {
  let text: string;
  try {
    text = readFileSync("/etc/passwd", "utf8");
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    const [, , uid, gid] = line.split(":");
    const user = { uid: Number(uid), gid: Number(gid) };
    return Number.isInteger(user.uid) && user.uid > 0 && Number.isInteger(user.gid) ? [user] : [];
  });
}

/** The ids of all running processes. */
export function idsOfProcesses(): ReadonlySet<number> {
  return new Set(
    readdirSync("/proc").flatMap((name) => {
      if (!/^\d+$/.test(name)) return [];
      const stat = statSync(`/proc/${name}`, { throwIfNoEntry: false });
      return stat === undefined ? [] : [stat.uid];
    }),
  );
}

export interface Launcher {
  /** For messages: "as user 31234". */
  readonly name: string;
  /** Who must own the data; undefined: the current user. */
  readonly owner?: UserId;
  readonly options: { readonly uid?: number; readonly gid?: number };
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

export const ourselves: Launcher = { name: "as ourselves", options: {} };

/**
 * The launcher for this machine and data folder. `folder`: the database's, inside the data folder.
 */
export function chooseLauncher(dataDir: string, folder: string): Launcher {
  if (process.getuid?.() !== 0) return ourselves;
  if (process.platform !== "linux") {
    throw new Error("PostgreSQL does not run as root: start Hodhod as an ordinary user, or set DATABASE_URL");
  }
  if (mayActAsOthers()) return asUser(databaseUser(dataDir, folder));
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

export function asUser({ uid, gid }: UserId): Launcher {
  return { name: `as user ${uid}`, owner: { uid, gid }, options: { uid, gid } };
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
  const result = spawnSync(program, args, { ...launcher.options, env: environment, cwd, input, encoding: "utf8" });
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
  return spawn(program, args, { cwd: "/", ...options, ...launcher.options, env: environment });
}

// Access to the database's files for a process that may be root while they belong to another user.
// Files are read without following links, with their owner checked. A process of that user writes
// and removes them.

const longestFile = 1_048_576;

/**
 * A file of the database's folder; undefined if it is missing. Throws UnsafeFile if it is a link or
 * has another owner.
 */
export function readDatabaseFile(folder: string, name: string): string | undefined {
  const owners = possibleOwners(folder);
  return readRegularFile(path.join(folder, name), {
    mostBytes: longestFile,
    flags: constants.O_NOFOLLOW,
    refuse: ({ uid, nlink }) => {
      if (!owners.has(uid)) return "belongs neither to this user nor to the database's user";
      return nlink === 1 ? undefined : "has a second name (a hard link)";
    },
  })?.toString("utf8");
}

/** This user, and the database's. */
export function possibleOwners(folder: string): ReadonlySet<number> {
  return new Set([process.getuid?.() ?? 0, ownerOf(folder)?.uid].filter((uid) => uid !== undefined));
}

/** Replaces a file of the database's folder atomically. */
export function writeDatabaseFile(launcher: Launcher, folder: string, name: string, text: string): void {
  shell(launcher, folder, 'rm -f "$1.new" && cat > "$1.new" && mv -f "$1.new" "$1"', [name], text);
}

/** Removes a folder and its owner's files in it, with the rights of that owner only. */
export function removeFolderOf(folder: string): void {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (!stat.isDirectory()) throw new Error(`${folder} is not a folder`);
  emptyAsOwner(folder, stat);
  rmdirSync(folder);
}

/** Removes the folder's content with the rights of its owner only. */
export function emptyAsOwner(folder: string, { uid, gid }: { readonly uid: number; readonly gid: number }): void {
  const launcher = process.getuid?.() === 0 && uid !== 0 ? asUser({ uid, gid }) : ourselves;
  shell(launcher, folder, "rm -rf -- ./* ./.[!.]* ./..?*", []);
}
