// Files with millions of numbers that commands import: opens them, shows progress, and refuses a
// file with wrong lines.
import { createReadStream } from "node:fs";
import { CommandFailed } from "../command-failed.ts";
import { type BadLines, readMobile, TooManyRows } from "../setup/number-lines.ts";
import type { Msisdn } from "../sms/msisdn.ts";
import { note, type CommandContext } from "./command-context.ts";
import { counted } from "./counted.ts";
import { progressLines } from "./progress-lines.ts";
import { unreadableFile } from "./unreadable-file.ts";

const chunkOctets = 262_144;

/** `-`: standard input. */
export function openNumbers(context: CommandContext, file: string): AsyncIterable<Buffer> {
  return file === "-" ? context.stdin : createReadStream(file, { highWaterMark: chunkOctets });
}

function nameOf(file: string): string {
  return file === "-" ? "standard input" : file;
}

export async function readingNumbers<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof TooManyRows) throw new CommandFailed(`${nameOf(file)}: ${error.message}`, { usage: true });
    const { syscall } = error as NodeJS.ErrnoException;
    throw syscall === undefined ? error : unreadableFile(file, error);
  }
}

export function rowsRead(context: CommandContext): (rows: number) => void {
  return progressLines(context, (rows: number) => `${counted(rows, "row")} read`);
}

export interface NumbersRead {
  readonly file: string;
  readonly bad: BadLines;
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
  const lines = counted(bad.count, "line");
  if (bad.count > 0 && !skipsBad) {
    throw new CommandFailed(
      `${lines} of ${nameOf(file)} ${bad.count === 1 ? "is" : "are"} wrong: nothing was changed`,
      {
        details,
        hint: "correct the file, or skip wrong lines with --skip-bad",
        usage: true,
      },
    );
  }
  if (!hasEnough) {
    const hint = emptyHint === undefined ? {} : { hint: emptyHint };
    throw new CommandFailed(`${nameOf(file)} has no numbers: nothing was changed`, { details, usage: true, ...hint });
  }
  if (bad.count === 0) return;
  note(context, `warning: ${lines} skipped`);
  for (const line of details) note(context, `  ${line}`);
}

export function expectMobile(given: string): Msisdn {
  const number = readMobile(given);
  if (number === undefined) throw new CommandFailed(`${given} is not a mobile number`, { usage: true });
  return number;
}
