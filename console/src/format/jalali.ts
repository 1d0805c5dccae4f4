// Days as people type them: 1405/08/30 in the Jalali calendar, 2026-11-21 in the Gregorian one. The
// calendar itself is the browser's.
import { asciiDigits, type Language } from "./numbers.ts";

const dayMs = 86_400_000;
const jalali = new Intl.DateTimeFormat("en-US-u-ca-persian-nu-latn", {
  timeZone: "UTC",
  year: "numeric",
  month: "numeric",
  day: "numeric",
});

interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

export function jalaliOf(utcDay: Date): Day {
  const parts = jalali.formatToParts(utcDay);
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    Number.parseInt(parts.find((each) => each.type === type)?.value ?? "0", 10);
  return { year: part("year"), month: part("month"), day: part("day") };
}

/** `2026-11-21`; undefined for a day that the calendar does not have. */
export function gregorianOf({ year, month, day }: Day): string | undefined {
  // The year begins at 19 to 22 March; the months before the seventh have 31 days, the others 30 or
  // fewer.
  const passed = (month - 1) * 30 + Math.min(month - 1, 6) + day - 1;
  const guess = Date.UTC(year + 621, 2, 20) + passed * dayMs;
  for (const offset of [0, 1, -1, 2, -2]) {
    const date = new Date(guess + offset * dayMs);
    const found = jalaliOf(date);
    if (found.year === year && found.month === month && found.day === day) return date.toISOString().slice(0, 10);
  }
  return undefined;
}

/**
 * A day that was typed, as `2026-11-21`. A year below 1700 is a Jalali one, whatever the language.
 */
export function readDay(typed: string): string | undefined {
  const match = /^\s*(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\s*$/.exec(asciiDigits(typed));
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number);
  if (month < 1 || month > 12 || day < 1 || day > 31) return undefined;
  if (year < 1700) return gregorianOf({ year, month, day });
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCDate() === day ? date.toISOString().slice(0, 10) : undefined;
}

/** `2026-11-21` as one types it: in ASCII, in the calendar of the language. */
export function typedDay(language: Language, day: string): string {
  if (language === "en") return day;
  const { year, month, day: date } = jalaliOf(new Date(`${day}T00:00:00Z`));
  return `${year}/${String(month).padStart(2, "0")}/${String(date).padStart(2, "0")}`;
}

/** The days (`2026-11-21`) of the month of a day, in the calendar of the language. */
export function monthOf(language: Language, day: string): readonly string[] {
  const monthAt = (time: number): number =>
    language === "fa" ? jalaliOf(new Date(time)).month : new Date(time).getUTCMonth();
  const given = Date.parse(`${day}T00:00:00Z`);
  const month = monthAt(given);
  const days: string[] = [];
  for (let offset = -31; offset <= 31; offset += 1) {
    const time = given + offset * dayMs;
    if (monthAt(time) === month) days.push(new Date(time).toISOString().slice(0, 10));
  }
  return days;
}

/** `2026-11-21`, where the viewer is. */
export function localDate(time: Date): string {
  const two = (figure: number) => String(figure).padStart(2, "0");
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);
}

/** Days of its week before a day: the week begins on Saturday in Persian, on Monday in English. */
export function dayOfWeek(language: Language, day: string): number {
  return (new Date(`${day}T00:00:00Z`).getUTCDay() + (language === "fa" ? 1 : 6)) % 7;
}

/** Ranges that people ask for, each by its first and its last day. */
export function rangesUntil(language: Language, today: string) {
  const [first = today] = monthOf(language, today);
  const before = monthOf(language, dayAfter(first, -1));
  return {
    thisWeek: { since: dayAfter(today, -dayOfWeek(language, today)), until: today },
    sevenDays: { since: dayAfter(today, -6), until: today },
    thisMonth: { since: first, until: today },
    lastMonth: { since: before[0] ?? first, until: before.at(-1) ?? first },
  };
}

/** The moment at which a day (`2026-11-21`) begins here, and the next one. */
export function startOfDay(day: string): Date {
  return new Date(`${day}T00:00:00`);
}

export function endOfDay(day: string): Date {
  const start = startOfDay(day);
  return new Date(start.getFullYear(), start.getMonth(), start.getDate() + 1);
}

/**
 * The moment here of a day of either calendar and a time of the day (`14:05`, `14:05:30`) that were
 * typed; undefined where one of them cannot be read.
 */
export function readMoment(day: string, clock: string): Date | undefined {
  const date = readDay(day);
  const parts = /^\s*(\d{1,2}):(\d{2})(?::(\d{2}))?\s*$/.exec(asciiDigits(clock));
  if (date === undefined || parts === null) return undefined;
  const [hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part || 0));
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  const two = (value: number) => String(value).padStart(2, "0");
  return new Date(`${date}T${two(hours)}:${two(minutes)}:${two(seconds)}`);
}
