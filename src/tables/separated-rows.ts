// Rows of a text whose cells are separated by a character (RFC 4180 and what is found in the field):
// quoted cells with doubled quotes and line ends, lines that end in CRLF, LF or CR. Pure.
import { countNumbers, FileProblem, longestCell, maximumColumns, sampleRows, type TableRow } from "./table.ts";

/** The comma first: it is taken for a file of one column. */
const separators = [",", ";", "\t", "|", "،", "؛"] as const;

/** Characters that tell the separator. */
export const sampleCharacters = 32_768;

/** The line by which a file tells Excel its separator. */
const givenSeparator = /^"?sep=([^\r\n"])"?[ \t,;]*(?:\r\n?|\n|$)/i;

/** `start`: where the rows begin. */
export function findSeparator(sample: string): { readonly separator: string; readonly start: number } {
  const [line = "", given] = givenSeparator.exec(sample) ?? [];
  if (given !== undefined) return { separator: given, start: line.length };
  const scores = separators.map((separator) => ({ separator, score: scoreOf(sample, separator) }));
  const best = scores.reduce((one, other) => (other.score > one.score ? other : one));
  return { separator: best.separator, start: 0 };
}

/** The one that yields most numbers wins; of equals, the one that divides most rows alike. */
function scoreOf(sample: string, separator: string): number {
  const rows = new RowSplitter(separator).split(sample, true).slice(0, sampleRows);
  const width = rows[0]?.cells.length ?? 0;
  const alike = width < 2 ? 0 : rows.filter(({ cells }) => cells.length === width).length;
  return Math.max(0, ...countNumbers(rows)) * (sampleRows + 1) + alike;
}

/** Longer ones are taken for a quote that is never closed. */
const longestQuoted = 4 * longestCell;
const longestRow = 16 * longestQuoted;

interface Cell {
  readonly value: string;
  /** The place of what ends it. */
  readonly end: number;
}

interface SplitRow {
  readonly cells: readonly string[];
  /** The place of the next row. */
  readonly end: number;
}

/** Takes a text in pieces. */
export class RowSplitter {
  readonly #separator: string;
  readonly #lineEnd = /\r\n?|\n/g;
  /** Of a row whose end is not there yet. */
  #rest = "";
  #rows = 0;

  constructor(separator: string) {
    this.#separator = separator;
  }

  /** The rows that end in this piece, without empty ones. Throws FileProblem for a row without an end. */
  split(piece: string, isLast: boolean): TableRow[] {
    const text = this.#rest + piece;
    const found: TableRow[] = [];
    let start = 0;
    while (start < text.length) {
      const row = this.#rowAt(text, start, isLast);
      if (row === undefined) break;
      start = row.end;
      this.#rows += 1;
      if (row.cells.some((cell) => cell.trim() !== ""))
        found.push({ number: this.#rows, cells: row.cells.slice(0, maximumColumns).map(unwrapped) });
    }
    this.#rest = text.slice(start);
    if (this.#rest.length > longestRow) throw new FileProblem("cellTooLong", { row: this.#rows + 1, column: 1 });
    return found;
  }

  /** Undefined: its end is not there yet. */
  #rowAt(text: string, start: number, isLast: boolean): SplitRow | undefined {
    this.#lineEnd.lastIndex = start;
    const found = this.#lineEnd.exec(text);
    const line = text.slice(start, found?.index);
    if (line.includes('"')) return this.#quotedRow(text, start, isLast);
    // A CR at the end may be followed by its LF.
    if (!isLast && (found === null || isCarriageReturnAtEnd(text, found.index))) return undefined;
    return { cells: line.split(this.#separator), end: found === null ? text.length : this.#lineEnd.lastIndex };
  }

  #quotedRow(text: string, start: number, isLast: boolean): SplitRow | undefined {
    const cells: string[] = [];
    for (let place = start; ;) {
      const cell = this.#cellAt(text, place);
      if (cell === undefined && !isLast) {
        if (text.length - place <= longestQuoted) return undefined;
        throw new FileProblem("cellTooLong", { row: this.#rows + 1, column: cells.length + 1 });
      }
      // A quote that is never closed was meant as a character.
      const { value, end } = cell ?? this.#plainCell(text, place);
      cells.push(value);
      if (end >= text.length) return isLast ? { cells, end } : undefined;
      place = end + 1;
      if (text[end] === this.#separator) continue;
      if (!isLast && isCarriageReturnAtEnd(text, end)) return undefined;
      return { cells, end: text.startsWith("\r\n", end) ? end + 2 : place };
    }
  }

  /** Undefined for a quote that is not closed. Blanks may stand around the quotes. */
  #cellAt(text: string, start: number): Cell | undefined {
    let place = start;
    while (text[place] === " ") place += 1;
    if (text[place] !== '"') return this.#plainCell(text, start);
    let value = "";
    for (place += 1; ;) {
      const quote = text.indexOf('"', place);
      if (quote < 0) return undefined;
      value += text.slice(place, quote);
      if (text[quote + 1] !== '"') {
        const rest = this.#plainCell(text, quote + 1);
        return { value: rest.value.trim() === "" ? value : value + rest.value, end: rest.end };
      }
      value += '"';
      place = quote + 2;
    }
  }

  #plainCell(text: string, start: number): Cell {
    let end = start;
    while (end < text.length && text[end] !== this.#separator && text[end] !== "\n" && text[end] !== "\r") end += 1;
    return { value: text.slice(start, end), end };
  }
}

/** `="0912…"`: digits that a spreadsheet must not take for a number. */
function unwrapped(cell: string): string {
  return cell.startsWith('="') ? cell.replace(/^="([^"]*)"$/, "$1") : cell;
}

function isCarriageReturnAtEnd(text: string, place: number): boolean {
  return text[place] === "\r" && place === text.length - 1;
}
