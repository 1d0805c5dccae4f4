// Reads a file of ported numbers: lines of `number,operator` by the million, in any form of a
// mobile number. What is wrong is told with its line.
import { cleanNumber, parseRecipient } from "../sms/msisdn.ts";
import { placeOf } from "../sms/number-blocks.ts";
import { highestCode, NumberCollector, outCode } from "../sms/number-collector.ts";

export interface PortedFile {
  readonly numbers: NumberCollector;
  /** Whether it says what it holds, so that a file without numbers is meant so. */
  readonly hasHeader: boolean;
  readonly bad: BadLines;
}

export interface BadLines {
  readonly count: number;
  /** `line 7: …`, the first of them. */
  readonly first: readonly string[];
}

export interface PortedFileOptions {
  /** The operator with the name at an index has the code index + 1. */
  readonly operators: readonly string[];
  /** A number without an operator is taken out. */
  readonly isChanges: boolean;
  /** Called now and then with the rows read so far. */
  readonly progress?: (rows: number) => void;
}

/** Nothing was read to its end. */
export class TooManyRows extends Error {
  override readonly name = "TooManyRows";
}

/** The reader holds each row in four octets. */
const mostRows = 50_000_000;
const longestLine = 1000;
const mostTold = 20;
const header = /^"?number"?\s*,\s*"?operator"?$/i;

/** Throws TooManyRows, and what reading the chunks throws. */
export async function readPortedNumbers(
  chunks: AsyncIterable<Uint8Array>,
  options: PortedFileOptions,
): Promise<PortedFile> {
  if (options.operators.length >= highestCode) throw new Error("there are too many operators");
  const reader = new LineReader(options);
  // A wrong octet becomes U+FFFD, which no number and hardly an operator has.
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = cut(lines.pop() ?? "");
    for (const line of lines) reader.read(line);
    if (reader.numbers.size > mostRows) throw new TooManyRows(`it has more than ${mostRows} rows`);
    options.progress?.(reader.numbers.size);
  }
  rest += decoder.decode();
  if (rest !== "") reader.read(rest);
  return { numbers: reader.numbers, hasHeader: reader.hasHeader, bad: { count: reader.badCount, first: reader.told } };
}

/** A line without an end must not fill the memory; it is told as too long when it ends. */
function cut(line: string): string {
  return line.slice(0, longestLine + 1);
}

class LineReader {
  readonly numbers = new NumberCollector();
  readonly told: string[] = [];
  badCount = 0;
  hasHeader = false;
  readonly #codes: ReadonlyMap<string, number>;
  readonly #isChanges: boolean;
  #line = 0;

  constructor({ operators, isChanges }: PortedFileOptions) {
    this.#codes = new Map(operators.map((name, index) => [name, index + 1]));
    this.#isChanges = isChanges;
  }

  read(line: string): void {
    this.#line += 1;
    const wrong = this.#take(line);
    if (wrong === undefined) return;
    this.badCount += 1;
    if (this.told.length < mostTold) this.told.push(`line ${this.#line}: ${wrong}`);
  }

  /** Answers what is wrong. */
  #take(given: string): string | undefined {
    if (given.length > longestLine) return `is longer than ${longestLine} characters`;
    const line = given.trim();
    if (line === "") return undefined;
    if (this.#line === 1 && header.test(line)) {
      this.hasHeader = true;
      return undefined;
    }
    const [number = "", operator = "", ...others] = line.includes('"') ? quotedFields(line) : line.split(",");
    if (others.length > 0) return "has more than two columns";
    const msisdn = parseRecipient(cleanNumber(number, "json"));
    if (msisdn === undefined) return `${shown(number)} is not a mobile number`;
    const code = this.#codeOf(operator.trim());
    if (typeof code === "string") return code;
    this.numbers.add(placeOf(msisdn), code);
    return undefined;
  }

  /** A text says what is wrong. */
  #codeOf(operator: string): number | string {
    const code = this.#codes.get(operator);
    if (code !== undefined) return code;
    if (operator !== "") return `there is no operator ${shown(operator)}`;
    return this.#isChanges ? outCode : "has no operator";
  }
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

const longestShown = 40;

function shown(text: string): string {
  return JSON.stringify(text.length > longestShown ? `${text.slice(0, longestShown)}…` : text);
}
