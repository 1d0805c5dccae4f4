// The machine's users: which ids are in the user list, and which ids run processes. Reads only.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";

export interface UserId {
  readonly uid: number;
  readonly gid: number;
}

/**
 * By convention the user who owns nothing. Any program may run as it, so none of our files may
 * belong to it.
 */
export const nobody = 65_534;

/** Whether the user list, including directories such as LDAP, has an entry for the id. */
export function isListedUser(uid: number): boolean {
  return isListedIn("passwd", uid) || localUsers().some((user) => user.uid === uid);
}

/** Whether a user or a group with this id exists. */
export function isTaken(id: number): boolean {
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
