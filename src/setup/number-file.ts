// Reads files of mobile numbers by the million, one number in a line, in any form: for block lists
// and opt-outs the number alone counts, for ported numbers an operator follows it. What is wrong is
// told with its line.
import { setImmediate } from "node:timers/promises";
import { cleanNumber, type Msisdn, parseRecipient } from "../sms/msisdn.ts";
import { blockSize, lowsIn, msisdnAt, placeOf, highestCode, NumberCollector, outCode } from "../sms/number-blocks.ts";
import { printable } from "../sms/one-line.ts";

export interface BadLines {
  readonly count: number;
  /** `line 7: …`, the first of them. */
  readonly first: readonly string[];
}

export interface NumberFile {
  readonly numbers: NumberCollector;
  /** Whether it says what it holds, so that a file without numbers is meant so. */
  readonly hasHeader: boolean;
  readonly bad: BadLines;
}

/** Called now and then with the rows read so far. */
export type RowsRead = (rows: number) => void;

/** Nothing was read to its end. */
export class TooManyRows extends Error {
  override readonly name = "TooManyRows";
}

/** A collector holds each row in four octets. */
const mostRows = 50_000_000;
const longestLine = 1000;
const mostTold = 20;

/** A number with its code, or what is wrong. */
type ReadLine = (line: string) => { readonly number: Msisdn; readonly code: number } | string;

interface FileFormat {
  readonly header: RegExp;
  readonly read: ReadLine;
}

/** That of each number of a list: it is in the file. */
export const listedCode = 1;

const listFormat: FileFormat = {
  header: /^"?number"?\s*(?:,|$)/i,
  read: (line) => {
    const [column = "", ...others] = line.includes(",") ? line.split(",").map(unquoted) : [unquoted(line)];
    const number = readMobile(column);
    if (number === undefined) return notMobile(column);
    // A list of numbers in one line must not lose all but the first.
    if (others.some((other) => readMobile(other) !== undefined)) return "has more than one number";
    return { number, code: listedCode };
  },
};

/** Throws TooManyRows, and what reading the chunks throws. */
export function readNumberFile(chunks: AsyncIterable<Uint8Array>, progress?: RowsRead): Promise<NumberFile> {
  return readLines(chunks, listFormat, progress);
}

export interface PortedFileOptions {
  /** The operator with the name at an index has the code index + 1. */
  readonly operators: readonly string[];
  /** A number without an operator is taken out. */
  readonly isChanges: boolean;
  readonly progress?: RowsRead;
}

/** Lines of `number,operator`. Throws as `readNumberFile`. */
export function readPortedNumbers(
  chunks: AsyncIterable<Uint8Array>,
  { operators, isChanges, progress }: PortedFileOptions,
): Promise<NumberFile> {
  if (operators.length >= highestCode) throw new Error("there are too many operators");
  const codes = new Map(operators.map((name, index) => [name, index + 1]));
  const codeOf = (operator: string): number | string => {
    const code = codes.get(operator);
    if (code !== undefined) return code;
    if (operator !== "") return `there is no operator ${shown(operator)}`;
    return isChanges ? outCode : "has no operator";
  };
  const read: ReadLine = (line) => {
    const [column = "", operator = "", ...others] = line.includes('"') ? quotedFields(line) : line.split(",");
    if (others.length > 0) return "has more than two columns";
    const number = readMobile(column);
    if (number === undefined) return notMobile(column);
    const code = codeOf(operator.trim());
    return typeof code === "string" ? code : { number, code };
  };
  return readLines(chunks, { header: /^"?number"?\s*,\s*"?operator"?$/i, read }, progress);
}

/** The event loop turns between steps. */
async function readLines(
  chunks: AsyncIterable<Uint8Array>,
  { header, read }: FileFormat,
  progress?: RowsRead,
): Promise<NumberFile> {
  const numbers = new NumberCollector();
  const first: string[] = [];
  let [count, place, hasHeader] = [0, 0, false];
  const wrongOf = (given: string): string | undefined => {
    if (given.length > longestLine) return `is longer than ${longestLine} characters`;
    const line = given.trim();
    if (line === "") return undefined;
    if (place === 1 && header.test(line)) {
      hasHeader = true;
      return undefined;
    }
    const found = read(line);
    if (typeof found === "string") return found;
    numbers.add(placeOf(found.number), found.code);
    return undefined;
  };
  for await (const lines of linesOf(chunks)) {
    for (const line of lines) {
      place += 1;
      const wrong = wrongOf(line);
      if (wrong === undefined) continue;
      count += 1;
      if (first.length < mostTold) first.push(`line ${place}: ${wrong}`);
    }
    if (numbers.size > mostRows) throw new TooManyRows(`it has more than ${mostRows} rows`);
    progress?.(numbers.size);
  }
  return { numbers, hasHeader, bad: { count, first } };
}

/** Some 2,500 lines: a few milliseconds of work. */
const octetsOfStep = 32 << 10;

/** A line without an end must not fill the memory: it is cut, and too long. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncIterable<readonly string[]> {
  // A wrong octet becomes U+FFFD, which no number and hardly a name has.
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += octetsOfStep) {
      if (at > 0) await setImmediate();
      const lines = (rest + decoder.decode(chunk.subarray(at, at + octetsOfStep), { stream: true })).split("\n");
      rest = (lines.pop() ?? "").slice(0, longestLine + 1);
      yield lines;
    }
  }
  rest += decoder.decode();
  if (rest !== "") yield [rest];
}

function unquoted(column: string): string {
  return column.trim().replace(/^"(.*)"$/, "$1");
}

const field = /\s*(?:"((?:[^"]|"")*)"|([^",]*))\s*(,|$)/y;

/** A field that makes no sense stays as it is, and is no number and no operator. */
function quotedFields(line: string): string[] {
  const fields: string[] = [];
  field.lastIndex = 0;
  for (;;) {
    const at = field.lastIndex;
    const found = field.exec(line);
    if (found === null) return [...fields, line.slice(at)];
    const [, quoted, plain, end] = found;
    fields.push(quoted?.replaceAll('""', '"') ?? plain ?? "");
    if (end !== ",") return fields;
  }
}

export function readMobile(text: string): Msisdn | undefined {
  return parseRecipient(cleanNumber(text, "json"));
}

function notMobile(text: string): string {
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
