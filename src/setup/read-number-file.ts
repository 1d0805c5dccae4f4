// Reads a file of mobile numbers, one in a line, in any form; further columns of a CSV file are
// left alone. What is wrong is told with its line.
import { cleanNumber, type Msisdn, parseRecipient } from "../sms/msisdn.ts";

export interface NumberFile {
  /** Each once, in the order of the file. */
  readonly numbers: readonly Msisdn[];
  readonly badCount: number;
  /** `line 7: …`, the first of them. */
  readonly firstBad: readonly string[];
}

/** Nothing was read to its end. */
export class TooManyNumbers extends Error {
  override readonly name = "TooManyNumbers";
}

const mostNumbers = 5_000_000;
const mostTold = 20;
const longestLine = 1000;
const longestShown = 40;
const header = /^"?number"?\s*(?:,|$)/i;

/** Throws TooManyNumbers, and what reading the chunks throws. */
export async function readNumberFile(chunks: AsyncIterable<Uint8Array>): Promise<NumberFile> {
  const numbers = new Set<Msisdn>();
  const firstBad: string[] = [];
  let badCount = 0;
  let place = 0;
  const take = (given: string): void => {
    place += 1;
    const wrong = takeLine(given, place === 1, numbers);
    if (wrong === undefined) return;
    badCount += 1;
    if (firstBad.length < mostTold) firstBad.push(`line ${place}: ${wrong}`);
  };
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    // A line without an end must not fill the memory; it is told as too long when it ends.
    rest = (lines.pop() ?? "").slice(0, longestLine + 1);
    for (const line of lines) take(line);
    if (numbers.size > mostNumbers) throw new TooManyNumbers(`it has more than ${mostNumbers} numbers`);
  }
  rest += decoder.decode();
  if (rest !== "") take(rest);
  return { numbers: [...numbers], badCount, firstBad };
}

/** Answers what is wrong. */
function takeLine(given: string, isFirst: boolean, numbers: Set<Msisdn>): string | undefined {
  if (given.length > longestLine) return `is longer than ${longestLine} characters`;
  const line = given.trim();
  if (line === "" || (isFirst && header.test(line))) return undefined;
  const [column = ""] = line.split(",");
  const text = column.trim().replace(/^"(.*)"$/, "$1");
  const number = parseRecipient(cleanNumber(text, "json"));
  if (number === undefined) return `${shown(text)} is not a mobile number`;
  numbers.add(number);
  return undefined;
}

function shown(text: string): string {
  return JSON.stringify(text.length > longestShown ? `${text.slice(0, longestShown)}…` : text);
}
