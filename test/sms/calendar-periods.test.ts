import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CalendarPeriods, type CalendarName, contains } from "../../src/sms/account-limits.ts";

const tell = (timeZone: string, calendar: CalendarName, instant: string) => {
  const { day, month } = new CalendarPeriods({ timeZone, calendar }).at(Date.parse(instant));
  return [day.from, day.until, month.from, month.until].map((time) => time.toISOString().replace(":00.000Z", "Z"));
};

describe("the day and the month of an instant", () => {
  it.each([
    // Noruz of 1405 was on 21 March 2026; Esfand of 1404 had 29 days, that of 1403 had 30.
    [
      "jalali",
      "2026-03-20T20:29:59.999Z",
      "2026-03-19T20:30Z",
      "2026-03-20T20:30Z",
      "2026-02-19T20:30Z",
      "2026-03-20T20:30Z",
    ],
    [
      "jalali",
      "2026-03-20T20:30:00.000Z",
      "2026-03-20T20:30Z",
      "2026-03-21T20:30Z",
      "2026-03-20T20:30Z",
      "2026-04-20T20:30Z",
    ],
    [
      "jalali",
      "2025-03-20T12:00:00Z",
      "2025-03-19T20:30Z",
      "2025-03-20T20:30Z",
      "2025-02-18T20:30Z",
      "2025-03-20T20:30Z",
    ],
    // Mehr, the seventh, has 30 days.
    [
      "jalali",
      "2026-10-10T12:00:00Z",
      "2026-10-09T20:30Z",
      "2026-10-10T20:30Z",
      "2026-09-22T20:30Z",
      "2026-10-22T20:30Z",
    ],
    [
      "gregorian",
      "2026-12-31T20:29:00Z",
      "2026-12-30T20:30Z",
      "2026-12-31T20:30Z",
      "2026-11-30T20:30Z",
      "2026-12-31T20:30Z",
    ],
    [
      "gregorian",
      "2026-12-31T20:30:00Z",
      "2026-12-31T20:30Z",
      "2027-01-01T20:30Z",
      "2026-12-31T20:30Z",
      "2027-01-31T20:30Z",
    ],
    [
      "gregorian",
      "2028-02-29T12:00:00Z",
      "2028-02-28T20:30Z",
      "2028-02-29T20:30Z",
      "2028-01-31T20:30Z",
      "2028-02-29T20:30Z",
    ],
  ] as const)("in Tehran, %s: %s", (calendar, instant, ...periods) => {
    expect(tell("Asia/Tehran", calendar, instant)).toEqual(periods);
  });

  it("follows a clock that is set forward and back", () => {
    expect(tell("Europe/Berlin", "gregorian", "2026-03-29T12:00:00Z").slice(0, 2)).toEqual([
      "2026-03-28T23:00Z",
      "2026-03-29T22:00Z",
    ]);
    expect(tell("Europe/Berlin", "gregorian", "2026-10-25T12:00:00Z").slice(0, 2)).toEqual([
      "2026-10-24T22:00Z",
      "2026-10-25T23:00Z",
    ]);
    // Samoa had no 30 December in 2011.
    expect(tell("Pacific/Apia", "gregorian", "2011-12-30T09:59:00Z").slice(0, 2)).toEqual([
      "2011-12-29T10:00Z",
      "2011-12-30T10:00Z",
    ]);
  });
});

describe("at any instant, in any zone", () => {
  const zones = ["Asia/Tehran", "UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia", "Australia/Lord_Howe"];
  const instants = fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2080, 0) });
  it.each(["jalali", "gregorian"] as const)("%s: periods contain it and touch their neighbours", (calendar) => {
    fc.assert(
      fc.property(instants, fc.constantFrom(...zones.slice(0, 3)), (instant, timeZone) => {
        const periods = new CalendarPeriods({ timeZone, calendar });
        for (const kind of ["day", "month"] as const) {
          const period = periods.at(instant)[kind];
          expect(contains(period, instant)).toBe(true);
          expect(periods.at(period.until.getTime())[kind].from).toEqual(period.until);
          expect(periods.at(period.from.getTime() - 1)[kind].until).toEqual(period.from);
        }
        const { day, month } = periods.at(instant);
        expect(month.from <= day.from && day.until <= month.until).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it("agrees with a calendar that begins anew for each question", () => {
    fc.assert(
      fc.property(fc.array(instants, { minLength: 2, maxLength: 4 }), fc.constantFrom(...zones), (list, timeZone) => {
        const remembering = new CalendarPeriods({ timeZone, calendar: "jalali" });
        for (const instant of list)
          expect(remembering.at(instant)).toEqual(new CalendarPeriods({ timeZone, calendar: "jalali" }).at(instant));
      }),
      { numRuns: 30 },
    );
  });
});
