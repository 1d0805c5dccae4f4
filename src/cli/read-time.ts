// Reads and formats the times of command options.
import { CommandFailed } from "../command-failed.ts";

/** Shown by --help. */
export const timeForm = "2026-11-01 or 2026-11-01T08:00+03:30 (dates are UTC)";

/** Milliseconds since 1970. Throws CommandFailed if the text is not a time. */
export function readTime(option: string, text: string): number {
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (time >= 0) return time;
  throw new CommandFailed(`${option} ${text} is not a time`, {
    hint: "write it as 2026-11-01 or 2026-11-01T08:00:00Z",
    usage: true,
  });
}

/** To the second, UTC. */
export function formatTime(at: Date): string {
  return at.toISOString().slice(0, 19).replace("T", " ");
}

/** To the millisecond, UTC. */
export function formatExactTime(at: Date): string {
  return at.toISOString().slice(0, 23).replace("T", " ");
}
