// Times in the viewer's zone: Jalali in Persian, Gregorian in English, and the exact moment for
// hover and focus.
import { localDate, typedDay } from "./jalali.ts";
import { formatNumber, type Language } from "./numbers.ts";

const locales: Readonly<Record<Language, string>> = { en: "en-GB", fa: "fa-IR-u-ca-persian" };

function formatsOf(options: Intl.DateTimeFormatOptions): Readonly<Record<Language, Intl.DateTimeFormat>> {
  return { en: new Intl.DateTimeFormat(locales.en, options), fa: new Intl.DateTimeFormat(locales.fa, options) };
}

const dayFormats = formatsOf({ day: "numeric", month: "long", year: "numeric" });
const clockFormats = formatsOf({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const secondsFormats = formatsOf({ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });

/** `20 November 2026, 14:05` or `۲۹ آبان ۱۴۰۵، ۱۴:۰۵` */
export function formatTime(language: Language, time: Date): string {
  const comma = language === "fa" ? "،" : ",";
  return `${formatDay(language, time)}${comma} ${clockFormats[language].format(time)}`;
}

/** `14:05:09`, with the day where that is another than today's. */
export function formatNearTime(language: Language, time: Date, now: Date): string {
  const day = formatDay(language, time);
  const clock = secondsFormats[language].format(time);
  return day === formatDay(language, now) ? clock : `${day}${language === "fa" ? "،" : ","} ${clock}`;
}

export function formatDay(language: Language, time: Date): string {
  return inOrder(dayFormats[language], time, ["day", "month", "year"]);
}

const monthFormats = formatsOf({ month: "long", year: "numeric", timeZone: "UTC" });

/** `November 2026` or `آبان ۱۴۰۵`, of a day in UTC. */
export function formatMonth(language: Language, time: Date): string {
  return inOrder(monthFormats[language], time, ["month", "year"]);
}

function inOrder(format: Intl.DateTimeFormat, time: Date, types: readonly Intl.DateTimeFormatPartTypes[]): string {
  const parts = format.formatToParts(time);
  return types.map((type) => parts.find((part) => part.type === type)?.value ?? "").join(" ");
}

const weekdayFormats = formatsOf({ weekday: "narrow", timeZone: "UTC" });

/** `S` or `ش`, of a day in UTC. */
export function formatWeekday(language: Language, time: Date): string {
  return weekdayFormats[language].format(time);
}

const toThousandths = {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
} as const;
const exactFormats = formatsOf(toThousandths);
const zonedFormat = new Intl.DateTimeFormat(locales.en, { ...toThousandths, timeZoneName: "longOffset" });

/** Hours to thousandths, for a line of events: `14:05:09.120` or `۱۴:۰۵:۰۹٫۱۲۰` */
export function formatClock(language: Language, time: Date): string {
  return exactFormats[language].format(time);
}

/** The exact moment with its zone, in ASCII: `2026-11-20 14:05:09.120 GMT+03:30`, in Persian `1405/08/29 14:05:…` */
export function exactTime(language: Language, time: Date): string {
  return `${typedDay(language, localDate(time))} ${zonedFormat.format(time)}`;
}

const relative = {
  en: new Intl.RelativeTimeFormat("en-GB", { numeric: "auto" }),
  fa: new Intl.RelativeTimeFormat("fa-IR", { numeric: "auto" }),
};

const hourMs = 3_600_000;

/** "3 minutes ago" for what is less than an hour old; undefined for what is older or to come. */
export function formatAgo(language: Language, time: Date, now: Date): string | undefined {
  const ageMs = now.getTime() - time.getTime();
  if (ageMs < 0 || ageMs >= hourMs) return undefined;
  const seconds = Math.floor(ageMs / 1000);
  return seconds < 60
    ? relative[language].format(-seconds, "second")
    : relative[language].format(-Math.floor(seconds / 60), "minute");
}

const units = {
  en: { ms: "ms", s: "s", min: "min", h: "h", d: "d" },
  fa: { ms: "میلی‌ثانیه", s: "ثانیه", min: "دقیقه", h: "ساعت", d: "روز" },
} as const;

/** A span as its largest two units that matter: `84 ms`, `3.2 s`, `4 min 10 s`, `2 d 3 h` */
export function formatSpan(language: Language, spanMs: number): string {
  const ms = Math.max(0, Math.round(spanMs));
  const part = (value: number, unit: keyof typeof units.en): string =>
    `${formatNumber(language, value)} ${units[language][unit]}`;
  if (ms < 1000) return part(ms, "ms");
  if (ms < 60_000) return part(ms / 1000, "s");
  const [large, small] = spanUnits.find(([{ spanMs: unitMs }]) => ms >= unitMs) ?? minutesAndSeconds;
  const rest = Math.floor((ms % large.spanMs) / small.spanMs);
  const first = part(Math.floor(ms / large.spanMs), large.unit);
  return rest === 0 ? first : `${first} ${part(rest, small.unit)}`;
}

/** What passed since something else: `+3.2 s`. In Persian, too, the sign stands to the left. */
export function formatElapsed(language: Language, spanMs: number): string {
  return `${language === "fa" ? "\u200e" : ""}+${formatSpan(language, spanMs)}`;
}

const day = { unit: "d", spanMs: 86_400_000 } as const;
const hour = { unit: "h", spanMs: hourMs } as const;
const minute = { unit: "min", spanMs: 60_000 } as const;
const second = { unit: "s", spanMs: 1000 } as const;
const minutesAndSeconds = [minute, second] as const;
const spanUnits = [[day, hour], [hour, minute], minutesAndSeconds] as const;
