import fc from "fast-check";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { readTimestamp } from "../../src/store/array-parameters.ts";

const byDriver = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ) as (text: string) => Date | number;

describe("readTimestamp", () => {
  it.each([
    ["2026-11-25 18:47:33+00", "2026-11-25T18:47:33.000Z"],
    ["2026-11-25 18:47:33.5+00", "2026-11-25T18:47:33.500Z"],
    ["2026-11-25 18:47:33.123456+00", "2026-11-25T18:47:33.123Z"],
    ["2026-11-25 18:47:33.569999+00", "2026-11-25T18:47:33.569Z"],
    ["2026-11-25 22:17:33+03:30", "2026-11-25T18:47:33.000Z"],
    ["0044-03-15 12:00:00+00 BC", "-000043-03-15T12:00:00.000Z"],
    ["12026-11-25 18:47:33+00", "+012026-11-25T18:47:33.000Z"],
  ])("reads %s", (text, expected) => {
    expect((readTimestamp(text) as Date).toISOString()).toBe(expected);
  });

  it("leaves infinity to the driver", () => {
    expect(readTimestamp("infinity")).toBe(Infinity);
    expect(readTimestamp("-infinity")).toBe(-Infinity);
  });

  it("reads every millisecond of four thousand years as the driver does", () => {
    const times = fc.date({ min: new Date("1000-01-01"), max: new Date("4999-12-31"), noInvalidDate: true });
    fc.assert(
      fc.property(times, (time) => {
        const text = `${time.toISOString().replace("T", " ").slice(0, -1)}+00`;
        expect(readTimestamp(text)).toEqual(time);
        const whole = text.replace(/\.\d+/, "");
        expect(readTimestamp(whole)).toEqual(byDriver(whole));
      }),
    );
  });
});
