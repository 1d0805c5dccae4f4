import { describe, expect, it } from "vitest";
import { gregorianOf, jalaliOf, readDay, readMoment, typedDay } from "../../console/src/format/jalali.ts";
import { asciiDigits, formatNumber, localDigits } from "../../console/src/format/numbers.ts";
import { formatAgo, formatClock, formatDay, formatElapsed, formatSpan } from "../../console/src/format/times.ts";

describe("figures", () => {
  it("have the separators and digits of their language", () => {
    expect(formatNumber("en", 1234567)).toBe("1,234,567");
    expect(formatNumber("fa", 1234567)).toBe("۱٬۲۳۴٬۵۶۷");
    expect(localDigits("fa", "1405/08/30")).toBe("۱۴۰۵/۰۸/۳۰");
    expect(localDigits("en", "14")).toBe("14");
    expect(asciiDigits("۰۹۱۲٣٤٥ 6")).toBe("0912345 6");
  });
});

describe("days in the Jalali calendar", () => {
  it.each([
    ["1405/08/30", "2026-11-21"],
    ["1405/1/1", "2026-03-21"],
    ["1403/12/30", "2025-03-20"],
    ["1404/12/29", "2026-03-20"],
    ["1399/12/30", "2021-03-20"],
    ["۱۴۰۵/۰۷/۰۱", "2026-09-23"],
    ["1405-06-31", "2026-09-22"],
    ["2026-11-21", "2026-11-21"],
    [" 2026/2/28 ", "2026-02-28"],
  ])("read %s as %s", (typed, day) => {
    expect(readDay(typed)).toBe(day);
  });

  it.each([
    "1404/12/30",
    "1405/07/31",
    "1405/13/01",
    "1405/00/10",
    "2026-02-30",
    "2026-11",
    "",
    "tomorrow",
    "1405/08/30x",
  ])("know no day %j", (typed) => {
    expect(readDay(typed)).toBeUndefined();
  });

  it("agree with the browser's calendar on every day of thirty years", () => {
    for (let at = Date.UTC(2010, 0, 1); at < Date.UTC(2040, 0, 1); at += 86_400_000) {
      const day = new Date(at);
      expect(gregorianOf(jalaliOf(day))).toBe(day.toISOString().slice(0, 10));
    }
  });

  it("are typed in the calendar of the language", () => {
    expect(typedDay("fa", "2026-11-21")).toBe("1405/08/30");
    expect(typedDay("en", "2026-11-21")).toBe("2026-11-21");
    expect(formatDay("fa", new Date(2026, 10, 21, 12))).toBe("۳۰ آبان ۱۴۰۵");
    expect(formatDay("en", new Date(2026, 10, 21, 12))).toBe("21 November 2026");
  });
});

describe("spans and ages", () => {
  it.each([
    [0, "0 ms", "۰ میلی‌ثانیه"],
    [84, "84 ms", "۸۴ میلی‌ثانیه"],
    [3_240, "3.2 s", "۳٫۲ ثانیه"],
    [250_000, "4 min 10 s", "۴ دقیقه ۱۰ ثانیه"],
    [3_600_000, "1 h", "۱ ساعت"],
    [183_600_000, "2 d 3 h", "۲ روز ۳ ساعت"],
    [-5, "0 ms", "۰ میلی‌ثانیه"],
  ])("%d ms reads %s and %s", (ms, english, persian) => {
    expect(formatSpan("en", ms)).toBe(english);
    expect(formatSpan("fa", ms)).toBe(persian);
  });

  it("are written with the decimal sign and the direction of the language", () => {
    const time = new Date(2026, 10, 21, 14, 5, 9, 120);
    expect(formatClock("en", time)).toBe("14:05:09.120");
    expect(formatClock("fa", time)).toBe("۱۴:۰۵:۰۹٫۱۲۰");
    expect(formatElapsed("en", 3_240)).toBe("+3.2 s");
    // The mark keeps the plus to the left of the figure, as the minus of an amount is.
    expect(formatElapsed("fa", 3_240)).toBe("\u200e+۳٫۲ ثانیه");
  });

  it("are told as ages under an hour only", () => {
    const now = new Date("2026-11-21T12:00:00Z");
    const before = (ms: number) => new Date(now.getTime() - ms);
    expect(formatAgo("en", before(180_000), now)).toBe("3 minutes ago");
    expect(formatAgo("fa", before(180_000), now)).toBe("۳ دقیقه پیش");
    expect(formatAgo("en", before(3_600_000), now)).toBeUndefined();
    expect(formatAgo("en", before(-1), now)).toBeUndefined();
  });
});

describe("a moment that was typed", () => {
  it.each([
    ["2026-11-21", "14:05", new Date(2026, 10, 21, 14, 5)],
    ["1405/08/30", " 9:05:07 ", new Date(2026, 10, 21, 9, 5, 7)],
    ["۱۴۰۵/۰۸/۳۰", "۲۳:۵۹:۵۹", new Date(2026, 10, 21, 23, 59, 59)],
  ])("%s %s is of the viewer's zone", (day, clock, moment) => {
    expect(readMoment(day, clock)).toEqual(moment);
  });

  it.each([
    ["2026-11-21", "24:00"],
    ["2026-11-21", "12:60"],
    ["2026-11-21", "12:00:60"],
    ["2026-11-21", "noon"],
    ["2026-11-21", ""],
    ["2026-11-31", "12:00"],
  ])("%s %s is none", (day, clock) => {
    expect(readMoment(day, clock)).toBeUndefined();
  });
});
