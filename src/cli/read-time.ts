// Reads the times of command options.
import { wrongUsage } from "../platform/command-failed.ts";
import type { CommandLine } from "./command.ts";

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
