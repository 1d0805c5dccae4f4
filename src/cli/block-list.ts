// hodhod block-list: imports and changes the lists of numbers that nothing is sent to where a rule
// of the setup (blockLists) names them.
import { constants, setPriority } from "node:os";
import {
  addToBlockList,
  type BlockListUse,
  deleteBlockList,
  expectBlockList,
  expectListName,
  importBlockList,
  type ImportedList,
  readBlockListUses,
  removeFromBlockList,
} from "../setup/change-number-lists.ts";
import { readNumberFile } from "../setup/import-numbers.ts";
import {
  isListed,
  type KnownBlockList,
  listBlockLists,
  listedNumbers,
  type OwnedNumber,
} from "../store/number-lists.ts";
import type { Database } from "../store/database.ts";
import type { Command, CommandContext, CommandLine } from "./command.ts";
import { awaitChange, commandActor, waitForNodesMs, withDatabase } from "./database.ts";
import { expectMobile, expectUsable, readingNumbers, rowsRead } from "./number-files.ts";
import { counted, print, printLines, printTable, readPages } from "./output.ts";

export const commands: readonly Command[] = [
  {
    name: "block-list import",
    arguments: "<name> <file>",
    options: { "skip-bad": "skip wrong rows" },
    help: `Creates a list from the numbers of a text, CSV or Excel (xlsx) file (- for standard input), or replaces all numbers of an
existing list. Of several columns, the one with numbers is read. If rows are wrong, they are listed and nothing is
changed. A list has no effect until a rule of blockLists in the setup uses it.`,
    examples: ["hodhod block-list import spam numbers.txt"],
    run: importFile,
  },
  {
    name: "block-list list",
    help: "Shows the lists, how many numbers they have, and whether a rule uses them.",
    examples: ["hodhod block-list list"],
    run: showLists,
  },
  {
    name: "block-list show",
    arguments: "<name> [number]",
    help: "Writes the numbers of a list, one per line; with a number, whether the list contains it.",
    examples: ["hodhod block-list show spam", "hodhod block-list show spam 09121112233"],
    run: (context, { args: [name = "", number] }) => showList(context, name, number),
  },
  {
    name: "block-list add",
    arguments: "<name> <number>",
    help: "Adds a number to a list.",
    examples: ["hodhod block-list add spam 09121112233"],
    run: (context, { args: [name = "", number] }) => changeOne(context, name, number, true),
  },
  {
    name: "block-list remove",
    arguments: "<name> <number>",
    help: "Removes a number from a list.",
    examples: ["hodhod block-list remove spam 09121112233"],
    run: (context, { args: [name = "", number] }) => changeOne(context, name, number, false),
  },
  {
    name: "block-list delete",
    arguments: "<name>",
    help: "Removes a list with its numbers. Fails if a rule uses the list.",
    examples: ["hodhod block-list delete spam"],
    run: (context, { args: [name = ""] }) => deleteOne(context, name),
  },
];

async function importFile(context: CommandContext, given: CommandLine): Promise<void> {
  const [name = "", file = ""] = given.args;
  await withDatabase(context, { mode: "write" }, async (db, { alone }) => {
    expectListName(name);
    // Reading takes a whole core for seconds, and a gateway of this machine comes first.
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
    const read = await readingNumbers(context, file, (table) => readNumberFile(table, rowsRead(context)));
    const { numbers, bad, hasHeader } = read;
    const hasEnough = numbers.size > 0 || (hasHeader && bad.count === 0);
    const emptyHint = "to take all numbers off a list, import a file with the line number alone";
    expectUsable(context, { file, bad, skipsBad: given.has("skip-bad"), hasEnough, emptyHint });
    const imported = await importBlockList(db, { name, numbers, by: commandActor() });
    printImported(context, name, numbers.size, numbers.repeated, imported);
    await awaitChange(context, db, { alone, version: imported.version, waitMs: waitForNodesMs.numbers });
  });
}

function printImported(
  context: CommandContext,
  name: string,
  rows: number,
  repeated: number,
  { before, after, version }: ImportedList,
): void {
  const again = repeated === 0 ? "" : ` ${counted(repeated, "row")} ${repeated === 1 ? "repeats" : "repeat"} a number.`;
  print(context, `${counted(rows, "row")} read.${again}`);
  const numbers = counted(after, "number");
  if (version === undefined) print(context, `Nothing to change: the list ${name} has ${numbers}.`);
  else if (before === undefined) print(context, `The new list ${name} has ${numbers}.`);
  else print(context, `The list ${name} now has ${numbers}; before, it had ${before}.`);
}

function useText(use: BlockListUse | undefined): string {
  if (use === undefined) return "nothing: no rule uses it";
  return `lines ${use.lines.join(", ")}; accounts ${use.accounts.join(", ")}`;
}

async function showLists(context: CommandContext): Promise<void> {
  await withDatabase(context, { mode: "read" }, async (db) => {
    const lists = await listBlockLists(db);
    if (lists.length === 0) {
      print(context, "There are no block lists.");
      return;
    }
    const uses = await db.transaction((tx) => readBlockListUses(tx));
    const rows = lists.map(({ name, numbers, updatedAt }) => [
      ...[name, String(numbers), updatedAt.toISOString(), useText(uses.get(name))],
    ]);
    printTable(context, ["list", " numbers", "changed", "applies to"], rows);
  });
}

async function showList(context: CommandContext, name: string, given?: string): Promise<void> {
  const number = given === undefined ? undefined : expectMobile(given);
  await withDatabase(context, { mode: "read" }, async (db) => {
    const list = await expectBlockList(db, name);
    if (number === undefined) return writeNumbers(context, db, list);
    const isOn = await isListed(db, list.id, number);
    print(context, `${number} is ${isOn ? "" : "not "}on the list ${name}.`);
  });
}

/** A block of 65,536 numbers is read for each page. */
const numbersOfPage = 100_000;

/** Writes the numbers in the form that an import reads. There may be millions. */
async function writeNumbers(context: CommandContext, db: Database, { id }: KnownBlockList): Promise<void> {
  const read = (after?: OwnedNumber) =>
    listedNumbers.listNumbers(db, { owner: id, after: after?.number, limit: numbersOfPage });
  for await (const page of readPages(read, numbersOfPage))
    await printLines(
      context,
      page.map(({ number }) => number),
    );
}

async function changeOne(
  context: CommandContext,
  name: string,
  given: string | undefined,
  isAdded: boolean,
): Promise<void> {
  const number = expectMobile(given);
  await withDatabase(context, { mode: "write" }, async (db, { alone }) => {
    const change = { name, number, by: commandActor() };
    const version = await (isAdded ? addToBlockList(db, change) : removeFromBlockList(db, change));
    const was = version === undefined ? (isAdded ? "already on" : "not on") : isAdded ? "now on" : "no longer on";
    print(context, `${number} is ${was} the list ${name}.`);
    await awaitChange(context, db, { alone, version, waitMs: waitForNodesMs.numbers });
  });
}

async function deleteOne(context: CommandContext, name: string): Promise<void> {
  await withDatabase(context, { mode: "write" }, async (db, { alone }) => {
    const { numbers, version } = await deleteBlockList(db, { name, by: commandActor() });
    print(context, `The list ${name} was deleted, with ${counted(numbers, "number")}.`);
    await awaitChange(context, db, { alone, version, waitMs: waitForNodesMs.numbers });
  });
}
