import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatAbsoluteTime, formatRelativeTime } from "../../src/smpp/smpp-time.ts";

const pairsOf = (text: string): number[] => (text.match(/\d\d/g) ?? []).map(Number);

describe("absolute", () => {
  it("is in UTC, with the tenth of a second", () => {
    expect(formatAbsoluteTime(new Date("2026-11-20T10:15:30.599Z"))).toBe("261120101530500+");
  });

  it("names the moment it was made of, whatever it is", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("2000-01-01"), max: new Date("2099-12-31"), noInvalidDate: true }),
        (date) => {
          const text = formatAbsoluteTime(date);
          expect(text).toMatch(/^\d{13}00\+$/);
          const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = pairsOf(text.slice(0, 12));
          const named = Date.UTC(2000 + year, month - 1, day, hours, minutes, seconds, Number(text[12]) * 100);
          expect(named).toBe(Math.floor(date.getTime() / 100) * 100);
        },
      ),
    );
  });
});

describe("relative", () => {
  it("is written as the book's example of two minutes and of a day", () => {
    expect(formatRelativeTime(120)).toBe("000000000200000R");
    expect(formatRelativeTime(86_400)).toBe("000001000000000R");
    expect(formatRelativeTime(0)).toBe("000000000001000R");
  });

  it("adds up to the seconds it was made of, up to a year and beyond", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 * 366 * 86_400 }), (total) => {
        const text = formatRelativeTime(total);
        expect(text).toMatch(/^\d{12}000R$/);
        const [years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = pairsOf(text.slice(0, 12));
        expect(months <= 12 && days < 30).toBe(true);
        const wholeDays = years * 365 + months * 30 + days;
        expect(wholeDays * 86_400 + hours * 3600 + minutes * 60 + seconds).toBe(total);
      }),
    );
  });
});
