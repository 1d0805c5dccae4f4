import { describe, expect, it } from "vitest";
import { type Goal, goals, judge, type Measured } from "../../bench/goals.ts";

const nothing: Measured = { figures: {}, memory: {} };

function goalOf(title: string): Goal {
  const goal = goals.find((each) => each.title === title);
  if (!goal) throw new Error(`no goal is called ${title}`);
  return goal;
}

describe("goals", () => {
  it("has no verdict on what was not measured", () => {
    expect(goals.map((goal) => judge(goal, nothing).verdict)).toEqual(goals.map(() => "not measured"));
  });

  it("has either a least figure or a bound for each, and no title twice", () => {
    expect(goals.filter(({ least, below }) => (least === undefined) === (below === undefined))).toEqual([]);
    expect(new Set(goals.map(({ title }) => title)).size).toBe(goals.length);
  });

  it("reaches a least figure by being equal to it, and a bound only by staying below", () => {
    const make = (limit: Pick<Goal, "least" | "below">, figure: number): Goal => ({
      title: "",
      unit: "ms",
      ...limit,
      figure: () => figure,
    });
    expect([99.9, 100, 100.1].map((figure) => judge(make({ least: 100 }, figure), nothing).verdict)).toEqual([
      "not met",
      "met",
      "met",
    ]);
    expect([99.9, 100, 100.1].map((figure) => judge(make({ below: 100 }, figure), nothing).verdict)).toEqual([
      "met",
      "not met",
      "not met",
    ]);
    expect(judge(make({ below: 100 }, Number.NaN), nothing).verdict).toBe("not measured");
  });

  it("judges memory by the scenario that took most, and names it", () => {
    const goal = goalOf("memory of the gateway process, most of all scenarios");
    const judgement = judge(goal, { figures: {}, memory: { growth: 120, backlog: 310.4, "single-calls": 200 } });
    expect(judgement).toMatchObject({ figure: "310 MiB (backlog)", goal: "< 300 MiB", verdict: "not met" });
  });
});
