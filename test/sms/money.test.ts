import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatRials, parseRials } from "../../src/sms/money.ts";

describe("formatRials", () => {
  it.each([
    [0n, "0"],
    [7n, "7"],
    [999n, "999"],
    [1000n, "1,000"],
    [1390n, "1,390"],
    [999_999n, "999,999"],
    [1_250_000n, "1,250,000"],
    [-999n, "-999"],
    [-1390n, "-1,390"],
    [-100_000n, "-100,000"],
    [12_345_678_901_234_567_890n, "12,345,678,901,234,567,890"],
  ])("writes %s as %s", (amount, text) => {
    expect(formatRials(amount)).toBe(text);
  });
});

describe("parseRials", () => {
  it.each([
    ["1390", 1390n],
    ["1,390", 1390n],
    ["+5000", 5000n],
    ["-1,250,000", -1_250_000n],
    ["0", 0n],
    ["999999999999999999", 999_999_999_999_999_999n],
  ])("reads %s", (text, amount) => {
    expect(parseRials(text)).toBe(amount);
  });

  it.each(["", "+", "1,39", "13,90", ",390", "1390,", "1.5", "1e3", "0x10", " 5", "--5", "1000000000000000000", "۵"])(
    "refuses %j",
    (text) => {
      expect(parseRials(text)).toBeUndefined();
    },
  );

  it("reads back what formatRials writes", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 18n) + 1n, max: 10n ** 18n - 1n }), (amount) => {
        expect(parseRials(formatRials(amount))).toBe(amount);
      }),
    );
  });
});
