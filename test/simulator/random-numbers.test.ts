import { describe, expect, it } from "vitest";
import { randomNumbers } from "../../src/simulator/behaviour-choice.ts";

const drawn = (seed: number, count: number): number[] => Array.from({ length: count }, randomNumbers(seed));

describe("repeatable numbers", () => {
  it("are the same for the same seed and others for another", () => {
    expect(drawn(42, 100)).toEqual(drawn(42, 100));
    expect(drawn(42, 100)).not.toEqual(drawn(43, 100));
  });
});
