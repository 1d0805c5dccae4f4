import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LinkPace } from "../../src/dispatch/link-pace.ts";

/**
 * Writes whenever the pace allows, asking every `stepMs`, until it has no limit any more; answers
 * the times of the parts.
 */
function writeAsFastAsAllowed(pace: LinkPace, from: number, to: number, stepMs = 1): number[] {
  const times: number[] = [];
  for (let now = from; now < to; now += stepMs) {
    const parts = pace.available(now);
    if (parts === Infinity) return times;
    if (parts > 0) pace.take(parts, now);
    for (let part = 0; part < parts; part += 1) times.push(now);
  }
  return times;
}

describe("LinkPace", () => {
  it("case 22: counts parts, and never writes more of them in any time than the rate and one burst", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2000 }),
        fc.array(fc.record({ waitMs: fc.integer({ min: 0, max: 400 }), parts: fc.integer({ min: 1, max: 4 }) }), {
          minLength: 10,
          maxLength: 200,
        }),
        (rate, steps) => {
          const pace = new LinkPace(rate, 0);
          const written: { at: number; parts: number }[] = [];
          let now = 0;
          for (const { waitMs, parts } of steps) {
            now += waitMs;
            if (pace.available(now) < parts) continue;
            pace.take(parts, now);
            written.push({ at: now, parts });
          }
          const burst = Math.max(1, rate / 10);
          for (let first = 0; first < written.length; first += 1) {
            let sum = 0;
            for (const { at, parts } of written.slice(first)) {
              sum += parts;
              const seconds = (at - (written[first]?.at ?? 0)) / 1000;
              expect(sum).toBeLessThanOrEqual(burst + rate * seconds + 1e-6);
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("case 22: keeps to a share of less than one part a second also when each part is throttled", () => {
    const pace = new LinkPace(0.25, 0);
    const written: number[] = [];
    for (let now = 0; now < 20_000; now += 10) {
      if (pace.available(now) < 1) continue;
      pace.take(1, now);
      written.push(now);
      pace.throttled(now);
    }
    expect(written.length).toBeLessThanOrEqual(0.25 * 20 + 1);
    expect(written.length).toBeGreaterThanOrEqual(4);
  });

  it("reaches its rate when there is always something to write", () => {
    for (const rate of [1, 7, 100, 1000]) {
      const written = writeAsFastAsAllowed(new LinkPace(rate, 0), 0, 10_000).length;
      expect(written).toBeGreaterThanOrEqual(Math.floor(rate * 9.9));
      expect(written).toBeLessThanOrEqual(rate * 10 + Math.max(1, rate / 10) + 1);
    }
  });

  it("pays a message of several parts off by waiting", () => {
    const pace = new LinkPace(10, 0);
    pace.take(5, 0);
    expect(pace.available(0)).toBe(0);
    const waitMs = pace.waitMs(0);
    expect(pace.available(waitMs - 1)).toBe(0);
    expect(pace.available(waitMs)).toBe(1);
    expect(waitMs).toBe(500);
  });

  it("has no limit and never waits without one", () => {
    const pace = new LinkPace(0, 0);
    pace.take(1_000_000, 0);
    expect(pace.available(0)).toBe(Infinity);
    expect(pace.waitMs(0)).toBe(0);
  });

  it("case 22: a throttled link rests one second, whatever answers still come in", () => {
    const pace = new LinkPace(0, 0);
    pace.take(100, 0);
    pace.throttled(100);
    pace.throttled(600);
    expect(pace.available(1099)).toBe(0);
    expect(pace.waitMs(600)).toBe(500);
    expect(pace.available(1100)).toBe(1);
  });

  it("case 22: after the rest it writes half as fast, rises slowly, and is free again in the end", () => {
    const pace = new LinkPace(0, 0);
    pace.take(100, 0);
    pace.throttled(500);
    const times = writeAsFastAsAllowed(pace, 500, 30_000);
    const inSecond = (second: number): number =>
      times.filter((time) => time >= 1500 + second * 1000 && time < 2500 + second * 1000).length;
    expect(inSecond(0)).toBeGreaterThan(40);
    expect(inSecond(0)).toBeLessThan(75);
    expect(inSecond(3)).toBeGreaterThan(inSecond(0));
    expect(inSecond(5)).toBeLessThan(400);
    expect(pace.available(times.at(-1) ?? 0)).toBe(Infinity);
  });

  it("takes another share of the rate at once, up and down, and gains no burst by it", () => {
    const pace = new LinkPace(100, 0);
    pace.limitTo(50, 0);
    expect(pace.available(0)).toBe(5);
    pace.take(5, 0);
    expect(pace.waitMs(0)).toBe(20);
    pace.limitTo(200, 0);
    expect([pace.available(0), pace.waitMs(0)]).toEqual([0, 5]);
  });

  it("keeps rising slowly when its share changes after a rest, up to the new one", () => {
    const pace = new LinkPace(100, 0);
    pace.take(10, 0);
    pace.throttled(0);
    pace.limitTo(50, 1000);
    const times = writeAsFastAsAllowed(pace, 0, 40_000);
    const last = times.filter((time) => time >= 39_000);
    expect(last.length).toBeGreaterThan(40);
    expect(last.length).toBeLessThanOrEqual(51);
  });

  it("never rises above its configured rate after a rest", () => {
    const pace = new LinkPace(50, 0);
    pace.take(5, 0);
    pace.throttled(0);
    const times = writeAsFastAsAllowed(pace, 0, 40_000);
    for (let second = 1; second < 39; second += 1) {
      const written = times.filter((time) => time >= second * 1000 && time < (second + 1) * 1000).length;
      expect(written).toBeLessThanOrEqual(56);
    }
    expect(times.filter((time) => time >= 38_000).length).toBeGreaterThan(90);
  });

  it("slows further when it is throttled again on its way up", () => {
    const pace = new LinkPace(0, 0);
    pace.take(64, 0);
    pace.throttled(0);
    pace.throttled(1000);
    pace.throttled(2000);
    const after = writeAsFastAsAllowed(pace, 3000, 4000).length;
    expect(after).toBeLessThan(15);
  });
});
