// Writes the measured part of docs/benchmarks.md: goals and results, figures, plots.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { count, goals, judge, type Measured } from "./goals.ts";
import type { MeasuredChange } from "./measured-change.ts";
import type { Measurement } from "./measure.ts";
import type { Spread } from "./percentiles.ts";
import { drawPlots } from "./plots.ts";
import { root } from "./processes.ts";
import { measuredOf, type Records } from "./record.ts";

export const plotFolder = path.join(root, "docs", "plots");
const documentFile = path.join(root, "docs", "benchmarks.md");
const beginMark = "<!-- begin of what was measured, written by npm run bench -->";
const endMark = "<!-- end of what was measured -->";

/** Draws the plots and replaces the measured part of the document. */
export function writeDocument(records: Records): void {
  const measured = measuredOf(records);
  mkdirSync(plotFolder, { recursive: true });
  const plots = drawPlots(measured);
  for (const { name, svg } of plots) writeFileSync(path.join(plotFolder, `${name}.svg`), svg);
  const images = plots.map(({ name, caption }) => `![${caption}](plots/${name}.svg)`);
  const text = readFileSync(documentFile, "utf8");
  const written = [...measuredParts(records, measured), "### Plots", ...images].join("\n\n");
  writeFileSync(documentFile, replaceMarked(text, written));
}

/** Throws if the text lacks the marks. */
export function replaceMarked(text: string, written: string): string {
  const [head, tail] = [text.indexOf(beginMark), text.indexOf(endMark)];
  if (head < 0 || tail < head) throw new Error("the document lacks the marks of the measured part");
  return `${text.slice(0, head)}${beginMark}\n\n${written}\n\n${text.slice(tail)}`;
}

function measuredParts(records: Records, measured: Measured): string[] {
  const sections: readonly [string, string | undefined][] = [
    ["### Goals", [goalTable(measured), busyNote(measured)].filter((part) => part !== undefined).join("\n\n")],
    ["### Single-message calls", candidateTable(measured)],
    ["### Loads", loadTable(measured)],
    ["### Latencies", timeTable(measured)],
    ["### What waits goes out", accountsTable(measured)],
    ["### Changes of the configuration", changeTable(measured)],
    ["### Reads of the console at full load", readTable(measured)],
    ["### Processor time per message, by stage", stageTable(measured)],
    ["### Processor time per message, by PostgreSQL statement", statementTable(measured)],
    ["### Runs", runTable(records)],
  ];
  return sections.flatMap(([title, table]) => (table === undefined ? [] : [title, table]));
}

/** Undefined for a table without rows. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string | undefined {
  if (rows.length === 0) return undefined;
  const ruler = head.map((_, index) => (index === 0 ? "---" : "---:"));
  return [head, ruler, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function goalTable(measured: Measured): string | undefined {
  const rows = goals.map((goal) => {
    const { title, figure, goal: wanted, verdict } = judge(goal, measured);
    return [title, wanted, figure, verdict === "met" ? "met" : `**${verdict}**`];
  });
  return table(["metric", "goal", "measured", ""], rows);
}

const share = (value: number): string => `${Math.round(value * 100)} %`;

/** From this share of the machine on, other work influences the figures. */
const busyShare = 0.1;

/** A warning if other processes used much of the machine during the loads of single calls. */
export function busyNote({ figures }: Measured): string | undefined {
  const measurements = Object.values(figures["single-calls"]?.rounds ?? {}).flat();
  const busiest = Math.max(0, ...measurements.map(({ others }) => others));
  if (busiest < busyShare) return undefined;
  return (
    `**The machine did other work during these runs** (up to ${share(busiest)} of it, column *others*): throughput and latency are worse than ` +
    "on an idle machine, and ratios are imprecise. Processor time per message is more reliable."
  );
}

const loadHead = [
  "accepted /s",
  "carried /s",
  "p50 ms",
  "p99 ms",
  "gateway µs",
  "PostgreSQL µs",
  "WAL B",
  "idle",
  "others",
];

function loadCells({ accepted, carried, latencyMs, processorTime, walOctets, idle, others }: Measurement): string[] {
  return [
    count(accepted),
    count(carried),
    latencyMs.p50.toFixed(1),
    latencyMs.p99.toFixed(1),
    processorTime.gateway.toFixed(0),
    // Kannel uses no PostgreSQL.
    processorTime.postgres === 0 ? "–" : processorTime.postgres.toFixed(0),
    walOctets === 0 ? "–" : count(walOctets),
    share(idle),
    share(others),
  ];
}

const candidateNames = { hodhod: "Hodhod", bare: "bare pipeline", kannel: "Kannel" } as const;

function candidateTable({ figures }: Measured): string | undefined {
  const rounds = figures["single-calls"]?.rounds ?? {};
  const rows = (["hodhod", "bare", "kannel"] as const).flatMap((name) =>
    (rounds[name] ?? []).map((measurement, index) => [
      `${candidateNames[name]}, round ${index + 1}`,
      ...loadCells(measurement),
    ]),
  );
  return table(["", ...loadHead], rows);
}

function loadTable({ figures }: Measured): string | undefined {
  const bulk = figures["hundred-recipients"];
  const latency = figures["accept-latency"];
  const { growth } = figures;
  const loads: readonly (readonly [string, Measurement | undefined])[] = [
    ["100-recipient calls, links down", bulk?.linksDown],
    ["100-recipient calls, dispatching", bulk?.dispatching],
    ["single calls, full load", latency?.fullLoad],
    ["single calls, half load", latency?.best],
    ["single calls, empty system", growth?.empty],
    [`single calls, ${count(growth?.stored ?? 0)} stored`, growth?.grown],
    ["single calls, no console open", figures.console?.without],
    ["single calls, ten live consoles", figures.console?.live],
    ["single calls, nobody wants events", figures.events?.without],
    ["single calls, one endpoint, batches of 100", figures.events?.batched.measurement],
    ["single calls, half load, one endpoint, single events", figures.events?.single.measurement],
    ["single calls, rules of sending", figures.events?.rules],
    ["single calls, ceilings", figures.events?.ceilings],
    ["single calls, ceilings and guard against duplicates", figures.events?.limits],
    ["single calls, half load, beside millions of texts", figures.erasing?.without],
    ["single calls, half load, while they are erased", figures.erasing?.erasing],
  ];
  const rows = loads.flatMap(([name, measurement]) => (measurement ? [[name, ...loadCells(measurement)]] : []));
  return table(["", ...loadHead], rows);
}

function readTable({ figures }: Measured): string | undefined {
  const rows = Object.entries(figures.console?.reads ?? {}).map(([name, { kind, count: times, p50, p95 }]) => [
    `${kind}: ${name}`,
    ...[count(times), p50.toFixed(0), p95.toFixed(0)],
  ]);
  return table(["", "times", "p50 ms", "p95 ms"], rows);
}

function accountsTable({ figures }: Measured): string | undefined {
  const rows = (figures.accounts?.waiting.runs ?? []).map(({ accounts, perSecond }) => [
    count(accounts),
    count(perSecond),
  ]);
  return table(["accounts that wait", "submitted /s"], rows);
}

function changeTable({ figures: { accounts } }: Measured): string | undefined {
  if (accounts === undefined) return undefined;
  const { changes, ported } = accounts;
  const told: readonly (readonly [string, MeasuredChange])[] = [
    [`${count(changes.accounts)} new accounts`, changes.newAccounts],
    [`one key, ${count(changes.accounts)} accounts`, changes.oneKey],
    [`${count(ported.numbers)} ported numbers imported`, ported.first],
    ["all of them replaced", ported.replacement],
    ["one of them changed", ported.oneNumber],
    ["one key, with these numbers", ported.oneKey],
  ];
  const rows = told.map(([name, { seconds, longestCallMs, longerCallMs }]) => [
    name,
    ...[seconds.toFixed(1), longestCallMs.toFixed(0), longerCallMs.toFixed(0)],
  ]);
  return table(["", "seconds until every node has it", "longest call ms", "less the longest without ms"], rows);
}

function timeTable({ figures }: Measured): string | undefined {
  const idle = figures["time-to-submit"];
  const codes = figures.backlog;
  const times: readonly (readonly [string, Spread | undefined])[] = [
    ["idle: call to submit_sm", idle?.fromCallMs],
    ["idle: answer to submit_sm", idle?.fromAnswerMs],
    ["code, backlog on its link: call to submit_sm", codes?.sameLink.codes.fromCallMs],
    ["code, backlog on its link: answer to submit_sm", codes?.sameLink.codes.fromAnswerMs],
    ["code, backlog on another link: call to submit_sm", codes?.otherLink.codes.fromCallMs],
    ["code, backlog on another link: answer to submit_sm", codes?.otherLink.codes.fromAnswerMs],
  ];
  const rows = times.flatMap(([name, spread]) => {
    if (!spread) return [];
    const { count: messages, p50, p90, p99, most } = spread;
    return [[name, count(messages), ...[p50, p90, p99, most].map((value) => value.toFixed(1))]];
  });
  return table(["ms", "messages", "p50", "p90", "p99", "maximum"], rows);
}

function stageTable({ figures }: Measured): string | undefined {
  const costs = figures["stage-costs"];
  if (!costs) return undefined;
  const rows = [...costs.gateway, ...costs.postgresProcesses].map(({ name, microseconds }) => [
    name,
    microseconds.toFixed(1),
  ]);
  const { gateway, postgres } = costs.measurement.processorTime;
  return table(["stage", "µs"], [...rows, ["gateway and PostgreSQL, total", (gateway + postgres).toFixed(1)]]);
}

/** Statements below this cost are left out. */
const leastMicroseconds = 0.5;

function statementTable({ figures }: Measured): string | undefined {
  const statements = (figures["stage-costs"]?.statements ?? []).filter(
    ({ microseconds }) => microseconds >= leastMicroseconds,
  );
  const rows = statements.map(({ name, microseconds, microsecondsAnExecution, executions, walOctets }) => [
    `\`${name}\``,
    microseconds.toFixed(1),
    microsecondsAnExecution.toFixed(0),
    executions.toFixed(1),
    count(walOctets),
  ]);
  return table(
    ["statement", "µs per message", "µs per execution", "executions per 1,000 messages", "WAL bytes per message"],
    rows,
  );
}

function runTable(records: Records): string | undefined {
  const rows = Object.entries(records).map(([name, { at, command, commit, machine, tookSeconds, memory }]) => [
    `\`${name}\``,
    `\`${command}\``,
    at.slice(0, 16).replace("T", " "),
    commit ?? "",
    machine,
    `${Math.round(tookSeconds)} s`,
    memory === undefined ? "" : `${Math.round(memory)} MiB`,
  ]);
  return table(
    ["scenario", "command", "time (UTC)", "commit", "machine", "duration", "peak memory of the gateway"],
    rows,
  );
}
