// Reads the rows of a file that a person chose: an Excel workbook, or a text of separated cells. It
// works in steps, so that nothing else has to wait for it.
import { fileTexts } from "./file-texts.ts";
import { findSeparator, RowSplitter, sampleCharacters } from "./separated-rows.ts";
import { expectShortCells, FileProblem, maximumFileBytes, sampleRows, type TableRow } from "./table.ts";

export interface TableFile {
  /** Its ending is compared with what the file holds. Absent for what has no name. */
  readonly name?: string;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * Rows that are not empty, some at a time, in order. The first of these batches tells what the
 * columns are.
 * Throws FileProblem, and what reading the chunks throws.
 */
export async function* readTable({ name = "", chunks }: TableFile): AsyncGenerator<readonly TableRow[]> {
  const file = chunks[Symbol.asyncIterator]();
  const head = await headOf(file);
  const whole = followedBy(head, file);
  const batches = isWorkbook(head, name) ? workbookRows(whole) : textRows(fileTexts(whole));
  let sample: readonly TableRow[] | undefined = [];
  let lastPause = Date.now();
  for await (const rows of batches) {
    rows.forEach(expectShortCells);
    if (sample === undefined) yield rows;
    else {
      sample = [...sample, ...rows];
      if (sample.length >= sampleRows) {
        yield sample;
        sample = undefined;
      }
    }
    if (Date.now() - lastPause < pauseAfterMs) continue;
    await new Promise((resolve) => setTimeout(resolve));
    lastPause = Date.now();
  }
  if (sample !== undefined && sample.length > 0) yield sample;
}

const pauseAfterMs = 10;
/** Tell what the file is, and its encoding. */
const headOctets = 4096;

/** Throws FileProblem for what is not what its name says. */
function isWorkbook(head: Uint8Array, name: string): boolean {
  if (beginsWith(head, [0xd0, 0xcf, 0x11, 0xe0]) || /\.xls$/i.test(name)) throw new FileProblem("oldExcel");
  const isArchive = beginsWith(head, [0x50, 0x4b, 0x03, 0x04]);
  const isNamedSo = /\.xls[xm]$/i.test(name);
  if (isNamedSo && !isArchive && head.length > 0) throw new FileProblem("notWorkbook");
  if (isArchive && !isNamedSo && name !== "") throw new FileProblem("notText");
  return isArchive;
}

function beginsWith(octets: Uint8Array, wanted: readonly number[]): boolean {
  return wanted.every((octet, index) => octets[index] === octet);
}

/** At least so many octets, unless the file is shorter. */
async function headOf(file: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (let length = 0; length < headOctets;) {
    const next = await file.next();
    if (next.done === true) break;
    parts.push(next.value);
    length += next.value.length;
  }
  return concatenated(parts);
}

async function* followedBy(head: Uint8Array, file: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  for (let next = await file.next(); next.done !== true; next = await file.next()) yield next.value;
}

/** By a library that is loaded when it is needed. */
async function* workbookRows(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly TableRow[]> {
  const { readWorkbook } = await import("./workbook-rows.ts");
  yield await readWorkbook(await joined(chunks));
}

/** A workbook has its directory at the end. */
async function joined(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maximumFileBytes) throw new FileProblem("tooLarge");
    parts.push(chunk);
  }
  return concatenated(parts);
}

function concatenated(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let place = 0;
  for (const part of parts) {
    all.set(part, place);
    place += part.length;
  }
  return all;
}

async function* textRows(texts: AsyncIterable<string>): AsyncGenerator<readonly TableRow[]> {
  let sample = "";
  let splitter: RowSplitter | undefined;
  for await (const text of texts) {
    if (splitter !== undefined) {
      yield splitter.split(text, false);
      continue;
    }
    sample += text;
    if (sample.length < sampleCharacters) continue;
    const begun = beginText(sample);
    splitter = begun.splitter;
    yield splitter.split(begun.text, false);
  }
  const last = splitter === undefined ? beginText(sample) : { splitter, text: "" };
  yield last.splitter.split(last.text, true);
}

function beginText(sample: string): { readonly splitter: RowSplitter; readonly text: string } {
  // A number may have a control character before it, but no text has this one.
  if (sample.includes("\0")) throw new FileProblem("notText");
  const { separator, start } = findSeparator(sample);
  return { splitter: new RowSplitter(separator), text: sample.slice(start) };
}
