// Plots as SVG: bars that lie, beside each other or end to end, and curves. Colours follow the
// reader's light or dark scheme; the ground is the page's.

export interface Bar {
  /** One value a series. */
  readonly values: readonly number[];
  readonly label: string;
}

export interface BarPlot {
  readonly title: string;
  readonly series: readonly string[];
  readonly bars: readonly Bar[];
  /** Values of a bar lie end to end instead of below each other. */
  readonly stacked?: boolean;
  readonly limit?: { readonly value: number; readonly label: string };
  readonly format: (value: number) => string;
}

export interface CurvePlot {
  readonly title: string;
  /** Each a sorted sample, evenly taken: x is the share of the sample. */
  readonly curves: readonly { readonly label: string; readonly values: readonly number[] }[];
  readonly limit?: { readonly value: number; readonly label: string };
  readonly format: (value: number) => string;
}

const width = 760;
/** For the value beside the longest bar. */
const right = 90;
/** Of a letter, roughly: SVG has no means to ask. */
const letterWidth = 7.2;
const thickness = 16;
const gap = 12;
const top = 62;

const style = `<style>
text { font: 13px system-ui, "Segoe UI", sans-serif; fill: #1f2328 }
.title { font-size: 15px; font-weight: 600 }
.axis { stroke: #8c959f; stroke-width: 1; fill: none }
.limit { stroke: #cf222e; stroke-width: 1.5; stroke-dasharray: 5 4; fill: none }
.limit-text { fill: #cf222e }
.fill0 { fill: #0969da } .fill1 { fill: #bf8700 } .fill2 { fill: #1a7f37 } .fill3 { fill: #8c959f }
.line { fill: none; stroke-width: 2 }
.line0 { stroke: #0969da } .line1 { stroke: #bf8700 } .line2 { stroke: #1a7f37 } .line3 { stroke: #8c959f }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .limit { stroke: #ff7b72 } .limit-text { fill: #ff7b72 }
  .fill0 { fill: #4493f8 } .fill1 { fill: #d29922 } .fill2 { fill: #3fb950 } .fill3 { fill: #6e7681 }
  .line0 { stroke: #4493f8 } .line1 { stroke: #d29922 } .line2 { stroke: #3fb950 } .line3 { stroke: #6e7681 }
}
</style>`;

/** Lying bars, in the order given, with their values written beside them. */
export function barPlot({ title, series, bars, stacked = false, limit, format }: BarPlot): string {
  const lengths = bars.map(({ values }) => (stacked ? sum(values) : Math.max(...values)));
  const left = 24 + letterWidth * Math.max(...bars.map(({ label }) => label.length));
  const scale = scaleTo(width - left - right, [...lengths, limit?.value ?? 0]);
  const rows = stacked ? 1 : series.length;
  const barHeight = rows * thickness + gap;
  const height = top + bars.length * barHeight + 12;
  const parts = bars.map(({ label, values }, index) => {
    const y = top + index * barHeight;
    const name = text(left - 8, y + (rows * thickness) / 2 + 4, label, "end");
    return (
      name +
      (stacked ? stackedBar(values, { left, y, scale, format }) : separateBars(values, { left, y, scale, format }))
    );
  });
  const bottom = height - 12;
  const axis = `<path class="axis" d="M${round(left)} ${top - 6}V${bottom}"/>`;
  const mark = limit ? limitLine(left + scale(limit.value), limit.label, bottom) : "";
  return document(title, height, [legend(series), ...parts, axis, mark]);
}

/** Where a bar is drawn, and how. */
interface Place {
  readonly left: number;
  readonly y: number;
  readonly scale: (value: number) => number;
  readonly format: (value: number) => string;
}

function separateBars(values: readonly number[], { left, y, scale, format }: Place): string {
  return values
    .map((value, row) => {
      const at = y + row * thickness;
      return rectangle(left, at, scale(value), row) + text(left + scale(value) + 6, at + 12, format(value));
    })
    .join("");
}

function stackedBar(values: readonly number[], { left, y, scale, format }: Place): string {
  const pieces = values.map((value, index) =>
    rectangle(left + scale(sum(values.slice(0, index))), y, scale(value), index),
  );
  return pieces.join("") + text(left + scale(sum(values)) + 6, y + 12, format(sum(values)));
}

function rectangle(x: number, y: number, length: number, index: number): string {
  return `<rect class="fill${index}" x="${round(x)}" y="${round(y + 1)}" width="${round(Math.max(0, length))}" height="${thickness - 2}"/>`;
}

function limitLine(x: number, label: string, bottom: number): string {
  return `<path class="limit" d="M${round(x)} ${top - 6}V${bottom}"/>${text(x, top - 10, label, "middle", "limit-text")}`;
}

const curveHeight = 240;

/** Shares of samples: how much of each lies at or below a value. */
export function curvePlot({ title, curves, limit, format }: CurvePlot): string {
  const x0 = 70;
  const across = width - x0 - 40;
  const bottom = top + curveHeight;
  const most = Math.max(limit?.value ?? 0, ...curves.flatMap(({ values }) => values));
  const scale = scaleTo(curveHeight, [most]);
  const lines = curves.map(({ values }, index) => {
    const points = values.map(
      (value, place) => `${round(x0 + (across * (place + 1)) / values.length)},${round(bottom - scale(value))}`,
    );
    return `<polyline class="line line${index}" points="${points.join(" ")}"/>`;
  });
  const shares = [0, 25, 50, 75, 99].map((share) =>
    text(x0 + (across * share) / 100, bottom + 18, `${share} %`, "middle"),
  );
  const heights = [0, 0.5, 1].map((part) => text(x0 - 8, bottom - curveHeight * part + 4, format(most * part), "end"));
  const axes = `<path class="axis" d="M${x0} ${top - 6}V${bottom}H${x0 + across}"/>`;
  const y = limit ? bottom - scale(limit.value) : 0;
  const mark = limit
    ? `<path class="limit" d="M${x0} ${round(y)}H${x0 + across}"/>${text(x0 + 8, y + 16, limit.label, "start", "limit-text")}`
    : "";
  const labels = curves.map(({ label }) => label);
  return document(title, bottom + 34, [legend(labels), ...lines, ...shares, ...heights, axes, mark]);
}

/** From 0 to the largest of the values; everything has length 0 when nothing is above 0. */
function scaleTo(length: number, values: readonly number[]): (value: number) => number {
  const most = Math.max(0, ...values.filter((value) => Number.isFinite(value)));
  return (value) => (most === 0 || !Number.isFinite(value) ? 0 : (value / most) * length);
}

function legend(series: readonly string[]): string {
  if (series.length < 2) return "";
  let x = 12;
  return series
    .map((name, index) => {
      const at = x;
      x += 26 + name.length * letterWidth;
      return `<rect class="fill${index}" x="${round(at)}" y="31" width="12" height="12"/>${text(at + 17, 42, name)}`;
    })
    .join("");
}

function document(title: string, height: number, parts: readonly string[]): string {
  const name = escape(title);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${name}">\n` +
    `${style}\n${text(12, 20, title, "start", "title")}\n${parts.filter((part) => part !== "").join("\n")}\n</svg>\n`
  );
}

type Anchor = "start" | "middle" | "end";

function text(x: number, y: number, words: string, anchor: Anchor = "start", kind?: string): string {
  const attributes = `${anchor === "start" ? "" : ` text-anchor="${anchor}"`}${kind === undefined ? "" : ` class="${kind}"`}`;
  return `<text x="${round(x)}" y="${round(y)}"${attributes}>${escape(words)}</text>`;
}

function escape(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
