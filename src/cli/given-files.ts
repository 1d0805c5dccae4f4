// Files that commands are given to read, `-` for standard input: opens them, and says what they are
// called and why one cannot be read.
import { createReadStream } from "node:fs";
import { CommandFailed } from "../platform/command-failed.ts";
import type { CommandContext } from "./command-context.ts";

const chunkOctets = 262_144;

export function openFile(context: CommandContext, file: string): AsyncIterable<Buffer> {
  return file === "-" ? context.stdin : createReadStream(file, { highWaterMark: chunkOctets });
}

export function nameOfFile(file: string): string {
  return file === "-" ? "standard input" : file;
}

/** `error`: of the file system. */
export function unreadableFile(file: string, error: unknown): CommandFailed {
  const { code } = error as NodeJS.ErrnoException;
  return new CommandFailed(reasonOf(nameOfFile(file), code), { usage: true });
}

function reasonOf(name: string, code: string | undefined): string {
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return `there is no file ${name}`;
    case "EISDIR":
      return `${name} is a folder`;
    case "EACCES":
      return `you may not read ${name}`;
    default:
      return code === undefined ? `cannot read ${name}` : `cannot read ${name} (${code})`;
  }
}
