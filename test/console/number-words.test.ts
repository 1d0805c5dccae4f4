import { describe, expect, it } from "vitest";
import { numberInWords } from "../../console/src/format/number-words.ts";

describe("an amount in words", () => {
  it.each([
    [0, "zero", "صفر"],
    [1, "one", "یک"],
    [15, "fifteen", "پانزده"],
    [42, "forty-two", "چهل و دو"],
    [100, "one hundred", "صد"],
    [101, "one hundred one", "صد و یک"],
    [1000, "one thousand", "هزار"],
    [1001, "one thousand one", "هزار و یک"],
    [21_000, "twenty-one thousand", "بیست و یک هزار"],
    [500_000, "five hundred thousand", "پانصد هزار"],
    [1_000_000, "one million", "یک میلیون"],
    [1_001_000, "one million one thousand", "یک میلیون و هزار"],
    [
      2_340_567,
      "two million three hundred forty thousand five hundred sixty-seven",
      "دو میلیون و سیصد و چهل هزار و پانصد و شصت و هفت",
    ],
    [-7_000_000_000, "minus seven billion", "منفی هفت میلیارد"],
  ])("%d", (value, english, persian) => {
    expect(numberInWords("en", value)).toBe(english);
    expect(numberInWords("fa", value)).toBe(persian);
  });

  it("is none for what is no whole number that is held exactly", () => {
    expect([1.5, NaN, 2 ** 53].map((value) => numberInWords("en", value))).toEqual([undefined, undefined, undefined]);
    expect(numberInWords("en", Number.MAX_SAFE_INTEGER)).toMatch(/^nine quadrillion/);
  });
});
