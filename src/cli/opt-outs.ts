// hodhod opt-outs: the numbers that want nothing from a line, as staff see and change them.
import { enterOptOut, expectLine, importOptOuts, withdrawOptOut } from "../setup/change-number-lists.ts";
import { distinctNumbers, readNumberFile } from "../setup/import-numbers.ts";
import { cleanNumber, type Msisdn } from "../sms/msisdn.ts";
import type { Database } from "../store/database.ts";
import { listOptOuts, type ListedOptOut } from "../store/opt-outs.ts";
import type { Command, CommandContext, CommandLine } from "./command.ts";
import { commandActor, withDatabase } from "./database.ts";
import { expectMobile, expectUsable, readingNumbers } from "./number-files.ts";
import { counted, readPages, print, printLines, printList, progressLines, rowsOfPage } from "./output.ts";

export const commands: readonly Command[] = [
  {
    name: "opt-outs list",
    arguments: "<line> [number]",
    help: "Shows who opted out of a line, how and when; with a number, only its entries.",
    examples: ["hodhod opt-outs list 10001234", "hodhod opt-outs list 10001234 09121112233"],
    run: (context, { args: [line = "", number] }) => showList(context, line, number),
  },
  {
    name: "opt-outs add",
    arguments: "<line> <number>",
    help: "Adds a number to the list of a line, for all accounts.",
    examples: ["hodhod opt-outs add 10001234 09121112233"],
    run: (context, { args: [line = "", number] }) => addOne(context, line, number),
  },
  {
    name: "opt-outs remove",
    arguments: "<line> <number>",
    help: "Removes a number from the list of a line, whoever added it.",
    examples: ["hodhod opt-outs remove 10001234 09121112233"],
    run: (context, { args: [line = "", number] }) => removeOne(context, line, number),
  },
  {
    name: "opt-outs import",
    arguments: "<line> <file>",
    options: { "skip-bad": "skip wrong rows" },
    help: `Adds the numbers of a text, CSV or Excel (xlsx) file (- for standard input) to the list of a line. Of several columns, the
one with numbers is read. Numbers that are on the list stay as they are. If rows are wrong, they are listed and nothing
is changed.`,
    examples: ["hodhod opt-outs import 10001234 numbers.txt"],
    run: importFile,
  },
  {
    name: "opt-outs export",
    arguments: "<line>",
    help: "Writes the list of a line as CSV: number, how it was added, and when (Unix seconds).",
    examples: ["hodhod opt-outs export 10001234 > opt-outs.csv"],
    run: (context, { args: [line = ""] }) => exportList(context, line),
  },
];

function readLine(given: string): string {
  return cleanNumber(given, "json");
}

async function addOne(context: CommandContext, givenLine: string, givenNumber: string | undefined): Promise<void> {
  const [line, number] = [readLine(givenLine), expectMobile(givenNumber)];
  const isNew = await withDatabase(context, { mode: "write" }, (db) =>
    enterOptOut(db, { line, number, by: commandActor() }),
  );
  print(context, `${number} is ${isNew ? "now" : "already"} on the opt-out list of ${line}.`);
}

async function removeOne(context: CommandContext, givenLine: string, givenNumber: string | undefined): Promise<void> {
  const [line, number] = [readLine(givenLine), expectMobile(givenNumber)];
  const removed = await withDatabase(context, { mode: "write" }, (db) =>
    withdrawOptOut(db, { line, number, by: commandActor() }),
  );
  print(context, `${number} is ${removed.length > 0 ? "no longer" : "not"} on the opt-out list of ${line}.`);
}

function pagesOfLine(db: Database, line: string, number?: Msisdn): AsyncIterable<readonly ListedOptOut[]> {
  return readPages((after) => listOptOuts(db, { lines: [line], number, after, limit: rowsOfPage }));
}

async function showList(context: CommandContext, givenLine: string, givenNumber?: string): Promise<void> {
  const line = readLine(givenLine);
  const number = givenNumber === undefined ? undefined : expectMobile(givenNumber);
  await withDatabase(context, { mode: "read" }, async (db) => {
    await expectLine(db, line);
    await printList(context, pagesOfLine(db, line, number), {
      headings: ["number", "how", "since", "applies to"],
      row: (entry) => [entry.number, entry.how, entry.createdAt.toISOString(), entry.account ?? "all accounts"],
      none: number === undefined ? `Nobody opted out of ${line}.` : `${number} is not on the opt-out list of ${line}.`,
    });
  });
}

async function exportList(context: CommandContext, givenLine: string): Promise<void> {
  const line = readLine(givenLine);
  await withDatabase(context, { mode: "read" }, async (db) => {
    await expectLine(db, line);
    print(context, "number,how,createdTimestamp");
    for await (const page of pagesOfLine(db, line)) {
      const lines = page.map(
        ({ number, how, createdAt }) => `${number},${how},${Math.floor(createdAt.getTime() / 1000)}`,
      );
      await printLines(context, lines);
    }
  });
}

async function importFile(context: CommandContext, given: CommandLine): Promise<void> {
  const [givenLine = "", file = ""] = given.args;
  const line = readLine(givenLine);
  const { numbers: read, bad } = await readingNumbers(context, file, (table) => readNumberFile(table));
  expectUsable(context, { file, bad, skipsBad: given.has("skip-bad"), hasEnough: read.size > 0 });
  const numbers = [...distinctNumbers(read)];
  const added = await withDatabase(context, { mode: "write" }, async (db) => {
    await expectLine(db, line);
    const progress = progressLines(context, (done: number) => `${done} of ${numbers.length} numbers`);
    return importOptOuts(db, { line, numbers, by: commandActor(), progress });
  });
  const were = added === 1 ? "was" : "were";
  const held = counted(numbers.length, "number");
  print(context, `The file contains ${held}. ${added} ${were} added to the opt-out list of ${line}.`);
}
