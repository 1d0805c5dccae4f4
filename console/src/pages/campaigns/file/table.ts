// A file of rows as it was read, and what can be wrong with one. Pure.
import { cleanNumber, parseRecipient } from "../../../../../src/sms/msisdn.ts";

export type Rows = readonly (readonly string[])[];

export const maximumFileBytes = 20_000_000;
export const maximumUnpackedBytes = 100_000_000;
/** The rows of a campaign, and a line of names. */
export const maximumRows = 100_001;
/** Further columns are left out. */
export const maximumColumns = 100;
/** More than fits into a message. */
const longestCell = 4_000;

export type FileFault =
  "tooLarge" | "unpackedTooLarge" | "tooManyRows" | "cellTooLong" | "notReadable" | "empty" | "oldExcel";

export class FileProblem extends Error {
  readonly fault: FileFault;

  constructor(fault: FileFault) {
    super(fault);
    this.name = "FileProblem";
    this.fault = fault;
  }
}

/** Collects rows within the limits; rows without any text are left out. */
export class RowCollector {
  readonly rows: string[][] = [];

  add(cells: readonly string[]): void {
    if (cells.some((cell) => cell.length > longestCell)) throw new FileProblem("cellTooLong");
    if (cells.every((cell) => cell.trim() === "")) return;
    if (this.rows.length >= maximumRows) throw new FileProblem("tooManyRows");
    this.rows.push(cells.slice(0, maximumColumns).map(storable));
  }
}

/** Without U+0000 and halves of surrogate pairs, which no message can carry. */
function storable(cell: string): string {
  return /\0|\p{Surrogate}/u.test(cell) ? cell.replace(/\0/g, "").replace(/\p{Surrogate}/gu, "\ufffd") : cell;
}

// Which column of a file is what: a first guess, and the rows as the API takes them. Pure.

export interface Columns {
  /** Whether the first row holds names. */
  readonly hasNames: boolean;
  /** The place of the recipient's number. */
  readonly number: number;
  /** The places of the values, in the order of the campaign's columns. */
  readonly values: readonly number[];
}

const sampleRows = 50;

export function isNumber(cell: string): boolean {
  return parseRecipient(cleanNumber(cell, "json")) !== undefined;
}

/** The column with most numbers among the first rows. */
export function guessColumns(rows: Rows): Pick<Columns, "hasNames" | "number"> {
  const sample = rows.slice(0, sampleRows);
  const width = Math.max(0, ...sample.map((row) => row.length));
  const counts = Array.from({ length: width }, (_, place) => sample.filter((row) => isNumber(row[place] ?? "")).length);
  const number = Math.max(0, counts.indexOf(Math.max(...counts)));
  return { number, hasNames: !isNumber(rows[0]?.[number] ?? "") };
}

const rowsOfCall = 1000;
/** The API reads at most 10,000 values and 1 MiB a call; a character has up to three octets. */
const valuesOfCall = 9_000;
const charactersOfCall = 300_000;

/** The next rows of one call, from a place among the rows without names. */
export function takeRows(rows: Rows, { hasNames, number, values }: Columns, from: number): Rows {
  const taken: string[][] = [];
  let cells = 0;
  let characters = 0;
  for (let place = from + (hasNames ? 1 : 0); place < rows.length && taken.length < rowsOfCall; place += 1) {
    const row = rows[place] ?? [];
    const wanted = [(row[number] ?? "").trim(), ...values.map((value) => row[value] ?? "")];
    cells += wanted.length + 1;
    characters += wanted.reduce((sum, cell) => sum + cell.length + 3, 0);
    if (taken.length > 0 && (cells > valuesOfCall || characters > charactersOfCall)) break;
    taken.push(wanted);
  }
  return taken;
}
