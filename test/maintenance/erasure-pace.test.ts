import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ErasurePace } from "../../src/maintenance/erase-texts.ts";

const dayMs = 24 * 3_600_000;
const empty = { texts: 0, tookMs: 1, isDone: true };

/** As after quiet time. */
function paceOf(stepMs: number): ErasurePace {
  const pace = new ErasurePace();
  while (pace.stepMs < stepMs) pace.ended(empty);
  return pace;
}

describe("the pace of erasing", () => {
  it("walks through empty time in steps that are soon a day long, and no longer", () => {
    const pace = new ErasurePace();
    expect(pace.stepMs).toBe(100);
    for (let step = 0; step < 7; step += 1) pace.ended(empty);
    expect(pace.stepMs).toBe(dayMs);
    pace.ended(empty);
    expect(pace.stepMs).toBe(dayMs);
  });

  it.each([
    ["no text", { ...empty, texts: 0 }, 8],
    ["so few that eight times as many are few", { ...empty, texts: 31 }, 8],
    ["few", { ...empty, texts: 249 }, 2],
    ["a good number", { ...empty, texts: 250 }, 1],
    ["a good number", { ...empty, texts: 1_000 }, 1],
    ["many", { ...empty, texts: 1_001 }, 1 / 2],
    ["as many as it may look at", { ...empty, texts: 2_000, isDone: false }, 1 / 16],
    ["few, in so long that a longer one might take too long", { ...empty, tookMs: 100 }, 1],
    ["few, in a long time", { ...empty, tookMs: 801 }, 1 / 2],
  ])("after a step with %s: %o, the next is %d times as long", (_name, outcome, factor) => {
    const pace = paceOf(dayMs / 16);
    const before = pace.stepMs;
    pace.ended(outcome);
    expect(pace.stepMs / before).toBe(Math.min(factor, dayMs / before));
  });

  it("does not lengthen steps by what is left of a range", () => {
    const pace = paceOf(10_000);
    pace.ended({ ...empty, texts: 500, isDone: false });
    const before = pace.stepMs;
    pace.ended({ ...empty, texts: 10, isDone: true });
    expect(pace.stepMs).toBe(before);
    pace.ended({ ...empty, texts: 10, isDone: true });
    expect(pace.stepMs).toBe(8 * before);
  });

  it("comes from a day to the shortest step in a few failures, and to none shorter", () => {
    const pace = paceOf(dayMs);
    for (let failure = 0; failure < 5; failure += 1) pace.failed();
    expect(pace.stepMs).toBe(100);
  });

  it("bounds the texts of a step unless it is the shortest, whatever came before", () => {
    const outcome = fc.record({
      texts: fc.oneof(fc.constant(0), fc.nat(3_000)),
      tookMs: fc.oneof(fc.constant(1), fc.nat(2_000)),
      isDone: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(fc.option(outcome)), (outcomes) => {
        const pace = new ErasurePace();
        for (const each of outcomes) {
          if (each === null) pace.failed();
          else pace.ended(each);
          expect(pace.stepMs).toBeGreaterThanOrEqual(100);
          expect(pace.stepMs).toBeLessThanOrEqual(dayMs);
          expect(pace.mostTexts).toBe(pace.stepMs > 100 ? 2_000 : undefined);
        }
      }),
    );
  });
});
