// hodhod opt-outs: the numbers that want nothing from a line, as staff see and change them.
import { createReadStream } from "node:fs";
import { Command } from "commander";
import { CommandFailed } from "../command-failed.ts";
import { enterOptOut, expectLine, importOptOuts, UnknownLine, withdrawOptOut } from "../setup/change-opt-outs.ts";
import { type NumberFile, readNumberFile, TooManyNumbers } from "../setup/read-number-file.ts";
import { cleanNumber, type Msisdn, parseRecipient } from "../sms/msisdn.ts";
import type { Database } from "../store/database.ts";
import { listOptOutsOfLine, type OptOutOfLine } from "../store/opt-outs.ts";
import { isTerminal } from "./ask.ts";
import { commandActor } from "./command-actor.ts";
import { note, print, type CommandContext } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";
import { tableLines } from "./text-table.ts";
import { withDatabase } from "./with-database.ts";

const importDescription = `Adds the numbers of a file to the list of a line: one in each line, in any form; a CSV file has them in its first column.
Numbers that are on the list stay as they are. Wrong lines are told, and then nothing is changed.`;

export function optOutsCommand(context: CommandContext): Command {
  const list = new Command("list")
    .description("Shows who opted out of a line, how and when; with a number, its entries alone.")
    .argument("<line>", "number of the line")
    .argument("[number]", "any form of a mobile number")
    .action((line: string, number?: string) => showList(context, line, number));
  const add = new Command("add")
    .description("Puts a number on the list of a line, for all accounts.")
    .argument("<line>", "number of the line")
    .argument("<number>", "any form of a mobile number")
    .action((line: string, number: string) => addOne(context, line, number));
  const remove = new Command("remove")
    .description("Takes a number off the list of a line, whoever put it there.")
    .argument("<line>", "number of the line")
    .argument("<number>", "any form of a mobile number")
    .action((line: string, number: string) => removeOne(context, line, number));
  const importing = new Command("import")
    .description(importDescription)
    .argument("<line>", "number of the line")
    .argument("<file>", "the file, or - for standard input")
    .option("--skip-bad", "leave wrong lines out")
    .action((line: string, file: string, flags: { readonly skipBad?: boolean }) =>
      importFile(context, { line, file, skipsBad: flags.skipBad === true }),
    );
  const exporting = new Command("export")
    .description("Writes the list of a line as CSV: number, how it came there, and when (Unix seconds).")
    .argument("<line>", "number of the line")
    .action((line: string) => exportList(context, line));
  const command = new Command("opt-outs")
    .description("Lists and changes the numbers that want nothing from a line.")
    .addCommand(withExamples(list, "hodhod opt-outs list 10001234", "hodhod opt-outs list 10001234 09121112233"))
    .addCommand(withExamples(add, "hodhod opt-outs add 10001234 09121112233"))
    .addCommand(withExamples(remove, "hodhod opt-outs remove 10001234 09121112233"))
    .addCommand(withExamples(importing, "hodhod opt-outs import 10001234 numbers.txt"))
    .addCommand(withExamples(exporting, "hodhod opt-outs export 10001234 > opt-outs.csv"));
  return withExamples(command, "hodhod opt-outs list 10001234");
}

function readMobile(given: string): Msisdn {
  const number = parseRecipient(cleanNumber(given, "json"));
  if (number === undefined) throw new CommandFailed(`${given} is not a mobile number`, { usage: true });
  return number;
}

function readLine(given: string): string {
  return cleanNumber(given, "json");
}

async function knowingLine<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof UnknownLine ? new CommandFailed(error.message, { usage: true }) : error;
  }
}

async function addOne(context: CommandContext, givenLine: string, givenNumber: string): Promise<void> {
  const [line, number] = [readLine(givenLine), readMobile(givenNumber)];
  const isNew = await withDatabase(context, { mode: "write" }, (db) =>
    knowingLine(() => enterOptOut(db, { line, number, by: commandActor() })),
  );
  print(context, isNew ? `${number} gets nothing more from ${line}.` : `${number} is on the list of ${line} already.`);
}

async function removeOne(context: CommandContext, givenLine: string, givenNumber: string): Promise<void> {
  const [line, number] = [readLine(givenLine), readMobile(givenNumber)];
  const removed = await withDatabase(context, { mode: "write" }, (db) =>
    knowingLine(() => withdrawOptOut(db, { line, number, by: commandActor() })),
  );
  print(
    context,
    removed.length > 0 ? `${number} is off the list of ${line}.` : `${number} is not on the list of ${line}.`,
  );
}

const rowsOfPage = 1000;

async function* pagesOf(db: Database, line: string, number?: Msisdn): AsyncIterable<readonly OptOutOfLine[]> {
  let after: { readonly number: string; readonly accountId: number } | undefined;
  for (;;) {
    const page = await listOptOutsOfLine(db, { line, number, after, limit: rowsOfPage });
    if (page.length > 0) yield page;
    after = page.at(-1);
    if (page.length < rowsOfPage) return;
  }
}

async function showList(context: CommandContext, givenLine: string, givenNumber?: string): Promise<void> {
  const line = readLine(givenLine);
  const number = givenNumber === undefined ? undefined : readMobile(givenNumber);
  await withDatabase(context, { mode: "read" }, async (db) => {
    await knowingLine(() => expectLine(db, line));
    let count = 0;
    for await (const page of pagesOf(db, line, number)) {
      const rows = page.map((entry) => [
        entry.number,
        entry.how,
        entry.createdAt.toISOString(),
        entry.account === null ? "all accounts" : entry.account,
      ]);
      for (const text of tableLines(["number", "how", "since", "counts for"], rows)) print(context, text);
      count += page.length;
    }
    if (count === 0)
      print(
        context,
        number === undefined ? `Nobody opted out of ${line}.` : `${number} is not on the list of ${line}.`,
      );
  });
}

async function exportList(context: CommandContext, givenLine: string): Promise<void> {
  const line = readLine(givenLine);
  await withDatabase(context, { mode: "read" }, async (db) => {
    await knowingLine(() => expectLine(db, line));
    print(context, "number,how,createdTimestamp");
    for await (const page of pagesOf(db, line)) {
      for (const { number, how, createdAt } of page)
        print(context, `${number},${how},${Math.floor(createdAt.getTime() / 1000)}`);
    }
  });
}

interface FileToImport {
  readonly line: string;
  readonly file: string;
  readonly skipsBad: boolean;
}

async function importFile(context: CommandContext, { line: given, file, skipsBad }: FileToImport): Promise<void> {
  const line = readLine(given);
  const read = await readingFile(context, file);
  expectUsable(context, file, read, skipsBad);
  const { numbers } = read;
  const isWatched = isTerminal(context.stderr);
  const added = await withDatabase(context, { mode: "write" }, (db) =>
    knowingLine(async () => {
      await expectLine(db, line);
      const progress = (done: number) => {
        if (isWatched) note(context, `${done} of ${numbers.length} numbers`);
      };
      return importOptOuts(db, { line, numbers, by: commandActor(), progress });
    }),
  );
  print(context, `Numbers in the file: ${numbers.length}. New on the list of ${line}: ${added}.`);
}

async function readingFile(context: CommandContext, file: string): Promise<NumberFile> {
  try {
    return await readNumberFile(file === "-" ? context.stdin : createReadStream(file));
  } catch (error) {
    if (error instanceof TooManyNumbers) throw new CommandFailed(`${file}: ${error.message}`, { usage: true });
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new CommandFailed(`there is no file ${file}`, { usage: true });
    throw syscall === undefined ? error : new CommandFailed(`cannot read ${file}`, { usage: true });
  }
}

function expectUsable(context: CommandContext, file: string, read: NumberFile, skipsBad: boolean): void {
  const { badCount, firstBad, numbers } = read;
  const more = badCount - firstBad.length;
  const details = [...firstBad, ...(more > 0 ? [`and ${more} more`] : [])];
  if (badCount > 0 && !skipsBad) {
    throw new CommandFailed(`${file} has wrong lines (${badCount}): nothing was changed`, {
      details,
      hint: "correct the file, or leave wrong lines out with --skip-bad",
      usage: true,
    });
  }
  if (numbers.length === 0)
    throw new CommandFailed(`${file} has no numbers: nothing was changed`, { details, usage: true });
  if (badCount === 0) return;
  note(context, `warning: wrong lines left out: ${badCount}`);
  for (const line of details) note(context, `  ${line}`);
}
