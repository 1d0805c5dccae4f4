// Reads lines with mobile numbers by the million. What is wrong is told with its line.
import { cleanNumber, type Msisdn, parseRecipient } from "../sms/msisdn.ts";
import { printable } from "../sms/one-line.ts";

export interface BadLines {
  readonly count: number;
  /** `line 7: …`, the first of them. */
  readonly first: readonly string[];
}

export interface LineTaker {
  /** Answers what is wrong. The line has no blanks at its ends, and is not empty. */
  take(line: string, place: number): string | undefined;
  /** Rows taken so far. */
  readonly size: number;
}

/** Nothing was read to its end. */
export class TooManyRows extends Error {
  override readonly name = "TooManyRows";
}

/** A collector holds each row in four octets. */
const mostRows = 50_000_000;
const longestLine = 1000;
const mostTold = 20;

/** Throws TooManyRows, and what reading the chunks throws. `progress` is told the rows so far. */
export async function readLines(
  chunks: AsyncIterable<Uint8Array>,
  taker: LineTaker,
  progress?: (rows: number) => void,
): Promise<BadLines> {
  const first: string[] = [];
  let count = 0;
  let place = 0;
  const read = (given: string): void => {
    place += 1;
    const wrong = wrongOf(taker, given, place);
    if (wrong === undefined) return;
    count += 1;
    if (first.length < mostTold) first.push(`line ${place}: ${wrong}`);
  };
  // A wrong octet becomes U+FFFD, which no number and hardly a name has.
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    // A line without an end must not fill the memory; it is told as too long when it ends.
    rest = (lines.pop() ?? "").slice(0, longestLine + 1);
    for (const line of lines) read(line);
    if (taker.size > mostRows) throw new TooManyRows(`it has more than ${mostRows} rows`);
    progress?.(taker.size);
  }
  rest += decoder.decode();
  if (rest !== "") read(rest);
  return { count, first };
}

function wrongOf(taker: LineTaker, given: string, place: number): string | undefined {
  if (given.length > longestLine) return `is longer than ${longestLine} characters`;
  const line = given.trim();
  return line === "" ? undefined : taker.take(line, place);
}

export function readMobile(text: string): Msisdn | undefined {
  return parseRecipient(cleanNumber(text, "json"));
}

export function notMobile(text: string): string {
  return `${shown(text)} is not a mobile number`;
}

const longestShown = 40;

export function shown(text: string): string {
  return printable(JSON.stringify(text.length > longestShown ? `${text.slice(0, longestShown)}…` : text));
}
