// Results as lines of the terminal's table, and as docs/reliability.md.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import path from "node:path";
import { root } from "../bench/processes.ts";
import type { CaseCounts } from "./case.ts";

export interface CaseResult {
  readonly name: string;
  readonly title: string;
  /** Absent where the case was skipped, or crashed. */
  readonly counts?: CaseCounts;
  readonly skipped?: string;
  readonly problems: readonly string[];
  readonly seconds: number;
}

const columns = ["accepted", "lost", "doubled", "misrep.", "rials off", "open", "repeated", "back s"] as const;
const nameWidth = 20;

function cells(counts: CaseCounts): string[] {
  const { accepted, lost, doubled, misreported, rialsOff, open, retries, backMs, doubledAllowed, openAllowed } = counts;
  return [
    String(accepted),
    String(lost),
    doubledAllowed > 0 ? `${doubled} of ${doubledAllowed}` : String(doubled),
    String(misreported),
    String(rialsOff),
    openAllowed > 0 ? `${open} of ${openAllowed}` : String(open),
    String(retries),
    backMs === undefined ? "" : (backMs / 1000).toFixed(1),
  ];
}

export function tableHead(): string {
  return line("case", [...columns], "took");
}

export function describeResult({ name, counts, skipped, problems, seconds }: CaseResult): string {
  const took = `${seconds.toFixed(0)} s`;
  if (skipped !== undefined) return `${name.padEnd(nameWidth)} skipped: ${skipped}`;
  const first = counts
    ? line(name, cells(counts), `${took}  ${counts.note}`)
    : `${name.padEnd(nameWidth)} crashed (${took})`;
  return [first, ...problems.map((problem) => `${" ".repeat(nameWidth)} ! ${problem}`)].join("\n");
}

function line(name: string, values: readonly string[], rest: string): string {
  return `${name.padEnd(nameWidth)} ${values.map((value) => value.padStart(10)).join(" ")}  ${rest}`;
}

export interface RunFacts {
  readonly full: boolean;
  readonly seed: string;
  readonly jobs: string;
  readonly seconds: number;
}

const beginMark = "<!-- begin of the last run, written by npm run faults -->";
const endMark = "<!-- end of the last run -->";

/** Replaces the part of docs/reliability.md that a run writes. */
export function writeReport(results: readonly CaseResult[], { full, seed, jobs, seconds }: RunFacts): void {
  const file = path.join(root, "docs", "reliability.md");
  const text = readFileSync(file, "utf8");
  const [head, tail] = [text.indexOf(beginMark), text.indexOf(endMark)];
  if (head < 0 || tail < head) throw new Error(`${file} lacks the marks between which the run is written`);
  const command = `npm run faults -- ${full ? "--full " : ""}--seed ${seed} --jobs ${jobs}`;
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, ${process.platform}`;
  const rows = [["case", "what happens", ...columns, "result"], Array.from({ length: 11 }, () => "---")];
  for (const result of results) {
    const values = result.counts ? cells(result.counts) : columns.map(() => "");
    rows.push([`\`${result.name}\``, result.title, ...values, verdict(result)]);
  }
  const table = rows.map((row) => `| ${row.join(" | ")} |`).join("\n");
  const run = `\`${command}\`, ${new Date().toISOString().slice(0, 10)}, ${Math.round(seconds)} s on ${machine}.\n\n${table}\n`;
  writeFileSync(file, `${text.slice(0, head)}${beginMark}\n\n${run}\n${text.slice(tail)}`);
}

function verdict({ skipped, problems, counts }: CaseResult): string {
  if (skipped !== undefined) return `skipped: ${skipped}`;
  const [problem] = problems;
  if (problem !== undefined) return `**failed**: ${problem.split("\n")[0] ?? ""}`;
  return counts?.note === "" || counts === undefined ? "passed" : `passed; ${counts.note}`;
}
