// Access to the database's files for a process that may be root while they belong to another user.
// Files are read without following links, with their owner checked. A process of that user writes
// and removes them.
import { constants, lstatSync, rmdirSync } from "node:fs";
import path from "node:path";
import { readRegularFile } from "../platform/trusted-file.ts";
import { ownerOf, asUser, ourselves, shell, type Launcher } from "./launcher.ts";

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
