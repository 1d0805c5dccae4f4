// A judge that finds everything flat would make every soak pass.
import { describe, expect, it } from "vitest";
import { judgeSoak, slope, type SoakMinute, type SoakSample } from "../../faults/soak-verdict.ts";

const totalSeconds = 1800;
const warmUpSeconds = 360;

/** A sample every 10 s, made by what is given for its second. */
function samplesOf(change: (second: number) => Partial<SoakSample>): readonly SoakSample[] {
  return Array.from({ length: totalSeconds / 10 + 1 }, (_, index) => {
    const atSeconds = index * 10;
    // Memory goes up and down by the collector's rounds.
    const wave = (index % 7) * 3;
    const flat = {
      rssMegabytes: 180 + wave,
      heapMegabytes: 60 + wave,
      handles: 40,
      threads: 11,
      sessions: 9,
      underWay: 20,
    };
    return { atSeconds, ...flat, ...change(atSeconds) };
  });
}

const minutesOf = (p99: (minute: number) => number): readonly SoakMinute[] =>
  Array.from({ length: 30 }, (_, minute) => ({ calls: 18_000, p50Ms: 3, p99Ms: p99(minute) }));

const steady = minutesOf(() => 12);

function notFlat(samples: readonly SoakSample[], minutes: readonly SoakMinute[]): readonly string[] {
  const findings = judgeSoak(samples, minutes, { warmUpSeconds });
  return findings.filter(({ isFlat }) => !isFlat).map(({ what }) => what);
}

describe("a soak", () => {
  it.each<[string, (second: number) => Partial<SoakSample>]>([
    ["that only goes up and down", () => ({})],
    [
      "that fills its caches in the warm-up",
      (second) => ({ rssMegabytes: second < warmUpSeconds ? 90 + second / 4 : 180 }),
    ],
    ["whose links come and go", (second) => ({ handles: second % 180 === 0 ? 38 : 42 })],
  ])("%s is flat", (_, change) => {
    expect(notFlat(samplesOf(change), steady)).toEqual([]);
  });

  it.each<[string, (second: number) => Partial<SoakSample>]>([
    ["resident memory, MB", (second) => ({ rssMegabytes: 180 + second / 50 })],
    ["heap in use, MB", (second) => ({ heapMegabytes: 60 + second / 60 })],
    ["open handles", (second) => ({ handles: 40 + Math.floor(second / 180) })],
    ["threads", (second) => ({ threads: second > 1500 ? 12 : 11 })],
    ["database sessions", (second) => ({ sessions: 9 + Math.floor(second / 400) })],
    ["messages under way", (second) => ({ underWay: second })],
  ])("whose %s grows is not flat", (what, change) => {
    expect(notFlat(samplesOf(change), steady)).toEqual([what]);
  });

  it("that answers more and more slowly is not flat, and one slow minute is no trend", () => {
    const flat = samplesOf(() => ({}));
    expect(
      notFlat(
        flat,
        minutesOf((minute) => 12 + minute * 2),
      ),
    ).toEqual(["p99 of a call, ms"]);
    expect(
      notFlat(
        flat,
        minutesOf((minute) => (minute === 25 ? 900 : 12)),
      ),
    ).toEqual([]);
  });
});

it("the line of least squares rises as its points do", () => {
  expect(slope([1, 2, 3, 4].map((x) => ({ x, y: 3 * x + 7 })))).toBeCloseTo(3);
  expect(slope([{ x: 1, y: 5 }])).toBe(0);
});
