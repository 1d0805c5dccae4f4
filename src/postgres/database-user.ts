// The user for the embedded database when root starts it: an id that no user and no other process
// has. It is the owner of the database's files. Needs no entry in the user list, and creates none.
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs";

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
