// A file of rows as it was read, and what can be wrong with one. Pure.

export type Rows = readonly (readonly string[])[];

export const maximumFileBytes = 20_000_000;
export const maximumUnpackedBytes = 100_000_000;
/** The rows of a campaign, and a line of names. */
export const maximumRows = 100_001;
/** Further columns are left out. */
export const maximumColumns = 100;

export type FileFault = "tooLarge" | "unpackedTooLarge" | "tooManyRows" | "notReadable" | "empty" | "oldExcel";

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
    if (cells.every((cell) => cell.trim() === "")) return;
    if (this.rows.length >= maximumRows) throw new FileProblem("tooManyRows");
    this.rows.push(cells.slice(0, maximumColumns).map(storable));
  }
}

/** Without U+0000 and halves of surrogate pairs, which no message can carry. */
function storable(cell: string): string {
  return /\0|\p{Surrogate}/u.test(cell) ? cell.replace(/\0/g, "").replace(/\p{Surrogate}/gu, "\ufffd") : cell;
}
