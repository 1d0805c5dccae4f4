// What commands print: lines, tables, lists of any length, JSON, times, progress.
import { once } from "node:events";
import { isTerminal } from "./terminal.ts";
import type { CommandContext } from "./command.ts";

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

/** The pages of a list: `read` answers those after the given one, `rowsOfPage` of them at most. */
export async function* readPages<Item>(
  read: (after: Item | undefined) => Promise<readonly Item[]>,
): AsyncGenerator<readonly Item[]> {
  let page: readonly Item[] = [];
  do {
    page = await read(page.at(-1));
    if (page.length > 0) yield page;
  } while (page.length === rowsOfPage);
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
