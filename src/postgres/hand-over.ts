// Gives the database's files from one user to another. The old owner may still run programs, and hopes that root follows a link: so
// every file is opened without following links, judged by its descriptor, and each folder is closed to others before it is read.
import { closeSync, constants, fchmodSync, fchownSync, fstatSync, lchownSync, lstatSync, openSync } from "node:fs";
import { readdirSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { UnsafeFile } from "../trusted-file.ts";
import { nobody, type UserId } from "./user-list.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

interface HandOver {
  readonly folder: string;
  readonly to: UserId;
  /** Whose files may be in the folder. */
  readonly owners: ReadonlySet<number>;
}

/**
 * Gives the folder and all in it to the user, where it is another's. While that lasts the folder is root's, and nobody else
 * can enter it; a pass that was interrupted is made again. Nothing changes for what a symbolic link leads to.
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

/** The folder of the descriptor is closed to all but root and the new owner, so its entries are what they are. */
function giveEntries(handOver: HandOver, parent: number, place: string): void {
  for (const name of readdirSync(`/proc/self/fd/${parent}`)) {
    const below = `${place}/${name}`;
    const entry = `/proc/self/fd/${parent}/${name}`;
    if (lstatSync(entry).isSymbolicLink()) lchownSync(entry, handOver.to.uid, handOver.to.gid);
    else giveEntry(handOver, entry, below);
  }
}

function giveEntry(handOver: HandOver, entry: string, place: string): void {
  const { to, folder } = handOver;
  const fd = openSync(entry, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    const reason = whyNot(stat, handOver.owners);
    if (reason !== undefined) throw new UnsafeFile(`${folder}${place}`, stat, reason);
    fchownSync(fd, to.uid, to.gid);
    fchmodSync(fd, stat.isDirectory() ? 0o700 : 0o600);
    if (stat.isDirectory()) giveEntries(handOver, fd, place);
  } finally {
    closeSync(fd);
  }
}

function whyNot(stat: Stats, owners: ReadonlySet<number>): string | undefined {
  if (!owners.has(stat.uid)) return "belongs to somebody else and cannot be handed over";
  if (stat.isDirectory()) return undefined;
  if (!stat.isFile()) return "is neither a file nor a folder and cannot be handed over";
  return stat.nlink === 1
    ? undefined
    : "has a second name (a hard link) and cannot be handed over: copy it in its place";
}

/** What a program of the old owner has open stays open to it. Where root may not look, as in some containers, nothing is found. */
function refuseReaders(folder: string): void {
  const real = realpathSync(folder);
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    if (Number(pid) === process.pid || !openPlaces(pid).some((place) => `${place}/`.startsWith(`${real}/`))) continue;
    throw new Error(`process ${pid} has files of the database in ${folder} open: end it, and start again`);
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
