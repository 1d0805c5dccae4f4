// What commands print: lines, tables, lists of any length, JSON, times, progress.
import { once } from "node:events";
import { isTerminal } from "./terminal.ts";
import type { CommandContext, CommandLine } from "./command.ts";
import { wrongUsage } from "../platform/command-failed.ts";

export function print(context: CommandContext, text: string): void {
  context.stdout.write(`${text}\n`);
}

/**
 * For long output: no faster than it is read. Throws when the output takes no more, so that nothing
 * is read for nobody.
 */
export async function printLines({ stdout }: CommandContext, lines: readonly string[]): Promise<void> {
  if (stdout.errored) throw stdout.errored;
  if (!stdout.write(lines.map((line) => `${line}\n`).join(""))) await once(stdout, "drain");
}

/** For people only: progress and warnings. */
export function note(context: CommandContext, text: string): void {
  context.stderr.write(`${text}\n`);
}

/** One JSON document. An amount is a number if JSON holds it exactly, else text. */
export function printJson(context: CommandContext, value: unknown): void {
  print(context, toJson(value));
}

/** Control characters of any kind are escaped, because it may be shown by a terminal. */
export function toJson(value: unknown): string {
  return stringify(value).replace(moving, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** DEL, C1, line separators and bidirectional controls: JSON.stringify escapes C0 alone. */
const moving = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

function stringify(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => {
    if (typeof item !== "bigint") return item;
    return item >= BigInt(Number.MIN_SAFE_INTEGER) && item <= BigInt(Number.MAX_SAFE_INTEGER)
      ? Number(item)
      : item.toString();
  });
}

/** Each column by its heading; one that begins with a blank is aligned to the right. */
export function tableLines(headings: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const isRight = headings.map((heading) => heading.startsWith(" "));
  const all = [headings.map((heading) => heading.trim()), ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  return all.map((row) =>
    row
      .map((cell, column) =>
        isRight[column] === true ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
}

export function printTable(
  context: CommandContext,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  for (const line of tableLines(headings, rows)) print(context, line);
}

export const rowsOfPage = 1000;

/** The pages of a list: `read` answers those after the given one, `size` of them at most. */
export async function* readPages<Item>(
  read: (after: Item | undefined) => Promise<readonly Item[]>,
  size = rowsOfPage,
): AsyncGenerator<readonly Item[]> {
  let page: readonly Item[] = [];
  do {
    page = await read(page.at(-1));
    if (page.length > 0) yield page;
  } while (page.length === size);
}

export interface ListForm<Item> {
  /** As a JSON array of these; otherwise a table for people. */
  readonly json?: ((item: Item) => object) | undefined;
  readonly headings: readonly string[];
  readonly row: (item: Item) => readonly string[];
  /** Instead of an empty table. */
  readonly none: string;
}

/** Page by page, because a list may be larger than memory. */
export async function printList<Item>(
  context: CommandContext,
  pages: AsyncIterable<readonly Item[]>,
  { json, headings, row, none }: ListForm<Item>,
): Promise<void> {
  let isEmpty = true;
  for await (const page of pages) {
    if (json)
      await printLines(
        context,
        [page.map((item) => toJson(json(item))).join(",\n")].map((text) => (isEmpty ? `[${text}` : `,${text}`)),
      );
    else await printLines(context, tableLines(headings, page.map(row)).slice(isEmpty ? 0 : 1));
    isEmpty = false;
  }
  if (json) print(context, isEmpty ? "[]" : "]");
  else if (isEmpty) print(context, none);
}

/** 1 row, 2 rows. */
export function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}

/** To the second, UTC. */
export function formatTime(at: Date): string {
  return at.toISOString().slice(0, 19).replace("T", " ");
}

const oneLineEveryMs = 1000;

/**
 * Tells the person at a terminal how far a long command has come, and writes nothing into a log.
 * The returned function may be called often: it writes at most one line a second.
 */
export function progressLines<Progress extends readonly unknown[]>(
  context: CommandContext,
  describe: (...progress: Progress) => string,
): (...progress: Progress) => void {
  if (!isTerminal(context.stderr)) return () => undefined;
  let next = performance.now() + oneLineEveryMs;
  return (...progress) => {
    if (performance.now() < next) return;
    next = performance.now() + oneLineEveryMs;
    note(context, describe(...progress));
  };
}

// Reads the times of command options.

/** Shown by --help. */
export const timeForm = "2026-11-01 or 2026-11-01T08:00+03:30 (UTC if no offset is given)";

const form =
  /^(?<day>\d{4}-\d{2}-\d{2})(?:[T ](?<clock>\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(?<offset>Z|[+-]\d{2}:?\d{2})?)?$/i;

/** Milliseconds since 1970. Without an offset it is UTC, as what commands print. */
export function parseTime(text: string): number {
  const { day = "", clock = "00:00", offset = "Z" } = form.exec(text)?.groups ?? {};
  // 30 February is no day, though Date takes it for one of March.
  const isDay = !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);
  const zone = offset.toUpperCase().replace(/(\d{2})(\d{2})$/, "$1:$2");
  return isDay ? Date.parse(`${day}T${clock}${zone}`) : Number.NaN;
}

/** Unix seconds or a time, in milliseconds. */
export function readTime(option: string, given: CommandLine): number | undefined {
  const text = given.text(option);
  if (text === undefined) return undefined;
  const time = /^\d{1,11}$/.test(text) ? Number(text) * 1000 : parseTime(text);
  if (time >= 0) return time;
  throw wrongUsage(`--${option} ${text} is not a time`, "write it as 2026-11-01 or 2026-11-01T08:00:00Z");
}
