// The streams of a command and the functions that write to them. Commands never use process.stdout or process.exit directly.
import type { Readable, Writable } from "node:stream";

/** The standard streams of the process. */
export interface CommandContext {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** Exit codes; 0 is success. */
export const exitCode = { failed: 1, usage: 2 } as const;

export interface CommandFailedOptions {
  readonly hint?: string;
  /** One line each. */
  readonly details?: readonly string[];
  /** The command line or its input is wrong; the exit code is 2. */
  readonly usage?: boolean;
}

/** An error with a complete explanation: one line, optional details, and a hint on what to do. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";
  readonly hint: string | undefined;
  readonly details: readonly string[];
  readonly exitCode: number;

  constructor(message: string, options: CommandFailedOptions = {}) {
    super(message);
    this.details = options.details ?? [];
    this.hint = options.hint;
    this.exitCode = options.usage === true ? exitCode.usage : exitCode.failed;
  }
}

export function print(context: CommandContext, text: string): void {
  context.stdout.write(`${text}\n`);
}

/** For people only: progress and warnings. */
export function note(context: CommandContext, text: string): void {
  context.stderr.write(`${text}\n`);
}

/** One JSON document. An amount is a number if JSON holds it exactly, else text. */
export function printJson(context: CommandContext, value: unknown): void {
  print(context, toJson(value));
}

export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => {
    if (typeof item !== "bigint") return item;
    return item >= BigInt(Number.MIN_SAFE_INTEGER) && item <= BigInt(Number.MAX_SAFE_INTEGER)
      ? Number(item)
      : item.toString();
  });
}
