// Opens files in folders that others may write to. Checks the opened descriptor, never the name,
// and never blocks on a pipe or a device.
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, renameSync, rmSync } from "node:fs";
import { writeFileSync, type Stats } from "node:fs";
import path from "node:path";

/** A file that fails a check. Names the file, its owner and its mode. */
export class UnsafeFile extends Error {
  constructor(file: string, stat: Stats | undefined, reason: string) {
    const facts = stat === undefined ? "" : ` (owner ${stat.uid}, mode ${(stat.mode & 0o7777).toString(8)})`;
    super(`${file} ${reason}${facts}`);
    this.name = "UnsafeFile";
  }
}

export interface FileTerms {
  readonly mostBytes: number;
  /** Flags added to a read-only open, for example O_NOFOLLOW. */
  readonly flags?: number;
  /** What is wrong with the file, or undefined. */
  readonly refuse?: (stat: Stats) => string | undefined;
}

/**
 * The content of a regular file; undefined if there is no file. Throws UnsafeFile if it is of
 * another kind or too long.
 */
export function readRegularFile(file: string, terms: FileTerms): Buffer | undefined {
  const fd = openRegularFile(file, constants.O_RDONLY | (terms.flags ?? 0), terms.refuse);
  if (fd === undefined) return undefined;
  try {
    return readAtMost(fd, file, terms.mostBytes);
  } finally {
    closeSync(fd);
  }
}

/** The descriptor of a regular file; undefined if there is no file. */
export function openRegularFile(file: string, flags: number, refuse?: FileTerms["refuse"]): number | undefined {
  const fd = open(file, flags | constants.O_NONBLOCK | constants.O_NOCTTY);
  if (fd === undefined) return undefined;
  const stat = fstatSync(fd);
  const reason = stat.isFile() ? refuse?.(stat) : "is not a regular file";
  if (reason === undefined) return fd;
  closeSync(fd);
  throw new UnsafeFile(file, stat, reason);
}

/**
 * Terms for a file of ours that is read by its own name only. In a folder of another user it may be
 * that user's.
 */
export function termsOfOwnFile(file: string, mostBytes: number): FileTerms {
  const owners = new Set([process.getuid?.() ?? 0, lstatSync(path.dirname(file)).uid]);
  return {
    mostBytes,
    flags: constants.O_NOFOLLOW,
    refuse: ({ uid, nlink }) => {
      if (!owners.has(uid)) return "belongs to another user";
      return nlink === 1 ? undefined : "has a second name (a hard link)";
    },
  };
}

/** The descriptor of a file of ours, which is made if it is missing. */
export function openToAppend(file: string): number {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  const fd = openRegularFile(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, termsOfOwnFile(file, 0).refuse);
  if (fd === undefined) throw new UnsafeFile(file, undefined, "cannot be made");
  return fd;
}

/** Writes a file for its owner alone in the place of whatever has its name. */
export function replaceFile(file: string, text: string): void {
  rmSync(`${file}.new`, { force: true });
  writeFileSync(`${file}.new`, text, { flag: "wx", mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}

function open(file: string, flags: number): number | undefined {
  try {
    return openSync(file, flags, 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP") throw new UnsafeFile(file, undefined, "is a symbolic link");
    // A socket, or a pipe without a reader.
    if (code === "ENXIO") throw new UnsafeFile(file, undefined, "is not a regular file");
    throw error;
  }
}

function readAtMost(fd: number, file: string, mostBytes: number): Buffer {
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    const chunk = Buffer.alloc(65_536);
    const read = readSync(fd, chunk);
    if (read === 0) return Buffer.concat(chunks);
    length += read;
    if (length > mostBytes) throw new UnsafeFile(file, undefined, `is longer than ${mostBytes} bytes`);
    chunks.push(chunk.subarray(0, read));
  }
}
