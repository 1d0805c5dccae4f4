// Tells the person at a terminal how far a long command has come. Writes nothing into a log.
import { isTerminal } from "./ask.ts";
import { note, type CommandContext } from "./command-context.ts";

const oneLineEveryMs = 1000;

/** The returned function may be called often: it writes at most one line a second. */
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
