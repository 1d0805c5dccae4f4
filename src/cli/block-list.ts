// hodhod block-list: imports and changes the lists of numbers that nothing is sent to where a rule
// of the setup (blockLists) names them.
import { constants, setPriority } from "node:os";
import { Command } from "commander";
import { CommandFailed } from "../platform/command-failed.ts";
import { awaitNodes } from "../setup/await-nodes.ts";
import { type BlockListUse, readBlockListUses } from "../setup/block-list-uses.ts";
import {
  addToBlockList,
  canBeAddressed,
  BlockListFault,
  deleteBlockList,
  expectBlockList,
  expectListName,
  type ImportedList,
  importBlockList,
  removeFromBlockList,
} from "../setup/change-block-lists.ts";
import { readNumberFile } from "../setup/number-file.ts";
import { blockSize, lowsIn, msisdnAt } from "../sms/number-blocks.ts";
import { isListed, type KnownBlockList, listBlockLists, listBlocksOfList } from "../store/block-lists.ts";
import type { Database } from "../store/database.ts";
import { commandActor } from "./command-actor.ts";
import { note, print, printLines, type CommandContext } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";
import { counted } from "./counted.ts";
import { waitForNodesMs, warnOfNodesBehind } from "./nodes-behind.ts";
import { expectMobile, expectUsable, readingNumbers, rowsRead } from "./number-files.ts";
import { tableLines } from "./text-table.ts";
import { type DatabaseMode, withDatabase } from "./with-database.ts";

const importDescription = `Creates a list from the numbers of a text, CSV or Excel (xlsx) file, or replaces all numbers of an existing list. Of several
columns, the one with numbers is read. If rows are wrong, they are listed and nothing is changed. A list has no effect until a rule of blockLists in the setup uses it.`;

export function blockListCommand(context: CommandContext): Command {
  const importing = new Command("import")
    .description(importDescription)
    .argument("<name>", "name of the list")
    .argument("<file>", "the file, or - for standard input")
    .option("--skip-bad", "skip wrong rows")
    .action((name: string, file: string, flags: { readonly skipBad?: boolean }) =>
      importFile(context, { name, file, skipsBad: flags.skipBad === true }),
    );
  const list = new Command("list")
    .description("Shows the lists, how many numbers they have, and whether a rule uses them.")
    .action(() => showLists(context));
  const show = new Command("show")
    .description("Writes the numbers of a list, one per line; with a number, whether the list contains it.")
    .argument("<name>", "name of the list")
    .argument("[number]", "any form of a mobile number")
    .action((name: string, number?: string) => showList(context, name, number));
  const add = new Command("add")
    .description("Adds a number to a list.")
    .argument("<name>", "name of the list")
    .argument("<number>", "any form of a mobile number")
    .action((name: string, number: string) => changeOne(context, name, number, true));
  const remove = new Command("remove")
    .description("Removes a number from a list.")
    .argument("<name>", "name of the list")
    .argument("<number>", "any form of a mobile number")
    .action((name: string, number: string) => changeOne(context, name, number, false));
  const deleting = new Command("delete")
    .description("Removes a list with its numbers. Fails if a rule uses the list.")
    .argument("<name>", "name of the list")
    .action((name: string) => deleteOne(context, name));
  const command = new Command("block-list")
    .description("Imports and changes lists of blocked numbers.")
    .addCommand(withExamples(importing, "hodhod block-list import spam numbers.txt"))
    .addCommand(withExamples(list, "hodhod block-list list"))
    .addCommand(withExamples(show, "hodhod block-list show spam", "hodhod block-list show spam 09121112233"))
    .addCommand(withExamples(add, "hodhod block-list add spam 09121112233"))
    .addCommand(withExamples(remove, "hodhod block-list remove spam 09121112233"))
    .addCommand(withExamples(deleting, "hodhod block-list delete spam"));
  return withExamples(command, "hodhod block-list import spam numbers.txt");
}

/** Turns a BlockListFault into an error of the command. */
async function onLists<T>(
  context: CommandContext,
  mode: DatabaseMode,
  work: (db: Database, alone: boolean) => Promise<T>,
): Promise<T> {
  try {
    return await withDatabase(context, { mode }, (db, { alone }) => work(db, alone));
  } catch (error) {
    if (!(error instanceof BlockListFault)) throw error;
    const { hint } = error;
    throw new CommandFailed(error.message, { usage: true, ...(hint !== undefined && { hint }) });
  }
}

interface FileToImport {
  readonly name: string;
  readonly file: string;
  readonly skipsBad: boolean;
}

async function importFile(context: CommandContext, { name, file, skipsBad }: FileToImport): Promise<void> {
  await onLists(context, "write", async (db, alone) => {
    expectListName(name);
    // Reading takes a whole core for seconds, and a gateway of this machine comes first.
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
    const read = await readingNumbers(context, file, (given) => readNumberFile(given, rowsRead(context)));
    const { numbers, bad, hasHeader } = read;
    const hasEnough = numbers.size > 0 || (hasHeader && bad.count === 0);
    const emptyHint = "to take all numbers off a list, import a file with the line number alone";
    expectUsable(context, { file, bad, skipsBad, hasEnough, emptyHint });
    const imported = await importBlockList(db, { name, numbers, by: commandActor() });
    printImported(context, name, numbers.size, numbers.repeated, imported);
    await follow(context, db, alone, imported.version);
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

async function follow(context: CommandContext, db: Database, alone: boolean, version?: bigint): Promise<void> {
  if (version === undefined || alone) return;
  warnOfNodesBehind(context, await awaitNodes(db, version, { waitMs: waitForNodesMs.numbers }));
}

function useText(use: BlockListUse | undefined): string {
  if (use === undefined) return "nothing: no rule uses it";
  return `lines ${use.lines.join(", ")}; accounts ${use.accounts.join(", ")}`;
}

async function showLists(context: CommandContext): Promise<void> {
  await onLists(context, "read", async (db) => {
    const lists = await listBlockLists(db);
    if (lists.length === 0) {
      print(context, "There are no block lists.");
      return;
    }
    const uses = await db.transaction((tx) => readBlockListUses(tx));
    const rows = lists.map(({ name, numbers, updatedAt }) => [
      ...[name, String(numbers), updatedAt.toISOString(), useText(uses.get(name))],
    ]);
    for (const line of tableLines(["list", " numbers", "changed", "counts for"], rows)) print(context, line);
    for (const { name } of lists) if (!canBeAddressed(name)) note(context, renamingHint(name));
  });
}

/** For a list that was created before such names were refused. */
function renamingHint(name: string): string {
  return (
    `The console cannot open the list ${name}, because browsers do not send this name. Copy it to another name ` +
    `(hodhod block-list show ${name} | hodhod block-list import NAME -), change blockLists of the setup if a rule uses it, ` +
    `then run hodhod block-list delete ${name}`
  );
}

async function showList(context: CommandContext, name: string, given?: string): Promise<void> {
  const number = given === undefined ? undefined : expectMobile(given);
  await onLists(context, "read", async (db) => {
    const list = await expectBlockList(db, name);
    if (number === undefined) return writeNumbers(context, db, list);
    const isOn = await isListed(db, list.id, number);
    print(context, `${number} is ${isOn ? "" : "not "}on the list ${name}.`);
  });
}

/** Writes the numbers in the form that an import reads. There may be millions. */
async function writeNumbers(context: CommandContext, db: Database, { id }: KnownBlockList): Promise<void> {
  for (let after = -1; ;) {
    const page = await listBlocksOfList(db, id, after);
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.block;
    for (const { block, numbers } of page) {
      const lines = Array.from(lowsIn(numbers), (low) => msisdnAt(block * blockSize + low));
      await printLines(context, lines);
    }
  }
}

async function changeOne(context: CommandContext, name: string, given: string, isAdded: boolean): Promise<void> {
  const number = expectMobile(given);
  await onLists(context, "write", async (db, alone) => {
    const change = { name, number, by: commandActor() };
    const version = await (isAdded ? addToBlockList(db, change) : removeFromBlockList(db, change));
    const was = version === undefined ? (isAdded ? "already on" : "not on") : isAdded ? "now on" : "no longer on";
    print(context, `${number} is ${was} the list ${name}.`);
    await follow(context, db, alone, version);
  });
}

async function deleteOne(context: CommandContext, name: string): Promise<void> {
  await onLists(context, "write", async (db, alone) => {
    const { numbers, version } = await deleteBlockList(db, { name, by: commandActor() });
    print(context, `The list ${name} was deleted, with ${counted(numbers, "number")}.`);
    await follow(context, db, alone, version);
  });
}
