// hodhod opt-outs: the numbers that want nothing from a line, as staff see and change them.
import { Command } from "commander";
import { CommandFailed } from "../platform/command-failed.ts";
import { enterOptOut, expectLine, importOptOuts, UnknownLine, withdrawOptOut } from "../setup/change-opt-outs.ts";
import { distinctNumbers, readNumberFile } from "../setup/number-file.ts";
import { cleanNumber, type Msisdn } from "../sms/msisdn.ts";
import type { Database } from "../store/database.ts";
import { listOptOutsOfLine, type OptOutOfLine } from "../store/opt-outs.ts";
import { isTerminal } from "./ask.ts";
import { commandActor } from "./command-actor.ts";
import { note, print, printLines, type CommandContext } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";
import { counted } from "./counted.ts";
import { expectMobile, expectUsable, readingNumbers } from "./number-files.ts";
import { tableLines } from "./text-table.ts";
import { withDatabase } from "./with-database.ts";

const importDescription = `Adds the numbers of a text, CSV or Excel (xlsx) file to the list of a line. Of several columns, the one with numbers is read.
Numbers that are on the list stay as they are. If rows are wrong, they are listed and nothing is changed.`;

export function optOutsCommand(context: CommandContext): Command {
  const list = new Command("list")
    .description("Shows who opted out of a line, how and when; with a number, only its entries.")
    .argument("<line>", "number of the line")
    .argument("[number]", "any form of a mobile number")
    .action((line: string, number?: string) => showList(context, line, number));
  const add = new Command("add")
    .description("Adds a number to the list of a line, for all accounts.")
    .argument("<line>", "number of the line")
    .argument("<number>", "any form of a mobile number")
    .action((line: string, number: string) => addOne(context, line, number));
  const remove = new Command("remove")
    .description("Removes a number from the list of a line, whoever added it.")
    .argument("<line>", "number of the line")
    .argument("<number>", "any form of a mobile number")
    .action((line: string, number: string) => removeOne(context, line, number));
  const importing = new Command("import")
    .description(importDescription)
    .argument("<line>", "number of the line")
    .argument("<file>", "the file, or - for standard input")
    .option("--skip-bad", "skip wrong rows")
    .action((line: string, file: string, flags: { readonly skipBad?: boolean }) =>
      importFile(context, { line, file, skipsBad: flags.skipBad === true }),
    );
  const exporting = new Command("export")
    .description("Writes the list of a line as CSV: number, how it was added, and when (Unix seconds).")
    .argument("<line>", "number of the line")
    .action((line: string) => exportList(context, line));
  const command = new Command("opt-outs")
    .description("Lists and changes the numbers that opted out of a line.")
    .addCommand(withExamples(list, "hodhod opt-outs list 10001234", "hodhod opt-outs list 10001234 09121112233"))
    .addCommand(withExamples(add, "hodhod opt-outs add 10001234 09121112233"))
    .addCommand(withExamples(remove, "hodhod opt-outs remove 10001234 09121112233"))
    .addCommand(withExamples(importing, "hodhod opt-outs import 10001234 numbers.txt"))
    .addCommand(withExamples(exporting, "hodhod opt-outs export 10001234 > opt-outs.csv"));
  return withExamples(command, "hodhod opt-outs list 10001234");
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
  const [line, number] = [readLine(givenLine), expectMobile(givenNumber)];
  const isNew = await withDatabase(context, { mode: "write" }, (db) =>
    knowingLine(() => enterOptOut(db, { line, number, by: commandActor() })),
  );
  print(context, `${number} is ${isNew ? "now" : "already"} on the opt-out list of ${line}.`);
}

async function removeOne(context: CommandContext, givenLine: string, givenNumber: string): Promise<void> {
  const [line, number] = [readLine(givenLine), expectMobile(givenNumber)];
  const removed = await withDatabase(context, { mode: "write" }, (db) =>
    knowingLine(() => withdrawOptOut(db, { line, number, by: commandActor() })),
  );
  print(context, `${number} is ${removed.length > 0 ? "no longer" : "not"} on the opt-out list of ${line}.`);
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
  const number = givenNumber === undefined ? undefined : expectMobile(givenNumber);
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
      const table = tableLines(["number", "how", "since", "counts for"], rows);
      await printLines(context, count === 0 ? table : table.slice(1));
      count += page.length;
    }
    if (count === 0)
      print(
        context,
        number === undefined ? `Nobody opted out of ${line}.` : `${number} is not on the opt-out list of ${line}.`,
      );
  });
}

async function exportList(context: CommandContext, givenLine: string): Promise<void> {
  const line = readLine(givenLine);
  await withDatabase(context, { mode: "read" }, async (db) => {
    await knowingLine(() => expectLine(db, line));
    print(context, "number,how,createdTimestamp");
    for await (const page of pagesOf(db, line)) {
      const lines = page.map(
        ({ number, how, createdAt }) => `${number},${how},${Math.floor(createdAt.getTime() / 1000)}`,
      );
      await printLines(context, lines);
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
  const { numbers: read, bad } = await readingNumbers(context, file, (given) => readNumberFile(given));
  expectUsable(context, { file, bad, skipsBad, hasEnough: read.size > 0 });
  const numbers = [...distinctNumbers(read)];
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
  const were = added === 1 ? "was" : "were";
  const held = counted(numbers.length, "number");
  print(context, `The file contains ${held}. ${added} ${were} added to the opt-out list of ${line}.`);
}
