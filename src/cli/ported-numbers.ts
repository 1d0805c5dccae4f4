// hodhod ported-numbers: imports the numbers that were ported, by the million, and shows what is
// known of them.
import { constants, setPriority } from "node:os";
import type { NodesAtVersion } from "../setup/await-nodes.ts";
import {
  type ImportedNumbers,
  importPortedNumbers,
  listOperators,
  readPortedNumbers,
} from "../setup/import-numbers.ts";
import type { Command, CommandContext, CommandLine } from "./command.ts";
import { awaitChange, commandActor, noNodeUses, waitForNodesMs, withDatabase } from "./database.ts";
import { expectMobile, expectUsable, readingNumbers, rowsRead } from "./number-files.ts";
import { counted, print, printTable } from "./output.ts";
import { countPortedNumbers, findPortedNumber } from "../store/number-lists.ts";

export const commands: readonly Command[] = [
  {
    name: "ported-numbers import",
    arguments: "<file>",
    options: {
      changes: "change only the numbers in the file; a row without an operator removes its number",
      "skip-bad": "skip wrong rows",
    },
    help: `Imports ported numbers from a CSV or Excel (xlsx) file (- for standard input) with a number and its operator in each
row. They replace all numbers that were imported before, at once. Numbers of a setup file or of the console stay, and take precedence. If
a number is listed more than once, its last row counts. If rows are wrong, they are listed and nothing is changed.`,
    examples: [
      "hodhod ported-numbers import ported.csv",
      "zcat today.csv.gz | hodhod ported-numbers import --changes -",
    ],
    run: importFile,
  },
  {
    name: "ported-numbers status",
    help: "Shows how many ported numbers each operator has.",
    examples: ["hodhod ported-numbers status"],
    run: showStatus,
  },
  {
    name: "ported-numbers show",
    arguments: "<number>",
    help: "Shows the operator of a ported number, and whether it was imported or is in the setup.",
    examples: ["hodhod ported-numbers show 09121112233"],
    run: (context, { args: [number] }) => showNumber(context, number),
  },
];

async function importFile(context: CommandContext, given: CommandLine): Promise<void> {
  const [file = ""] = given.args;
  const isChanges = given.has("changes");
  await withDatabase(context, { mode: "write" }, async (db, { alone, isServed }) => {
    // Reading takes a whole core for seconds, and a gateway of this machine comes first.
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
    const operators = await listOperators(db);
    const progress = rowsRead(context);
    const names = operators.map(({ name }) => name);
    const read = await readingNumbers(context, file, (table) =>
      readPortedNumbers(table, { operators: names, isChanges, progress }),
    );
    const { numbers, bad, hasHeader } = read;
    // An interrupted download must not take all numbers away.
    const hasEnough = numbers.size > 0 || isChanges || (hasHeader && bad.count === 0);
    const emptyHint = "to remove all imported numbers, import a file with the line number,operator alone";
    expectUsable(context, { file, bad, skipsBad: given.has("skip-bad"), hasEnough, emptyHint });
    const imported = await importPortedNumbers(db, { numbers, operators, isChanges, by: commandActor() });
    const { version } = imported;
    const nodes = await awaitChange(context, db, { alone, version, waitMs: waitForNodesMs.numbers });
    printImported(context, numbers.size, numbers.repeated, imported, { ...nodes, isServed });
  });
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
  const counts = await withDatabase(context, { mode: "read" }, (db) => countPortedNumbers(db));
  const rows = counts.map(({ operator, imported, given }) => [operator, String(imported), String(given)]);
  printTable(context, ["operator", " imported", " from the setup"], rows);
}

async function showNumber(context: CommandContext, given: string | undefined): Promise<void> {
  const number = expectMobile(given);
  const found = await withDatabase(context, { mode: "read" }, (db) => findPortedNumber(db, number));
  if (found === undefined) print(context, `${number} is not ported.`);
  else print(context, `${number} ${found.operator} (${found.isImported ? "imported" : "from the setup"})`);
}
