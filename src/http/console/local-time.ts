// Times and days as people write them, in digits that spreadsheets sort: Jalali in Persian,
// Gregorian in English. Pure.
import type { AnswerLanguage } from "../../texts/localize.ts";

const locales = { en: "en-GB-u-ca-gregory-nu-latn", fa: "en-GB-u-ca-persian-nu-latn" } as const;

/**
 * Writes `1405/08/29 14:05:09` or `2026-11-20 14:05:09`. Throws RangeError for a time zone that does
 * not exist. Made once for many times, because that takes long.
 */
export function timeWriter(language: AnswerLanguage, timeZone: string): (time: Date) => string {
  const two = "2-digit";
  const format = new Intl.DateTimeFormat(locales[language], {
    ...{ timeZone, year: "numeric", month: two, day: two, hour: two, minute: two, second: two, hourCycle: "h23" },
  });
  return (time) => {
    const parts = format.formatToParts(time);
    const part = (type: string): string => parts.find((each) => each.type === type)?.value ?? "";
    const day = ["year", "month", "day"].map(part).join(language === "fa" ? "/" : "-");
    return `${day} ${["hour", "minute", "second"].map(part).join(":")}`;
  };
}

const utcWriters = { en: timeWriter("en", "UTC"), fa: timeWriter("fa", "UTC") };

/** `1405/08/29` or `2026-11-20`, of a day as the API writes it. */
export function localDay(day: string, language: AnswerLanguage): string {
  return utcWriters[language](new Date(`${day}T00:00:00Z`)).slice(0, 10);
}
