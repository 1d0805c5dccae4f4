// The streams of a command and the functions that write to them. Commands never use process.stdout
// or process.exit directly.
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

/** The standard streams of the process. */
export interface CommandContext {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

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
