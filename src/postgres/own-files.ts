// The files of a database, seen by a process that may be root while they are another user's: read without following links and with
// their owner checked; written and removed by a process of that user.
import { constants, lstatSync, rmdirSync } from "node:fs";
import path from "node:path";
import { readRegularFile } from "../trusted-file.ts";
import { ownerOf, recordedId } from "./database-user.ts";
import { asUser, shell, type Launcher } from "./launcher.ts";
import { nobody } from "./user-list.ts";

const longestFile = 1_048_576;

/** A file of the database's folder; undefined where it is missing. Throws UnsafeFile where it is a link or somebody else's. */
export function readDatabaseFile(folder: string, name: string): string | undefined {
  const owners = possibleOwners(folder);
  return readRegularFile(path.join(folder, name), {
    mostBytes: longestFile,
    flags: constants.O_NOFOLLOW,
    refuse: ({ uid, nlink }) => {
      if (!owners.has(uid)) return "belongs to neither us nor the database";
      return nlink === 1 ? undefined : "has a second name (a hard link)";
    },
  })?.toString("utf8");
}

/** Also of a folder whose handing over was interrupted. */
export function possibleOwners(folder: string): ReadonlySet<number> {
  const us = process.getuid?.() ?? 0;
  const recorded = us === 0 ? [nobody, recordedId(path.dirname(folder))] : [];
  return new Set([us, ownerOf(folder)?.uid, ...recorded].filter((uid) => uid !== undefined));
}

/** Replaces a file of the database's folder as a whole. */
export function writeDatabaseFile(launcher: Launcher, folder: string, name: string, text: string): void {
  shell(launcher, folder, 'rm -f "$1.new" && cat > "$1.new" && mv -f "$1.new" "$1"', [name], text);
}

/** Removes a folder with what its owner has in it, with the owner's rights only. */
export function removeFolderOf(folder: string): void {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (!stat.isDirectory()) throw new Error(`${folder} is not a folder`);
  emptyAsOwner(folder, stat);
  rmdirSync(folder);
}

/** Removes what is in the folder, with the rights of its owner only. */
export function emptyAsOwner(folder: string, { uid, gid }: { readonly uid: number; readonly gid: number }): void {
  const us = process.getuid?.() ?? 0;
  const launcher: Launcher =
    us === 0 && uid !== 0 ? asUser({ uid, gid }) : { name: "as ourselves", prefix: [], options: {}, sharesIds: true };
  shell(launcher, folder, "rm -rf -- ./* ./.[!.]* ./..?*", []);
}
