// Results as lines of the terminal's table, and as a table for faults/results.md.
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

/** For faults/results.md. */
export function markdownTable(results: readonly CaseResult[]): string {
  const rows = results.map((result) => {
    const values = result.counts ? cells(result.counts) : columns.map(() => "");
    return [`\`${result.name}\``, result.title, ...values, verdict(result)];
  });
  const all = [["case", "what happens", ...columns, "result"], Array.from({ length: 11 }, () => "---"), ...rows];
  return all.map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function verdict({ skipped, problems, counts }: CaseResult): string {
  if (skipped !== undefined) return `skipped: ${skipped}`;
  const [problem] = problems;
  if (problem !== undefined) return `**failed**: ${problem.split("\n")[0] ?? ""}`;
  return counts?.note === "" || counts === undefined ? "passed" : `passed; ${counts.note}`;
}
