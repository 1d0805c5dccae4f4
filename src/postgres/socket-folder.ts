// The private folder of the server's Unix socket: in the database's folder, or in the folder for
// temporary files if that path is too long for a socket.
import { lchownSync, lstatSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { shell, startedIn, type Launcher } from "./launcher.ts";
import { emptyAsOwner, removeFolderOf } from "./own-files.ts";

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
