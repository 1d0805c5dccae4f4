// Small parts of which every command is made.
import type { Command } from "commander";

/** Shows examples below the options. */
export function withExamples(command: Command, ...examples: readonly string[]): Command {
  const title = examples.length === 1 ? "Example:" : "Examples:";
  return command.addHelpText("after", ["", title, ...examples.map((line) => `  ${line}`)].join("\n"));
}

const results = new WeakMap<Command, number>();

/** For commands that did their work and yet have something to report by their exit code. */
export function setResult(command: Command, exitCode: number): void {
  results.set(command, exitCode);
}

export function resultOf(command: Command): number {
  return results.get(command) ?? 0;
}
