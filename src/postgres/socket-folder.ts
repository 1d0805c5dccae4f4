// The private folder of the server's Unix socket: next to the database's folder if the path is
// short and reachable for the server's user, else in the folder for temporary files.
import { lchownSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runSync, shell, startedIn, type Launcher } from "./launcher.ts";
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
export function makeSocketFolder(launcher: Launcher, dataDir: string, folder: string): SocketFolder {
  return makeBeside(launcher, dataDir, folder) ?? makeInside(launcher, folder) ?? makeTemporary(launcher);
}

/** In the data folder, if the server can reach it there. */
function makeBeside(launcher: Launcher, dataDir: string, folder: string): SocketFolder | undefined {
  const place = path.join(dataDir, folderName);
  removeFolderOf(place);
  if (!fits(place)) return undefined;
  mkdirSync(place, { mode: 0o700 });
  giveEmpty(launcher, place);
  const beside = path.dirname(realpathSync(folder)) === realpathSync(dataDir) && startedIn(folder) !== folder;
  const forServer = beside ? `../${folderName}` : place;
  if (runSync(launcher, "/bin/sh", ["-c", 'cd "$1"', "sh", forServer], { cwd: folder }).status === 0)
    return { path: place, forServer };
  rmdirSync(place);
  return undefined;
}

/** In the database's own folder, if its user cannot enter the data folder. */
function makeInside(launcher: Launcher, folder: string): SocketFolder | undefined {
  const place = path.join(folder, folderName);
  if (!fits(place) || startedIn(folder) === folder) return undefined;
  shell(launcher, folder, 'rm -rf "$1" && mkdir "$1"', [folderName]);
  return { path: place, forServer: folderName };
}

function makeTemporary(launcher: Launcher): SocketFolder {
  const parent = fits(path.join(tmpdir(), `${temporaryPrefix}123456`)) ? tmpdir() : "/tmp";
  const temporary = mkdtempSync(path.join(parent, temporaryPrefix));
  giveEmpty(launcher, temporary);
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

/**
 * Short enough, and without special characters: a comma would end the path in PostgreSQL's list of
 * folders.
 */
function fits(folder: string): boolean {
  return Buffer.byteLength(folder + socketName) <= longestSocketPath && /^[\w./+@:-]+$/.test(folder);
}

function giveEmpty(launcher: Launcher, folder: string): void {
  if (launcher.owner) lchownSync(folder, launcher.owner.uid, launcher.owner.gid);
}
