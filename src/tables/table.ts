// A file of rows: its limits, what can be wrong with it, and which of its columns holds the numbers.
// Pure.
import { isCutNumber, readNumberCell } from "../sms/msisdn.ts";
import type { FileFault } from "./file-faults.ts";

export interface TableRow {
  /** As a spreadsheet counts it: from 1, with empty rows. */
  readonly number: number;
  readonly cells: readonly string[];
}

/** Of a workbook, which has to be in memory as a whole. */
export const maximumFileBytes = 20_000_000;
export const maximumUnpackedBytes = 100_000_000;
/** Further columns are left out. */
export const maximumColumns = 100;
/** More than fits into a message. */
export const longestCell = 4_000;

/** From 1. */
export interface CellPlace {
  readonly row: number;
  readonly column: number;
}

/** The file is refused as a whole. */
export class FileProblem extends Error {
  readonly fault: FileFault;
  readonly place: CellPlace | undefined;

  constructor(fault: FileFault, place?: CellPlace) {
    super(fault);
    this.name = "FileProblem";
    this.fault = fault;
    this.place = place;
  }
}

/** Throws FileProblem for a cell that no message can carry. */
export function expectShortCells({ number, cells }: TableRow): void {
  const long = cells.findIndex((cell) => cell.length > longestCell);
  if (long >= 0) throw new FileProblem("cellTooLong", { row: number, column: long + 1 });
}

/** Half of a surrogate pair, too. Tabs and line ends are texts. */
const control = /(?![\t\n\r])[\p{Cc}\p{Surrogate}]/u;

/** The result of a formula that has none. */
const formulaError = /^#(?:N\/A|REF!|VALUE!|NAME\?|DIV\/0!|NUM!|NULL!|SPILL!|CALC!)$/;

/**
 * Throws FileProblem for texts with control characters, and for errors of formulas. Those beside a
 * number do not matter.
 */
export function expectPlainTexts({ number, cells }: TableRow, numberColumn: number): void {
  for (const [column, cell] of cells.entries()) {
    if (column === numberColumn) continue;
    const fault = control.test(cell) ? "control" : formulaError.test(cell.trim()) ? "cellError" : undefined;
    if (fault !== undefined) throw new FileProblem(fault, { row: number, column: column + 1 });
  }
}

export interface TableColumns {
  /** The place of the column that holds the numbers. */
  readonly number: number;
  /** Whether the first row names the columns. */
  readonly hasNames: boolean;
}

/** Rows that tell what the columns of a file are. */
export const sampleRows = 50;

/** Judges by the first rows. Without a number: the first column. */
export function findColumns(rows: readonly TableRow[]): TableColumns {
  const counts = countNumbers(rows);
  const number = Math.max(0, counts.indexOf(Math.max(...counts)));
  const first = rows[0]?.cells ?? [];
  // A column without a name is named by the others.
  const name = (first[number] ?? "").trim() || first.join("");
  return { number, hasNames: /\p{L}/u.test(name) && !/\p{Nd}/u.test(name) };
}

/** How many of the first rows have a number in each column. */
export function countNumbers(rows: readonly TableRow[]): readonly number[] {
  const counts: number[] = [];
  for (const { cells } of rows.slice(0, sampleRows))
    cells.forEach((cell, column) => {
      counts[column] = (counts[column] ?? 0) + (looksLikeNumber(cell) ? 1 : 0);
    });
  return Array.from(counts, (count: number | undefined) => count ?? 0);
}

function looksLikeNumber(cell: string): boolean {
  return readNumberCell(cell) !== undefined || isCutNumber(cell);
}
