// The rows of a file as the API takes them, and which of them have no number that can be read. Pure.
import { isCutNumber, readNumberCell } from "../../../../../src/sms/msisdn.ts";
import type { TableColumns, TableRow } from "../../../../../src/tables/table.ts";

export interface Columns extends TableColumns {
  /** The places of the values, in the order of the campaign's columns. */
  readonly values: readonly number[];
}

/** A cell without a number. Row and column from 1. */
interface BadNumber {
  readonly row: number;
  readonly column: number;
  readonly cell: string;
  readonly isCut: boolean;
}

export interface CheckedRows {
  /** Rows with a number. */
  readonly usable: number;
  readonly bad: number;
  readonly firstBad: readonly BadNumber[];
}

const mostListed = 5;
const longestShown = 40;

export function checkRows(rows: readonly TableRow[], { hasNames, number: column }: TableColumns): CheckedRows {
  const bad = rows.slice(hasNames ? 1 : 0).filter(({ cells }) => readNumberCell(cells[column] ?? "") === undefined);
  const firstBad = bad.slice(0, mostListed).map(({ number, cells }): BadNumber => {
    const cell = cells[column] ?? "";
    return { row: number, column: column + 1, cell: cell.slice(0, longestShown), isCut: isCutNumber(cell) };
  });
  return { usable: rows.length - (hasNames ? 1 : 0) - bad.length, bad: bad.length, firstBad };
}

/** `cells`: the number, then the values. */
export type CampaignCells = TableRow;

const rowsOfCall = 1000;
/** The API reads at most 10,000 values and 1 MiB a call; a character has up to three octets. */
const valuesOfCall = 9_000;
const charactersOfCall = 300_000;

/** The next rows of one call, from a place among the rows without names. */
export function takeRows(
  rows: readonly TableRow[],
  { hasNames, number, values }: Columns,
  from: number,
): readonly CampaignCells[] {
  const taken: CampaignCells[] = [];
  let cells = 0;
  let characters = 0;
  for (let place = from + (hasNames ? 1 : 0); place < rows.length && taken.length < rowsOfCall; place += 1) {
    const { number: fileRow = 0, cells: row = [] } = rows[place] ?? {};
    const given = row[number] ?? "";
    const wanted = [readNumberCell(given) ?? given.trim(), ...values.map((value) => row[value] ?? "")];
    cells += wanted.length + 1;
    characters += wanted.reduce((sum, cell) => sum + cell.length + 3, 0);
    if (taken.length > 0 && (cells > valuesOfCall || characters > charactersOfCall)) break;
    taken.push({ number: fileRow, cells: wanted });
  }
  return taken;
}
