// Why a file that a command was given cannot be read, in words.
import { CommandFailed } from "../command-failed.ts";

/** `error`: of the file system. */
export function unreadableFile(file: string, error: unknown): CommandFailed {
  return new CommandFailed(reasonOf(file === "-" ? "standard input" : file, (error as NodeJS.ErrnoException).code), {
    usage: true,
  });
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
