// Opens files in folders that others may write to. Checks the opened descriptor, never the name,
// and never blocks on a pipe or a device.
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";

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
