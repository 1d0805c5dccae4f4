import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CallLine } from "../../../src/http/limits/call-line.ts";

function lineOf(atOnce: number) {
  const seen = { begun: [] as number[], waiting: 0, isPaused: false };
  const line = new CallLine<number>({
    atOnce,
    begin: (call) => seen.begun.push(call),
    countWaiting: (change) => (seen.waiting += change),
    pause: () => (seen.isPaused = true),
    resume: () => (seen.isPaused = false),
  });
  return { line, seen };
}

describe("CallLine", () => {
  it("works on so many at once; the others wait in their order, and reading pauses meanwhile", () => {
    const { line, seen } = lineOf(2);
    for (const call of [1, 2, 3, 4]) line.arrive(call);
    expect(seen).toEqual({ begun: [1, 2], waiting: 2, isPaused: true });
    line.finish(2);
    expect(seen).toEqual({ begun: [1, 2, 3], waiting: 1, isPaused: true });
    line.finish(1);
    expect(seen).toEqual({ begun: [1, 2, 3, 4], waiting: 0, isPaused: false });
  });

  it("works on one after the other when it is told so", () => {
    const { line, seen } = lineOf(2);
    for (const call of [1, 2, 3, 4]) line.arrive(call);
    line.oneByOne();
    line.finish(1);
    expect(seen.begun).toEqual([1, 2]);
    line.finish(2);
    expect(seen).toEqual({ begun: [1, 2, 3], waiting: 1, isPaused: true });
  });

  it("tells once what was under way, and begins nothing after its end", () => {
    const { line, seen } = lineOf(1);
    line.arrive(1);
    line.arrive(2);
    expect(line.end()).toEqual([1, 2]);
    expect([line.finish(1), line.finish(2), line.underWay.size, line.waiting, seen.waiting]).toEqual([
      ...[false, false],
      ...[0, 0, 0],
    ]);
    line.arrive(3);
    expect(seen.begun).toEqual([1]);
  });

  it("keeps the order and the bound, and gives each back once, whatever ends when", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.option(fc.nat(30), { nil: undefined }), { maxLength: 60 }),
        (atOnce, steps) => {
          const { line, seen } = lineOf(atOnce);
          let arrived = 0;
          let finished = 0;
          for (const step of steps) {
            if (step === undefined) line.arrive((arrived += 1));
            else if (line.finish(step)) finished += 1;
            expect(line.underWay.size).toBeLessThanOrEqual(atOnce);
            expect(seen.begun.length - finished).toBe(line.underWay.size);
            expect(seen.waiting).toBe(arrived - seen.begun.length);
            expect(seen.isPaused).toBe(seen.waiting > 0);
            expect(seen.begun).toEqual(seen.begun.map((_, index) => index + 1));
          }
          expect(line.end()).toHaveLength(arrived - finished);
          expect(seen.waiting).toBe(0);
        },
      ),
      { numRuns: 100 },
    );
  });
});
