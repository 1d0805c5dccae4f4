import { describe, expect, it } from "vitest";
import { percentile, spreadOf } from "../../bench/percentiles.ts";

describe("percentile", () => {
  it("is the value that the share of the sample does not exceed", () => {
    const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
    expect([0.5, 0.9, 0.99, 0.999, 1].map((share) => percentile(hundred, share))).toEqual([50, 90, 99, 100, 100]);
  });

  it("is a value of the sample, however small that is", () => {
    expect(percentile([7], 0.01)).toBe(7);
    expect(percentile([3, 8], 0.5)).toBe(3);
    expect(percentile([], 0.5)).toBeNaN();
  });

  it("does not need a sorted sample in spreadOf", () => {
    expect(spreadOf([30, 10, 20])).toEqual({ count: 3, p50: 20, p90: 30, p99: 30, p999: 30, most: 30 });
  });
});
