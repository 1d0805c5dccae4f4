import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatAbsoluteTime, formatRelativeTime, parseSmppTime } from "../../src/smpp/smpp-time.ts";

describe("absolute", () => {
  it("reads the offset from UTC in quarter hours", () => {
    // 10:15:30 in Tehran, fourteen quarter hours ahead.
    expect(parseSmppTime("261120101530014+")).toEqual({ kind: "absolute", at: new Date("2026-11-20T06:45:30Z") });
    expect(parseSmppTime("261120101530514-")).toEqual({ kind: "absolute", at: new Date("2026-11-20T13:45:30.500Z") });
  });

  it("survives the round trip", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("2000-01-01"), max: new Date("2099-12-31"), noInvalidDate: true }),
        (date) => {
          const at = new Date(Math.floor(date.getTime() / 100) * 100);
          const text = formatAbsoluteTime(at);
          expect(text).toHaveLength(16);
          expect(parseSmppTime(text)).toEqual({ kind: "absolute", at });
        },
      ),
    );
  });

  it.each(["", "260230000000000+", "261320000000000+", "261120101530049+", "261120241530000+", "abc"])(
    "%s is no time",
    (text) => {
      expect(parseSmppTime(text)).toBeUndefined();
    },
  );
});

describe("relative", () => {
  it("is written as the book's example of two minutes and of a day", () => {
    expect(formatRelativeTime(120)).toBe("000000000200000R");
    expect(formatRelativeTime(86_400)).toBe("000001000000000R");
    expect(formatRelativeTime(0)).toBe("000000000001000R");
  });

  it("survives the round trip up to a year and beyond", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 * 366 * 86_400 }), (seconds) => {
        const text = formatRelativeTime(seconds);
        expect(text).toMatch(/^\d{15}R$/);
        expect(parseSmppTime(text)).toEqual({ kind: "relative", seconds });
      }),
    );
  });
});
