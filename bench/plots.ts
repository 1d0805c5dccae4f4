// Which plots the document shows, drawn from what was measured.
import type { Measured } from "./goals.ts";
import { count } from "./goals.ts";
import type { Measurement } from "./measure.ts";
import { type Bar, barPlot, curvePlot } from "./plot.ts";

export interface Plot {
  readonly name: string;
  readonly caption: string;
  readonly svg: string;
}

const names = { hodhod: "Hodhod", bare: "bare pipeline", kannel: "Kannel" } as const;
const perSecond = (value: number): string => `${count(value)}/s`;
const microseconds = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} µs`;
const milliseconds = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const mebibytes = (value: number): string => `${value.toFixed(0)} MiB`;

/** Only what was measured. */
export function drawPlots(measured: Measured): Plot[] {
  const drawers = [throughput, processorTime, stages, statements, latency, growth, submitTimes, memory];
  return drawers.flatMap((draw) => draw(measured) ?? []);
}

function candidatesOf({ figures }: Measured): { readonly label: string; readonly best: Measurement }[] {
  const best = figures["single-calls"]?.best ?? {};
  return (["hodhod", "bare", "kannel"] as const).flatMap((name) => {
    const measurement = best[name];
    return measurement ? [{ label: names[name], best: measurement }] : [];
  });
}

function throughput(measured: Measured): Plot | undefined {
  const candidates = candidatesOf(measured);
  if (candidates.length === 0) return undefined;
  const caption = "Single-message calls: accepted, and carried through to recorded receipts";
  const bars = candidates.map(({ label, best }) => ({ label, values: [best.accepted, best.carried] }));
  return {
    name: "single-calls",
    caption,
    svg: barPlot({ title: caption, series: ["accepted", "carried"], bars, format: perSecond }),
  };
}

function processorTime(measured: Measured): Plot | undefined {
  const candidates = candidatesOf(measured);
  if (candidates.length === 0) return undefined;
  const caption = "Processor time per message of these calls";
  const bars = candidates.map(({ label, best: { processorTime: time } }) => ({
    label,
    values: [time.gateway, time.postgres, time.smsc, time.load],
  }));
  const series = ["gateway", "PostgreSQL", "simulated SMSC", "load"];
  return {
    name: "processor-time",
    caption,
    svg: barPlot({ title: caption, series, bars, stacked: true, format: microseconds }),
  };
}

function costBars(costs: readonly { readonly name: string; readonly microseconds: number }[]): Bar[] {
  return costs.map((cost) => ({ label: cost.name, values: [cost.microseconds] }));
}

function stages({ figures }: Measured): Plot | undefined {
  const costs = figures["stage-costs"];
  if (!costs) return undefined;
  const caption = "Processor time of the gateway's stages per message";
  return {
    name: "stages",
    caption,
    svg: barPlot({ title: caption, series: ["µs"], bars: costBars(costs.gateway), format: microseconds }),
  };
}

const leastShown = 0.5;

function statements({ figures }: Measured): Plot | undefined {
  const costs = figures["stage-costs"]?.statements.filter((each) => each.microseconds >= leastShown);
  if (!costs) return undefined;
  const caption = "Processor time of PostgreSQL's statements per message";
  return {
    name: "statements",
    caption,
    svg: barPlot({ title: caption, series: ["µs"], bars: costBars(costs), format: microseconds }),
  };
}

function latency({ figures }: Measured): Plot | undefined {
  const measured = figures["accept-latency"];
  if (!measured) return undefined;
  const caption = `Latency of accepting at half load (${perSecond(measured.callsPerSecond)})`;
  const { p50, p90, p99, p999 } = measured.best.latencyMs;
  const bars = Object.entries({ p50, p90, p99, "p99.9": p999 }).map(([label, value]) => ({ label, values: [value] }));
  const limit = { value: 25, label: "goal for p99: 25 ms" };
  return {
    name: "accept-latency",
    caption,
    svg: barPlot({ title: caption, series: ["ms"], bars, limit, format: milliseconds }),
  };
}

function growth({ figures }: Measured): Plot | undefined {
  const measured = figures.growth;
  if (!measured) return undefined;
  const caption = `Messages a second with nothing stored and with ${count(measured.stored)} messages stored`;
  const rounds = measured.emptyRounds.flatMap((empty, index): Bar[] => {
    const grown = measured.grownRounds[index];
    if (!grown) return [];
    return [
      { label: `round ${index + 1}, empty`, values: [empty.accepted, empty.carried] },
      { label: `round ${index + 1}, grown`, values: [grown.accepted, grown.carried] },
    ];
  });
  const svg = barPlot({ title: caption, series: ["accepted", "carried"], bars: rounds, format: perSecond });
  return { name: "growth", caption, svg };
}

function submitTimes({ figures }: Measured): Plot | undefined {
  const idle = figures["time-to-submit"];
  const curves = [
    ...(idle ? [{ label: "idle system", values: idle.curve }] : []),
    ...(figures.backlog ? [{ label: "code, backlog on its link", values: figures.backlog.sameLink.codes.curve }] : []),
    ...(figures.backlog
      ? [{ label: "code, backlog on another link", values: figures.backlog.otherLink.codes.curve }]
      : []),
  ];
  if (curves.length === 0) return undefined;
  const caption = "From the call to submit_sm: cumulative share of messages";
  const limit = { value: 100, label: "goal for p99 of codes: 100 ms" };
  return { name: "time-to-submit", caption, svg: curvePlot({ title: caption, curves, limit, format: milliseconds }) };
}

function memory({ memory: most }: Measured): Plot | undefined {
  const bars = Object.entries(most).map(([label, value]) => ({ label, values: [value] }));
  if (bars.length === 0) return undefined;
  const caption = "Peak memory of the gateway process in each scenario";
  const limit = { value: 300, label: "goal: 300 MiB" };
  return { name: "memory", caption, svg: barPlot({ title: caption, series: ["MiB"], bars, limit, format: mebibytes }) };
}
