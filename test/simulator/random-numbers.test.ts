import { describe, expect, it } from "vitest";
import { randomNumbers } from "../../src/simulator/behaviour-choice.ts";

const drawn = (seed: number, count: number): number[] => Array.from({ length: count }, randomNumbers(seed));

describe("repeatable numbers", () => {
  it("are the published ones of mulberry32", () => {
    const published = [2_693_262_067, 11_749_833, 2_265_367_787, 4_213_581_821, 4_159_151_403];
    expect(drawn(1, 5).map((number) => number * 2 ** 32)).toEqual(published);
  });

  it("are the same for the same seed and others for another", () => {
    expect(drawn(42, 100)).toEqual(drawn(42, 100));
    expect(drawn(42, 100)).not.toEqual(drawn(43, 100));
  });

  it("lie in [0, 1) and fill it evenly", () => {
    const numbers = drawn(7, 10_000);
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    for (let tenth = 0; tenth < 10; tenth += 1) {
      const inTenth = numbers.filter((number) => Math.floor(number * 10) === tenth).length;
      expect(Math.abs(inTenth - 1000)).toBeLessThan(150);
    }
  });
});
