// Changes the owner of the database's files. The old owner may still run programs and plant links
// for root to follow. So every file is opened without following links and checked by its
// descriptor, and each folder is closed to others before it is read.
import { closeSync, constants, fchmodSync, fchownSync, fstatSync, lchownSync, lstatSync, openSync } from "node:fs";
import { readdirSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { UnsafeFile } from "../platform/trusted-file.ts";
import { nobody, type UserId } from "./user-list.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

interface NewOwner {
  readonly folder: string;
  readonly to: UserId;
  /** Users who may own files in the folder. */
  readonly owners: ReadonlySet<number>;
}

/**
 * Makes the user the owner of the folder and everything in it. Meanwhile the folder belongs to root
 * and nobody else can enter it. An interrupted run is repeated. Targets of symbolic links do not
 * change.
 */
export function giveTo(to: UserId | undefined, folder: string): void {
  if (to === undefined) return;
  const top = openSync(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    const { uid } = fstatSync(top);
    if (uid === to.uid) return;
    fchownSync(top, 0, 0);
    fchmodSync(top, 0o700);
    giveEntries({ folder, to, owners: new Set([uid, 0, nobody, to.uid]) }, top, "");
    refuseReaders(folder);
    fchownSync(top, to.uid, to.gid);
  } finally {
    closeSync(top);
  }
}

/**
 * Only root and the new owner can enter the folder of the descriptor, so nobody replaces its
 * entries.
 */
function giveEntries(newOwner: NewOwner, parent: number, place: string): void {
  for (const name of readdirSync(`/proc/self/fd/${parent}`)) {
    const below = `${place}/${name}`;
    const entry = `/proc/self/fd/${parent}/${name}`;
    if (lstatSync(entry).isSymbolicLink()) lchownSync(entry, newOwner.to.uid, newOwner.to.gid);
    else giveEntry(newOwner, entry, below);
  }
}

function giveEntry(newOwner: NewOwner, entry: string, place: string): void {
  const { to, folder } = newOwner;
  const fd = openSync(entry, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    const reason = whyNot(stat, newOwner.owners);
    if (reason !== undefined) throw new UnsafeFile(`${folder}${place}`, stat, reason);
    fchownSync(fd, to.uid, to.gid);
    fchmodSync(fd, stat.isDirectory() ? 0o700 : 0o600);
    if (stat.isDirectory()) giveEntries(newOwner, fd, place);
  } finally {
    closeSync(fd);
  }
}

function whyNot(stat: Stats, owners: ReadonlySet<number>): string | undefined {
  if (!owners.has(stat.uid)) return "belongs to another user, so its owner cannot be changed";
  if (stat.isDirectory()) return undefined;
  if (!stat.isFile()) return "is neither a file nor a folder, so its owner cannot be changed";
  return stat.nlink === 1
    ? undefined
    : "has a second name (a hard link), so its owner cannot be changed: replace it by a copy";
}

/**
 * Files that a program of the old owner has open stay open to it. Finds nothing where root may not
 * look, as in some containers.
 */
function refuseReaders(folder: string): void {
  const real = realpathSync(folder);
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    if (Number(pid) === process.pid || !openPlaces(pid).some((place) => `${place}/`.startsWith(`${real}/`))) continue;
    throw new Error(`process ${pid} has files of the database in ${folder} open: end that process, then start again`);
  }
}

function openPlaces(pid: string): readonly string[] {
  try {
    const descriptors = readdirSync(`/proc/${pid}/fd`).map((fd) => `/proc/${pid}/fd/${fd}`);
    return [`/proc/${pid}/cwd`, ...descriptors].map(placeOf);
  } catch {
    return [];
  }
}

function placeOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return "";
  }
}
