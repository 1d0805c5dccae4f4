// Questions to the person at the terminal. Where there is none, nobody is asked.
import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import type { CommandContext } from "./command-context.ts";

export function isTerminal(stream: Readable | Writable): boolean {
  return "isTTY" in stream && stream.isTTY === true;
}

/** Whether the answer is yes. Any other one, and the end of the input, is no. */
export async function ask({ stdin, stderr }: CommandContext, question: string): Promise<boolean> {
  stderr.write(`${question} [y/N] `);
  // Not as a line editor: that would keep Ctrl-C from the process.
  const lines = createInterface({ input: stdin, terminal: false });
  try {
    for await (const line of lines) return /^\s*(y|yes)\s*$/i.test(line);
    return false;
  } finally {
    lines.close();
    stdin.pause();
  }
}
