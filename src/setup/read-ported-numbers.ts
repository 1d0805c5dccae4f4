// Reads a file of ported numbers: lines of `number,operator` by the million, in any form of a
// mobile number. What is wrong is told with its line.
import { placeOf } from "../sms/number-blocks.ts";
import { highestCode, NumberCollector, outCode } from "../sms/number-collector.ts";
import { type BadLines, type LineTaker, notMobile, readLines, readMobile, shown } from "./number-lines.ts";

export interface PortedFile {
  readonly numbers: NumberCollector;
  /** Whether it says what it holds, so that a file without numbers is meant so. */
  readonly hasHeader: boolean;
  readonly bad: BadLines;
}

export interface PortedFileOptions {
  /** The operator with the name at an index has the code index + 1. */
  readonly operators: readonly string[];
  /** A number without an operator is taken out. */
  readonly isChanges: boolean;
  /** Called now and then with the rows read so far. */
  readonly progress?: (rows: number) => void;
}

const header = /^"?number"?\s*,\s*"?operator"?$/i;

/** Throws TooManyRows, and what reading the chunks throws. */
export async function readPortedNumbers(
  chunks: AsyncIterable<Uint8Array>,
  options: PortedFileOptions,
): Promise<PortedFile> {
  if (options.operators.length >= highestCode) throw new Error("there are too many operators");
  const reader = new PortedReader(options);
  const bad = await readLines(chunks, reader, options.progress);
  return { numbers: reader.numbers, hasHeader: reader.hasHeader, bad };
}

class PortedReader implements LineTaker {
  readonly numbers = new NumberCollector();
  hasHeader = false;
  readonly #codes: ReadonlyMap<string, number>;
  readonly #isChanges: boolean;

  constructor({ operators, isChanges }: PortedFileOptions) {
    this.#codes = new Map(operators.map((name, index) => [name, index + 1]));
    this.#isChanges = isChanges;
  }

  get size(): number {
    return this.numbers.size;
  }

  take(line: string, place: number): string | undefined {
    if (place === 1 && header.test(line)) {
      this.hasHeader = true;
      return undefined;
    }
    const [number = "", operator = "", ...others] = line.includes('"') ? quotedFields(line) : line.split(",");
    if (others.length > 0) return "has more than two columns";
    const msisdn = readMobile(number);
    if (msisdn === undefined) return notMobile(number);
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
