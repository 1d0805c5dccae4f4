import { describe, expect, it } from "vitest";
import { readRetryAfter, retryDelayMs } from "../../src/webhooks/retry-times.ts";

const named = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

describe("schedule of tries", () => {
  it.each(named.map((seconds, index) => [index + 1, seconds]))("after try %i waits %i s, ± 10 %%", (tries, seconds) => {
    expect(retryDelayMs(tries, 0.5)).toBe(seconds * 1000);
    expect(retryDelayMs(tries, 0)).toBe(seconds * 900);
    expect(retryDelayMs(tries, 1)).toBe(seconds * 1100);
  });

  it("gives up after ten tries", () => {
    expect(retryDelayMs(10, 0.5)).toBeUndefined();
  });
});

describe("Retry-After", () => {
  const now = Date.parse("2026-11-22T10:00:00Z");

  it.each([
    ["120", 120_000],
    [" 0 ", 0],
    ["86401", 86_400_000],
    ["999999999999", 86_400_000],
    ["Sun, 22 Nov 2026 10:00:30 GMT", 30_000],
    ["Sunday, 22-Nov-26 10:00:30 GMT", 30_000],
    ["Sun Nov 22 10:00:30 2026", 30_000],
    ["Sun, 22 Nov 2020 10:00:30 GMT", 0],
    ["Sun, 22 Nov 2099 10:00:30 GMT", 86_400_000],
  ])("%s", (text, ms) => {
    expect(readRetryAfter(text, now)).toBe(ms);
  });

  it("is a date of GMT, wherever the gateway stands", () => {
    const zone = process.env["TZ"];
    process.env["TZ"] = "Asia/Tehran";
    try {
      expect(readRetryAfter("Sun Nov 22 10:00:30 2026", now)).toBe(30_000);
    } finally {
      if (zone === undefined) delete process.env["TZ"];
      else process.env["TZ"] = zone;
    }
  });

  it.each(["", "-1", "1.5", "soon", "1e3", "2026-11-22", "٣٠"])("%s is none", (text) => {
    expect(readRetryAfter(text, now)).toBeUndefined();
  });

  it("is none where the header is absent", () => {
    expect(readRetryAfter(undefined, now)).toBeUndefined();
  });
});
