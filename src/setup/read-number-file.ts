// Reads a file of mobile numbers by the million, one in a line, in any form; further columns of a
// CSV file are left alone. What is wrong is told with its line.
import type { Msisdn } from "../sms/msisdn.ts";
import { blockSize, lowsIn, msisdnAt, placeOf } from "../sms/number-blocks.ts";
import { NumberCollector } from "../sms/number-collector.ts";
import { type BadLines, type LineTaker, notMobile, readLines, readMobile } from "./number-lines.ts";

export interface NumberFile {
  /** Each with the code `listedCode`. */
  readonly numbers: NumberCollector;
  /** Whether it says what it holds, so that a file without numbers is meant so. */
  readonly hasHeader: boolean;
  readonly bad: BadLines;
}

/** That of each number: it is in the file. */
export const listedCode = 1;

const header = /^"?number"?\s*(?:,|$)/i;

/** Throws TooManyRows, and what reading the chunks throws. */
export async function readNumberFile(
  chunks: AsyncIterable<Uint8Array>,
  progress?: (rows: number) => void,
): Promise<NumberFile> {
  const reader = new NumberReader();
  const bad = await readLines(chunks, reader, progress);
  return { numbers: reader.numbers, hasHeader: reader.hasHeader, bad };
}

class NumberReader implements LineTaker {
  readonly numbers = new NumberCollector();
  hasHeader = false;

  get size(): number {
    return this.numbers.size;
  }

  take(line: string, place: number): string | undefined {
    if (place === 1 && header.test(line)) {
      this.hasHeader = true;
      return undefined;
    }
    const [column = "", ...others] = line.includes(",") ? line.split(",").map(unquoted) : [unquoted(line)];
    const number = readMobile(column);
    if (number === undefined) return notMobile(column);
    // A list of numbers in one line must not lose all but the first.
    if (others.some((other) => readMobile(other) !== undefined)) return "has more than one number";
    this.numbers.add(placeOf(number), listedCode);
    return undefined;
  }
}

function unquoted(column: string): string {
  return column.trim().replace(/^"(.*)"$/, "$1");
}

/** Each once, ascending. */
export function* distinctNumbers(numbers: NumberCollector): Iterable<Msisdn> {
  for (const block of numbers.givenBlocks()) {
    for (const set of numbers.pack(block)) {
      for (const low of lowsIn(set.numbers)) yield msisdnAt(block * blockSize + low);
    }
  }
}
