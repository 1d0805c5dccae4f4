import { expect, it } from "vitest";
import { judge, type Result } from "../../bench/scenario.ts";

const verdicts = (limit: Pick<Result, "least" | "below">): boolean[] =>
  [99.9, 100, 100.1].map((figure) => judge({ title: "", unit: "ms", ...limit, figure }).isMet);

it("reaches a least figure by being equal to it, and a bound only by staying below", () => {
  expect(verdicts({ least: 100 })).toEqual([false, true, true]);
  expect(verdicts({ below: 100 })).toEqual([true, false, false]);
});
