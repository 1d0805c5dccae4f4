// Parts that all commands share.
import type { Command } from "commander";

/** Shows examples below the options. */
export function withExamples(command: Command, ...examples: readonly string[]): Command {
  const title = examples.length === 1 ? "Example:" : "Examples:";
  return command.addHelpText("after", ["", title, ...examples.map((line) => `  ${line}`)].join("\n"));
}

const results = new WeakMap<Command, number>();

/** Sets the exit code of a command that finished its work without an error. */
export function setResult(command: Command, exitCode: number): void {
  results.set(command, exitCode);
}

export function resultOf(command: Command): number {
  return results.get(command) ?? 0;
}
