import { describe, expect, it } from "vitest";
import { barPlot, curvePlot } from "../../bench/plot.ts";

const format = (value: number): string => `${value} ms`;

function lengths(svg: string): number[] {
  return [...svg.matchAll(/<rect class="fill\d" [^>]*width="([\d.]+)" height="14"/g)].map((match) => Number(match[1]));
}

describe("barPlot", () => {
  const bars = [
    { label: "one <b>", values: [10, 20] },
    { label: "two", values: [40, 0] },
  ];

  it("draws bars as long as their values, and writes the values beside them", () => {
    const svg = barPlot({ title: "t", series: ["a", "b"], bars, format });
    const [first = 0, second = 0, third = 0, fourth] = lengths(svg);
    expect(second / first).toBeCloseTo(2, 1);
    expect(third / first).toBeCloseTo(4, 1);
    expect(fourth).toBe(0);
    expect(svg).toContain(">40 ms</text>");
    expect(svg).toContain("one &lt;b&gt;");
  });

  it("lays stacked values end to end, and writes their sum", () => {
    const svg = barPlot({ title: "t", series: ["a", "b"], bars, stacked: true, format });
    const [first = 0, second = 0, third = 0] = lengths(svg);
    expect(first + second).toBeCloseTo(0.75 * third, 0);
    expect(svg).toContain(">30 ms</text>");
  });

  it("keeps the limit within the picture", () => {
    const svg = barPlot({ title: "t", series: ["a"], bars, limit: { value: 400, label: "goal" }, format });
    const [, x] = /class="limit" d="M([\d.]+) /.exec(svg) ?? [];
    expect(Number(x)).toBeGreaterThan(500);
    expect(Number(x)).toBeLessThan(760);
  });

  it("is drawn without a number that is none", () => {
    const svg = barPlot({ title: "t", series: ["a"], bars: [{ label: "nothing", values: [0] }], format });
    expect(svg).not.toMatch(/NaN|Infinity/);
  });
});

describe("curvePlot", () => {
  it("draws each sample as a line that rises", () => {
    const svg = curvePlot({
      title: "t",
      curves: [{ label: "a", values: [1, 2, 3, 50] }],
      limit: { value: 100, label: "goal" },
      format,
    });
    const [, points = ""] = /<polyline [^>]*points="([^"]+)"/.exec(svg) ?? [];
    const heights = points.split(" ").map((point) => Number(point.split(",")[1]));
    expect(heights).toHaveLength(4);
    expect([...heights].sort((one, other) => other - one)).toEqual(heights);
    expect(svg).toContain("prefers-color-scheme: dark");
  });
});
