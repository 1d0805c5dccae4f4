/**
 * The time formats of SMPP 3.4 §7.1.1: `YYMMDDhhmmsstnnp`, absolute (p is + or -, nn quarter hours from UTC) or relative
 * (p is R). Pure.
 */

export type SmppTime =
  | { readonly kind: "absolute"; readonly at: Date }
  /** Months count 30 days and years 365: the format leaves their length to the SMSC. */
  | { readonly kind: "relative"; readonly seconds: number };

const format = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d)(\d\d)([+\-R])$/;

const secondsPerDay = 86_400;
const quarterHourMs = 15 * 60_000;
const longestQuarterHours = 48;
const longestRelativeDays = 99 * 365;

/** Undefined for the empty string (immediate, or the SMSC's default) and for anything that is not a time. */
export function parseSmppTime(text: string): SmppTime | undefined {
  const match = format.exec(text);
  if (match === null) return undefined;
  const numbers = match.slice(1, 9).map(Number);
  return match[9] === "R" ? relativeTime(numbers) : absoluteTime(numbers, match[9] === "-" ? -1 : 1);
}

function relativeTime([years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0]: number[]): SmppTime {
  const wholeDays = years * 365 + months * 30 + days;
  return { kind: "relative", seconds: wholeDays * secondsPerDay + hours * 3600 + minutes * 60 + seconds };
}

function absoluteTime(numbers: number[], direction: 1 | -1): SmppTime | undefined {
  const [years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0, tenths = 0, quarterHours = 0] = numbers;
  const local = Date.UTC(2000 + years, months - 1, days, hours, minutes, seconds, tenths * 100);
  const isCalendar = new Date(local).toISOString().slice(2, 19).replace(/\D/g, "") === pairs(numbers.slice(0, 6));
  if (!isCalendar || quarterHours > longestQuarterHours) return undefined;
  return { kind: "absolute", at: new Date(local - direction * quarterHours * quarterHourMs) };
}

function pairs(numbers: number[]): string {
  return numbers.map((number) => String(number).padStart(2, "0")).join("");
}

/** UTC, whole tenths of a second. */
export function formatAbsoluteTime(at: Date): string {
  const digits = at.toISOString().replace(/\D/g, "");
  return `${digits.slice(2, 14)}${digits.slice(14, 15)}00+`;
}

/** Whole seconds, rounded up, at least one; days beyond 30 are carried into months of 30 days and years of 365. */
export function formatRelativeTime(seconds: number): string {
  const total = Math.max(Math.ceil(seconds), 1);
  const totalDays = Math.min(Math.floor(total / secondsPerDay), longestRelativeDays);
  const years = Math.floor(totalDays / 365);
  const months = Math.min(Math.floor((totalDays % 365) / 30), 12);
  const days = (totalDays % 365) - months * 30;
  const rest = total % secondsPerDay;
  const fields = [years, months, days, Math.floor(rest / 3600), Math.floor((rest % 3600) / 60), rest % 60];
  return `${pairs(fields)}000R`;
}
