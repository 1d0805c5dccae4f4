// Asks the person at the terminal. Without a terminal, callers do not ask.
import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import type { CommandContext } from "./command-context.ts";

export function isTerminal(stream: Readable | Writable): boolean {
  return "isTTY" in stream && stream.isTTY === true;
}

/** True for yes. Any other answer, or the end of the input, means no. */
export async function ask({ stdin, stderr }: CommandContext, question: string): Promise<boolean> {
  stderr.write(`${question} [y/N] `);
  // Not as a line editor, which would catch Ctrl-C.
  const lines = createInterface({ input: stdin, terminal: false });
  try {
    for await (const line of lines) return /^\s*(y|yes)\s*$/i.test(line);
    return false;
  } finally {
    lines.close();
    stdin.pause();
  }
}
