// Reads files of mobile numbers by the million: for block lists and opt-outs the number alone
// counts, for ported numbers another column names the operator. What is wrong is listed with its
// row and column.
import { type Msisdn, isCutNumber, readNumberCell } from "../sms/msisdn.ts";
import { blockSize, highestCode, lowsIn, msisdnAt, NumberCollector, outCode, placeOf } from "../sms/number-blocks.ts";
import { printable } from "../sms/text-kind.ts";
import { readTable, type TableFile } from "../tables/read-table.ts";
import { FileProblem, findColumns, sampleRows, type TableColumns, type TableRow } from "../tables/table.ts";

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
export const listedCode = 1;

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
