// hodhod ported-numbers: imports the numbers that were ported, by the million, and shows what is
// known of them.
import { constants, setPriority } from "node:os";
import { Command } from "commander";
import { CommandFailed } from "../platform/command-failed.ts";
import { awaitNodes, type NodesAtVersion } from "../setup/await-nodes.ts";
import {
  importPortedNumbers,
  type ImportedNumbers,
  listOperators,
  OperatorGone,
} from "../setup/import-ported-numbers.ts";
import { readPortedNumbers } from "../setup/number-file.ts";
import type { Database } from "../store/database.ts";
import { countPortedNumbers, findPortedNumber } from "../store/ported-blocks.ts";
import { commandActor } from "./command-actor.ts";
import { print, type CommandContext } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";
import { counted } from "./counted.ts";
import { noNodeUses, waitForNodesMs, warnOfNodesBehind } from "./nodes-behind.ts";
import { expectMobile, expectUsable, readingNumbers, rowsRead } from "./number-files.ts";
import { tableLines } from "./text-table.ts";
import { withDatabase } from "./with-database.ts";

const importDescription = `Imports ported numbers from a CSV or Excel (xlsx) file with a number and its operator in each row. They replace all numbers that were
imported before, at once. Numbers of a setup file or of the console stay, and take precedence. If a number is listed more
than once, its last row counts. If rows are wrong, they are listed and nothing is changed.`;

interface ImportFlags {
  readonly changes?: boolean;
  readonly skipBad?: boolean;
}

export function portedNumbersCommand(context: CommandContext): Command {
  const importing = new Command("import")
    .description(importDescription)
    .argument("<file>", "the file, or - for standard input")
    .option("--changes", "change only the numbers in the file; a row without an operator removes its number")
    .option("--skip-bad", "skip wrong rows")
    .action((file: string, flags: ImportFlags) => importFile(context, file, flags));
  const status = new Command("status")
    .description("Shows how many ported numbers each operator has.")
    .action(() => showStatus(context));
  const show = new Command("show")
    .description("Shows the operator of a ported number, and whether it was imported or is in the setup.")
    .argument("<number>", "any form of a mobile number")
    .action((number: string) => showNumber(context, number));
  const command = new Command("ported-numbers")
    .description("Imports and shows ported numbers.")
    .addCommand(
      withExamples(
        importing,
        "hodhod ported-numbers import ported.csv",
        "zcat today.csv.gz | hodhod ported-numbers import --changes -",
      ),
    )
    .addCommand(withExamples(status, "hodhod ported-numbers status"))
    .addCommand(withExamples(show, "hodhod ported-numbers show 09121112233"));
  return withExamples(command, "hodhod ported-numbers import ported.csv");
}

async function importFile(context: CommandContext, file: string, flags: ImportFlags): Promise<void> {
  const isChanges = flags.changes === true;
  await withDatabase(context, { mode: "write" }, async (db, { alone, isServed }) => {
    // Reading takes a whole core for seconds, and a gateway of this machine comes first.
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
    const operators = await listOperators(db);
    const progress = rowsRead(context);
    const names = operators.map(({ name }) => name);
    const read = await readingNumbers(context, file, (given) =>
      readPortedNumbers(given, { operators: names, isChanges, progress }),
    );
    const { numbers, bad, hasHeader } = read;
    // An interrupted download must not take all numbers away.
    const hasEnough = numbers.size > 0 || isChanges || (hasHeader && bad.count === 0);
    const emptyHint = "to remove all imported numbers, import a file with the line number,operator alone";
    expectUsable(context, { file, bad, skipsBad: flags.skipBad === true, hasEnough, emptyHint });
    const imported = await storing(() =>
      importPortedNumbers(db, { numbers, operators, isChanges, by: commandActor() }),
    );
    const nodes = imported.version === undefined || alone ? noNodes : await follow(db, imported.version);
    printImported(context, numbers.size, numbers.repeated, imported, { ...nodes, isServed });
    warnOfNodesBehind(context, nodes);
  });
}

const noNodes: NodesAtVersion = { following: [], behind: [] };

function follow(db: Database, version: bigint): Promise<NodesAtVersion> {
  return awaitNodes(db, version, { waitMs: waitForNodesMs.numbers });
}

async function storing<T>(store: () => Promise<T>): Promise<T> {
  try {
    return await store();
  } catch (error) {
    throw error instanceof OperatorGone ? new CommandFailed(error.message) : error;
  }
}

function printImported(
  context: CommandContext,
  rows: number,
  repeated: number,
  { before, after, version }: ImportedNumbers,
  { following, behind, isServed }: NodesAtVersion & { readonly isServed: boolean },
): void {
  const were = repeated === 1 ? "was" : "were";
  const again =
    repeated === 0 ? "" : ` ${counted(repeated, "row")} ${were} replaced by a later row for the same number.`;
  print(context, `${counted(rows, "row")} read.${again}`);
  if (version === undefined) {
    print(context, `Nothing to change: ${numbersAre(after)} imported.`);
    return;
  }
  const nodes = following.length + behind.length;
  const used = nodes === 0 ? noNodeUses("them", isServed) : `${following.length} of ${nodes} gateways use them.`;
  print(
    context,
    `${numbersAre(after)} now imported; before, there ${before === 1 ? "was" : "were"} ${before}. ${used}`,
  );
}

function numbersAre(count: number): string {
  return `${counted(count, "number")} ${count === 1 ? "is" : "are"}`;
}

async function showStatus(context: CommandContext): Promise<void> {
  const counts = await withDatabase(context, { mode: "read" }, countPortedNumbers);
  const rows = counts.map(({ operator, imported, given }) => [operator, String(imported), String(given)]);
  for (const line of tableLines(["operator", " imported", " from the setup"], rows)) print(context, line);
}

async function showNumber(context: CommandContext, given: string): Promise<void> {
  const number = expectMobile(given);
  const found = await withDatabase(context, { mode: "read" }, (db) => findPortedNumber(db, number));
  if (found === undefined) print(context, `${number} is not ported.`);
  else print(context, `${number} ${found.operator} (${found.isImported ? "imported" : "from the setup"})`);
}
