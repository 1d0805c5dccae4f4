// Lets one process use a data folder. The lock is a file that names its owner. It is free when the
// owner dies, even by kill -9 and even if another process gets its pid.
import { spawnSync } from "node:child_process";
import { constants, linkSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readRegularFile } from "../platform/trusted-file.ts";
import { CommandFailed } from "../platform/command-failed.ts";

/** `serve` keeps the folder; a command (apply, backup) uses it briefly. */
export type LockPurpose = "serve" | "command";

export interface LockOwner {
  readonly pid: number;
  /** Distinguishes this process from all others that ever had its pid. */
  readonly identity: string;
  readonly purpose: LockPurpose;
}

export class DataFolderInUse extends CommandFailed {
  override readonly name = "DataFolderInUse";
  readonly owner: LockOwner;
  constructor(dataDir: string, owner: LockOwner) {
    super(
      `the data folder ${dataDir} is in use by process ${owner.pid}: only one gateway can use a data folder. ` +
        "Stop that process, or choose another folder (HODHOD_DATA_DIR) and port (HODHOD_PORT)",
    );
    this.owner = owner;
  }
}

/** The lock cannot be read or made, so nobody knows whether its owner lives. */
function lockOfOthers(lock: string): CommandFailed {
  const folder = path.dirname(lock);
  const of = lstatSync(folder).uid;
  return new CommandFailed(
    `this user may not use ${lock}: the folder belongs to user ${of}, or a gateway or command of another user works with ` +
      `it or was ended by force. Start Hodhod as the user who started that one. To start it as this user: stop what ` +
      `works with the folder, remove hodhod.lock if it is still there, and give the folder to this user if it is another's`,
  );
}

const fileName = "hodhod.lock";

/**
 * Takes the lock for this process and returns the function that releases it. Throws
 * DataFolderInUse.
 */
export function takeOwnerLock(dataDir: string, purpose: LockPurpose): () => void {
  const lock = path.join(dataDir, fileName);
  const mine = `${lock}.${process.pid}`;
  const owner: LockOwner = { pid: process.pid, identity: processIdentity(process.pid) ?? "", purpose };
  const text = JSON.stringify(owner);
  try {
    rmSync(mine, { force: true });
    // Never follows a link that somebody placed there.
    writeFileSync(mine, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    throw orOfOthers(error, lock);
  }
  try {
    // Each round takes the lock, finds a living owner, or removes a dead owner's lock.
    for (let round = 0; round < 10; round += 1) {
      if (linkIfFree(mine, lock)) return () => freeLock(lock, text);
      const found = readIfThere(lock);
      if (found === undefined) continue;
      const other = parseOwner(found);
      if (other && isAlive(other)) throw new DataFolderInUse(dataDir, other);
      clearAway(lock, found);
    }
    throw new Error(`cannot take the lock file ${lock}`);
  } finally {
    rmSync(mine, { force: true });
  }
}

/** The living owner of the folder, if any. */
export function readOwner(dataDir: string): LockOwner | undefined {
  const found = readIfThere(path.join(dataDir, fileName));
  const owner = found === undefined ? undefined : parseOwner(found);
  return owner && isAlive(owner) ? owner : undefined;
}

/** Linking is atomic and never replaces a file, so the lock is never half written. */
function linkIfFree(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/**
 * Removes a dead owner's lock. Another process may have removed it and taken the lock since it was
 * read, so the moved file is checked again and put back if it is not the dead owner's.
 */
function clearAway(lock: string, dead: string): void {
  const aside = `${lock}.${process.pid}.old`;
  try {
    renameSync(lock, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  if (readIfThere(aside) !== dead) linkIfFree(aside, lock);
  rmSync(aside, { force: true });
}

function freeLock(lock: string, text: string): void {
  if (readIfThere(lock) === text) rmSync(lock, { force: true });
}

function readIfThere(file: string): string | undefined {
  try {
    return readRegularFile(file, { mostBytes: 65_536, flags: constants.O_NOFOLLOW })?.toString("utf8");
  } catch (error) {
    throw orOfOthers(error, file);
  }
}

function orOfOthers(error: unknown, lock: string): unknown {
  return (error as NodeJS.ErrnoException).code === "EACCES" ? lockOfOthers(lock) : error;
}

/** A file that is no valid lock was cut off by a power failure, so its writer is dead. */
function parseOwner(text: string): LockOwner | undefined {
  try {
    const { pid, identity, purpose } = JSON.parse(text) as Partial<LockOwner>;
    if (typeof pid !== "number" || typeof identity !== "string") return undefined;
    return { pid, identity, purpose: purpose === "command" ? "command" : "serve" };
  } catch {
    return undefined;
  }
}

function isAlive(owner: LockOwner): boolean {
  if (!isRunning(owner.pid)) return false;
  const identity = processIdentity(owner.pid);
  return identity === undefined || owner.identity === "" || identity === owner.identity;
}

/** Whether the process is alive. A zombie is not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  const state = processFields(pid)?.[0];
  return state !== "Z" && state !== "X";
}

/**
 * proc(5) stat from field 3, the state, on. The name in field 2 may contain blanks and parentheses.
 */
function processFields(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

/**
 * The start time of the process, which distinguishes it from any other with that pid; undefined if
 * it cannot be read.
 */
function processIdentity(pid: number): string | undefined {
  const startTicks = processFields(pid)?.[19]; // field 22
  if (startTicks !== undefined) {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}/${startTicks}`;
  }
  const ps = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" });
  return ps.status === 0 && ps.stdout.trim() !== "" ? ps.stdout.trim() : undefined;
}
