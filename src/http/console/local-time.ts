// Times and days as people write them, in digits that spreadsheets sort: Jalali in Persian,
// Gregorian in English. Pure.
import type { AnswerLanguage } from "../../texts/localize.ts";

const locales = { en: "en-GB-u-ca-gregory-nu-latn", fa: "en-GB-u-ca-persian-nu-latn" } as const;
const formats = new Map<string, Intl.DateTimeFormat>();

/** Throws RangeError for a time zone that does not exist. */
function formatOf(language: AnswerLanguage, timeZone: string): Intl.DateTimeFormat {
  const key = `${language} ${timeZone}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const two = "2-digit";
  const format = new Intl.DateTimeFormat(locales[language], {
    ...{ timeZone, year: "numeric", month: two, day: two, hour: two, minute: two, second: two, hourCycle: "h23" },
  });
  formats.set(key, format);
  return format;
}

function partsOf(time: Date, language: AnswerLanguage, timeZone: string): (type: string) => string {
  const parts = formatOf(language, timeZone).formatToParts(time);
  return (type) => parts.find((part) => part.type === type)?.value ?? "";
}

/** `1405/08/29` or `2026-11-20`, of a day as the API writes it. */
export function localDay(day: string, language: AnswerLanguage): string {
  return localTime(new Date(`${day}T00:00:00Z`), language, "UTC").slice(0, 10);
}

/** `1405/08/29 14:05:09` or `2026-11-20 14:05:09`. Throws RangeError for a time zone that does not exist. */
export function localTime(time: Date, language: AnswerLanguage, timeZone: string): string {
  const part = partsOf(time, language, timeZone);
  const day = ["year", "month", "day"].map(part).join(language === "fa" ? "/" : "-");
  return `${day} ${["hour", "minute", "second"].map(part).join(":")}`;
}
