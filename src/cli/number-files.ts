// Files that commands read, `-` for standard input: opens them, says why one cannot be read, and refuses
// a file of numbers with wrong rows.
import { createReadStream } from "node:fs";
import { CommandFailed, wrongUsage } from "../platform/command-failed.ts";
import type { BadRows } from "../setup/import-numbers.ts";
import { type Msisdn, readNumberCell } from "../sms/msisdn.ts";
import { fileFaultTexts } from "../tables/file-faults.ts";
import type { TableFile } from "../tables/read-table.ts";
import { FileProblem } from "../tables/table.ts";
import { localize } from "../texts/localize.ts";
import type { CommandContext } from "./command.ts";
import { counted, note, progressLines } from "./output.ts";

const chunkOctets = 262_144;

export function openFile(context: CommandContext, file: string): AsyncIterable<Buffer> {
  return file === "-" ? context.stdin : createReadStream(file, { highWaterMark: chunkOctets });
}

function nameOfFile(file: string): string {
  return file === "-" ? "standard input" : file;
}

/** `error`: of the file system. */
export function unreadableFile(file: string, error: unknown): CommandFailed {
  const { code } = error as NodeJS.ErrnoException;
  return wrongUsage(reasonOf(nameOfFile(file), code));
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

/** A CSV or Excel file. Turns a FileProblem into an error of the command. */
export async function readingNumbers<T>(
  context: CommandContext,
  file: string,
  read: (table: TableFile) => Promise<T>,
): Promise<T> {
  try {
    return await read({ ...(file !== "-" && { name: file }), chunks: openFile(context, file) });
  } catch (error) {
    if (error instanceof FileProblem) {
      const text = localize(fileFaultTexts[error.fault], "en", { ...error.place });
      throw wrongUsage(`${nameOfFile(file)}: ${text}`);
    }
    const { syscall } = error as NodeJS.ErrnoException;
    throw syscall === undefined ? error : unreadableFile(file, error);
  }
}

export function rowsRead(context: CommandContext): (rows: number) => void {
  return progressLines(context, (rows: number) => `${counted(rows, "row")} read`);
}

export interface NumbersRead {
  readonly file: string;
  readonly bad: BadRows;
  readonly skipsBad: boolean;
  /** False: without a number the file is refused, because it may be an interrupted download. */
  readonly hasEnough: boolean;
  /** What to do if the file is empty on purpose. */
  readonly emptyHint?: string;
}

export function expectUsable(
  context: CommandContext,
  { file, bad, skipsBad, hasEnough, emptyHint }: NumbersRead,
): void {
  const more = bad.count - bad.first.length;
  const details = [...bad.first, ...(more > 0 ? [`and ${more} more`] : [])];
  const rows = counted(bad.count, "row");
  if (bad.count > 0 && !skipsBad) {
    throw new CommandFailed(
      `${rows} of ${nameOfFile(file)} ${bad.count === 1 ? "is" : "are"} wrong: nothing was changed`,
      {
        details,
        hint: "correct the file, or skip wrong rows with --skip-bad",
        usage: true,
      },
    );
  }
  if (!hasEnough) {
    throw new CommandFailed(`${nameOfFile(file)} has no numbers: nothing was changed`, {
      details,
      usage: true,
      hint: emptyHint,
    });
  }
  if (bad.count === 0) return;
  note(context, `warning: ${rows} skipped`);
  for (const line of details) note(context, `  ${line}`);
}

export function expectMobile(given = ""): Msisdn {
  const number = readNumberCell(given);
  if (number === undefined) throw wrongUsage(`${given} is not a mobile number`, "write it as 09121234567");
  return number;
}
