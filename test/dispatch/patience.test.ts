import { describe, expect, it } from "vitest";
import { Patience } from "../../src/dispatch/patience.ts";

const window = 100;

/** Asks each millisecond how long the patience lasts, while that many are settled in each. */
function lastsMs(patience: Patience, from: number, settledInEach: number): number {
  let now = from;
  while (patience.lasts(now, { window, settled: Math.floor((now - from) * settledInEach) })) now += 1;
  return now - from;
}

describe("Patience", () => {
  it("lasts while something is settled, for a time", () => {
    const patience = new Patience();
    expect(lastsMs(patience, 1000, 0.5)).toBe(150);
    expect(patience.waitedMs(1150)).toBe(0);
  });

  it("ends sooner where nothing is settled", () => {
    expect(lastsMs(new Patience(), 1000, 0)).toBe(50);
  });

  it("counts from the last that was settled", () => {
    const patience = new Patience();
    expect(patience.lasts(0, { window, settled: 7 })).toBe(true);
    expect(patience.lasts(49, { window, settled: 8 })).toBe(true);
    expect(patience.lasts(98, { window, settled: 8 })).toBe(true);
    expect(patience.waitedMs(98)).toBe(98);
    expect(patience.lasts(99, { window, settled: 8 })).toBe(false);
  });

  it("is back after a quarter of a second where links are quick", () => {
    const patience = new Patience();
    for (let [round, now] = [0, 0]; round < 10; round += 1) {
      expect(lastsMs(patience, now, 1)).toBe(150);
      expect(lastsMs(patience, now + 399, 1)).toBe(0);
      now += 400;
    }
  });

  it("is back ever later where they are slow, until there is room", () => {
    const patience = new Patience();
    let now = 0;
    for (const pauseMs of [250, 500, 1000, 2000, 4000, 8000, 16_000, 16_000]) {
      expect(lastsMs(patience, now, 0.1)).toBe(150);
      expect(patience.lasts(now + 150 + pauseMs - 1, { window, settled: 0 })).toBe(false);
      now += 150 + pauseMs;
    }
    patience.rewarded();
    expect(lastsMs(patience, now, 0)).toBe(50);
    expect(lastsMs(patience, now + 50 + 250, 0)).toBe(50);
  });

  it("begins anew when meanwhile no link could give room", () => {
    const patience = new Patience();
    expect(patience.lasts(0, { window, settled: 0 })).toBe(true);
    patience.ended();
    expect(patience.waitedMs(40)).toBe(0);
    expect(lastsMs(patience, 60, 0)).toBe(50);
  });
});
