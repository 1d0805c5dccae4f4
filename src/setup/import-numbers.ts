// Reads files of mobile numbers by the million, and imports ported numbers from one (`hodhod
// ported-numbers import`): a file is read and packed before the transaction begins.
import { setImmediate } from "node:timers/promises";
import { isCutNumber, type Msisdn, readNumberCell } from "../sms/msisdn.ts";
import {
  blockCount,
  blockSize,
  highestCode,
  lowsIn,
  msisdnAt,
  NumberCollector,
  type NumberSet,
  outCode,
  placeOf,
} from "../sms/number-blocks.ts";
import { printable } from "../sms/text-kind.ts";
import { type Actor, insertAuditEntries } from "../store/audit.ts";
import { lockConfiguration, raiseConfigurationVersion } from "../store/configuration-version.ts";
import { listObjectRows } from "../store/configured-objects.ts";
import type { Queryable, Transactional } from "../store/database.ts";
import { type BlockToSave, countPortedNumbers, importedNumbers, type PortedCount } from "../store/number-lists.ts";
import { readTable, type TableFile } from "../tables/read-table.ts";
import { FileProblem, findColumns, sampleRows, type TableColumns, type TableRow } from "../tables/table.ts";
import { CommandFailed } from "../platform/command-failed.ts";

export interface BadRows {
  readonly count: number;
  /** `row 7, column 2: …`, the first of them. */
  readonly first: readonly string[];
}

export interface NumberFile {
  readonly numbers: NumberCollector;
  /** Whether it says what it holds, so that a file without numbers is meant so. */
  readonly hasHeader: boolean;
  readonly bad: BadRows;
}

/** Called now and then with the rows read so far. */
export type RowsRead = (rows: number) => void;

/** A collector holds each row in four octets. */
const mostRows = 50_000_000;
const mostListed = 20;

/** What is wrong, and the place of the cell. */
interface BadCell {
  readonly column: number;
  readonly text: string;
}

/** The code of a row's number, or what is wrong with the row. */
type CodeOf = (cells: readonly string[], column: number) => number | BadCell;

/** That of each number of a list: it is in the file. */
const listedCode = 1;

/** Throws FileProblem, and what reading the chunks throws. */
export function readNumberFile(file: TableFile, progress?: RowsRead): Promise<NumberFile> {
  const codeOf: CodeOf = (cells, column) => {
    // A list of numbers in one row must not lose all but the first.
    const other = cells.length < 2 ? -1 : cells.findIndex((cell, at) => at !== column && readNumberCell(cell));
    return other < 0 ? listedCode : { column: other, text: "is a second number" };
  };
  return readRows(file, () => codeOf, progress);
}

export interface PortedFileOptions {
  /** The operator with the name at an index has the code index + 1. */
  readonly operators: readonly string[];
  /** A number without an operator is taken out. */
  readonly isChanges: boolean;
  readonly progress?: RowsRead;
}

/** Rows with a number and an operator. Throws as `readNumberFile`. */
export function readPortedNumbers(
  file: TableFile,
  { operators, isChanges, progress }: PortedFileOptions,
): Promise<NumberFile> {
  if (operators.length >= highestCode) throw new Error("there are too many operators");
  const codes = new Map(operators.map((name, index) => [name, index + 1]));
  const codeOf = (cells: readonly string[], column: number): number | BadCell => {
    const other = cells.findIndex((cell, at) => at !== column && codes.has(cell.trim()));
    if (other >= 0) return { column: other, text: "is a second operator" };
    const operator = cells[column]?.trim() ?? "";
    const code = codes.get(operator);
    if (code !== undefined) return code;
    if (operator !== "") return { column, text: `there is no operator ${shown(operator)}` };
    return isChanges ? outCode : { column, text: "there is no operator" };
  };
  const withOperatorColumn = (sample: readonly TableRow[], { number }: TableColumns): CodeOf => {
    const column = operatorColumn(sample, number, codes);
    return (cells) => codeOf(cells, column);
  };
  return readRows(file, withOperatorColumn, progress);
}

/** The column with most names of operators among the first rows; without any, the one beside. */
function operatorColumn(sample: readonly TableRow[], number: number, codes: ReadonlyMap<string, number>): number {
  const rows = sample.slice(0, sampleRows);
  const width = Math.max(2, ...rows.map(({ cells }) => cells.length));
  let best = { column: number === 0 ? 1 : 0, count: 0 };
  for (let column = 0; column < width; column += 1) {
    const count = rows.filter(({ cells }) => codes.has(cells[column]?.trim() ?? "")).length;
    if (count > best.count) best = { column, count };
  }
  return best.column;
}

async function readRows(
  file: TableFile,
  codesFor: (sample: readonly TableRow[], columns: TableColumns) => CodeOf,
  progress?: RowsRead,
): Promise<NumberFile> {
  const numbers = new NumberCollector();
  const first: string[] = [];
  let [count, hasHeader] = [0, false];
  let found: (TableColumns & { readonly codeOf: CodeOf }) | undefined;
  const readRow = (cells: readonly string[], column: number, codeOf: CodeOf): BadCell | undefined => {
    const given = cells[column] ?? "";
    const number = readNumberCell(given);
    if (number === undefined) return { column, text: notMobile(given) };
    const code = codeOf(cells, column);
    if (typeof code !== "number") return code;
    numbers.add(placeOf(number), code);
    return undefined;
  };
  for await (const batch of readTable(file)) {
    let rows = batch;
    if (found === undefined) {
      const columns = findColumns(batch);
      found = { ...columns, codeOf: codesFor(batch, columns) };
      if (columns.hasNames) {
        hasHeader = batch[0]?.cells.some((name) => name.trim().toLowerCase() === "number") === true;
        rows = batch.slice(1);
      }
    }
    for (const row of rows) {
      const bad = readRow(row.cells, found.number, found.codeOf);
      if (bad === undefined) continue;
      count += 1;
      if (first.length < mostListed) first.push(`row ${row.number}, column ${bad.column + 1}: ${bad.text}`);
    }
    if (numbers.size > mostRows) throw new FileProblem("tooManyRows");
    progress?.(numbers.size);
  }
  return { numbers, hasHeader, bad: { count, first } };
}

function notMobile(text: string): string {
  if (isCutNumber(text)) return `the spreadsheet cut this number: ${shown(text)}`;
  return `${shown(text)} is not a mobile number`;
}

const longestShown = 40;

function shown(text: string): string {
  return printable(JSON.stringify(text.length > longestShown ? `${text.slice(0, longestShown)}…` : text));
}

/** Each once, ascending. */
export function* distinctNumbers(numbers: NumberCollector): Iterable<Msisdn> {
  for (const block of numbers.givenBlocks()) {
    for (const set of numbers.pack(block)) {
      for (const low of lowsIn(set.numbers)) yield msisdnAt(block * blockSize + low);
    }
  }
}

export interface NamedOperator {
  readonly id: number;
  readonly name: string;
}

export async function listOperators(db: Queryable): Promise<readonly NamedOperator[]> {
  const { operators } = await listObjectRows(db, ["operators"]);
  return operators.map(({ id, name }) => ({ id, name }));
}

export interface PortedImport {
  /** The codes are those of readPortedNumbers, in the order of `operators`. */
  readonly numbers: NumberCollector;
  readonly operators: readonly NamedOperator[];
  /** Changes what was imported before, instead of replacing it. */
  readonly isChanges: boolean;
  readonly by: Actor;
}

export interface ImportedNumbers {
  /** How many were and are imported. */
  readonly before: number;
  readonly after: number;
  readonly counts: readonly PortedCount[];
  /** The configuration version with the change; absent if there was none. */
  readonly version?: bigint;
}

/** Another import or change of the configuration that is under way is waited for. */
export async function importPortedNumbers(db: Transactional, given: PortedImport): Promise<ImportedNumbers> {
  const { numbers, operators, isChanges, by } = given;
  const idOf = (code: number): number => operators[code - 1]?.id ?? 0;
  // Before others have to wait for the lock.
  const packed = isChanges ? undefined : await packAll(numbers, idOf);
  return db.transaction(async (tx) => {
    await lockConfiguration(tx);
    await expectOperators(tx, operators);
    const before = totalOf(await countPortedNumbers(tx));
    const groups = packed ?? changedGroups(tx, numbers, operators, idOf);
    let changed = 0;
    for await (const group of groups) changed += await importedNumbers.saveBlocks(tx, group, null);
    const counts = await countPortedNumbers(tx);
    const after = totalOf(counts);
    if (changed === 0) return { before, after, counts };
    const audited = { before: { imported: before }, after: { imported: after } };
    await insertAuditEntries(tx, by, [{ action: "change", kind: "portedNumber", name: "", ...audited }]);
    return { before, after, counts, version: await raiseConfigurationVersion(tx) };
  });
}

/** The codes of the numbers are those of the operators at the time of reading. */
async function expectOperators(tx: Queryable, known: readonly NamedOperator[]): Promise<void> {
  const ids = (operators: readonly NamedOperator[]): string => operators.map(({ id }) => id).join();
  if (ids(await listOperators(tx)) !== ids(known))
    throw new CommandFailed("the operators of the setup were changed meanwhile: nothing was changed");
}

function totalOf(counts: readonly PortedCount[]): number {
  return counts.reduce((sum, { imported }) => sum + imported, 0);
}

const blocksRead = 64;

/** The blocks that the changes touch, with what is stored in them. */
async function* changedGroups(
  tx: Queryable,
  numbers: NumberCollector,
  operators: readonly NamedOperator[],
  idOf: ToPack["idOf"],
): AsyncIterable<readonly BlockToSave[]> {
  const codes = new Map(operators.map(({ id }, index) => [id, index + 1]));
  const blocks = numbers.givenBlocks();
  for (let start = 0; start < blocks.length; start += blocksRead) {
    const some = blocks.slice(start, start + blocksRead);
    const stored = new Map<number, NumberSet<number>[]>(some.map((block) => [block, []]));
    for (const { block, ownerId, numbers } of await importedNumbers.listIn(tx, some)) {
      stored.get(block)?.push({ value: codes.get(ownerId) ?? outCode, numbers });
    }
    yield* packedGroups(numbers, { blocks: some, idOf, storedIn: (block) => stored.get(block) ?? [] });
  }
}

/** What one statement takes. */
const blocksOfGroup = 512;
const octetsOfGroup = 1_048_576;
/** Some milliseconds of work: a full block, or many small ones. */
const octetsOfStep = 131_072;

export interface ToPack {
  /** Ascending. A block without numbers loses those that it has. */
  readonly blocks: Iterable<number>;
  readonly idOf: (code: number) => number;
  /** What the numbers of a block are put over. */
  readonly storedIn?: (block: number) => readonly NumberSet<number>[];
}

async function* packedGroups(
  numbers: NumberCollector,
  { blocks, idOf, storedIn = () => [] }: ToPack,
): AsyncIterable<readonly BlockToSave[]> {
  let group: BlockToSave[] = [];
  let [octets, octetsOfTurn] = [0, 0];
  for (const block of blocks) {
    const sets = numbers.pack(block, storedIn(block)).map(({ value, numbers }) => ({ value: idOf(value), numbers }));
    group.push({ block, sets });
    const length = sets.reduce((sum, set) => sum + set.numbers.length, 0);
    octets += length;
    octetsOfTurn += length;
    if (group.length >= blocksOfGroup || octets >= octetsOfGroup) {
      yield group;
      [group, octets] = [[], 0];
    } else if (octetsOfTurn < octetsOfStep) continue;
    await setImmediate();
    octetsOfTurn = 0;
  }
  if (group.length > 0) yield group;
}

/** The groups of all blocks: one without numbers loses those that it has. */
export async function packAll(
  numbers: NumberCollector,
  idOf: (code: number) => number,
): Promise<readonly (readonly BlockToSave[])[]> {
  const groups: (readonly BlockToSave[])[] = [];
  for await (const group of packedGroups(numbers, { blocks: Array(blockCount).keys(), idOf })) groups.push(group);
  return groups;
}
