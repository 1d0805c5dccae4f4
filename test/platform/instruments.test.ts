import { describe, expect, it } from "vitest";
import { Counter, Histogram } from "../../src/platform/instruments.ts";

describe("Counter", () => {
  it("counts from zero without labels", () => {
    const counter = new Counter({ name: "calls_total", help: "Calls." });
    expect(counter.text()).toBe("# HELP calls_total Calls.\n# TYPE calls_total counter\ncalls_total 0");
    counter.add(2);
    counter.add(3);
    expect(counter.text().split("\n").at(-1)).toBe("calls_total 5");
  });

  it("counts each set of labels by itself, and escapes what a label's value must not hold", () => {
    const counter = new Counter({ name: "n", help: "N.", labelNames: ["a", "b"] });
    counter.add(1, "x", 1);
    counter.add(1, "x", 2);
    counter.add(1, "x", 1);
    counter.add(1, 'quote " back \\ line \n', "");
    expect(counter.text().split("\n").slice(2)).toEqual([
      'n{a="x",b="1"} 2',
      'n{a="x",b="2"} 1',
      'n{a="quote \\" back \\\\ line \\n",b=""} 1',
    ]);
  });
});

describe("Histogram", () => {
  it("counts up to each bound, the bound itself included, and sums", () => {
    const histogram = new Histogram({ name: "s", help: "S." }, [0.5, 1, 2]);
    for (const value of [0.25, 0.5, 1, 1.5, 8]) histogram.observe(value);
    expect(histogram.text().split("\n")).toEqual([
      "# HELP s S.",
      "# TYPE s histogram",
      's_bucket{le="0.5"} 2',
      's_bucket{le="1"} 3',
      's_bucket{le="2"} 4',
      's_bucket{le="+Inf"} 5',
      "s_sum 11.25",
      "s_count 5",
    ]);
  });

  it("does so for each set of labels", () => {
    const histogram = new Histogram({ name: "s", help: "S.", labelNames: ["room"] }, [1]);
    histogram.observe(1, "a");
    histogram.observe(2, "b");
    expect(histogram.text().split("\n").slice(2)).toEqual([
      's_bucket{le="1",room="a"} 1',
      's_bucket{le="+Inf",room="a"} 1',
      's_sum{room="a"} 1',
      's_count{room="a"} 1',
      's_bucket{le="1",room="b"} 0',
      's_bucket{le="+Inf",room="b"} 1',
      's_sum{room="b"} 2',
      's_count{room="b"} 1',
    ]);
  });
});
