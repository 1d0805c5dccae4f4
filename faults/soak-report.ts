// What a soak found, for the terminal and as a table for docs/reliability.md.
import type { Audit } from "./audit.ts";
import type { Finding, SoakMinute, SoakSample } from "./soak-verdict.ts";

export interface SoakResult {
  readonly findings: readonly Finding[];
  readonly audit: Audit;
  /** What breaks the outcome rule, in words. */
  readonly problems: readonly string[];
  readonly cuts: number;
}

const columns = [
  "minute",
  "calls",
  "p50 ms",
  "p99 ms",
  "RSS MB",
  "heap MB",
  "handles",
  "threads",
  "sessions",
  "under way",
];

export function minuteHead(): string {
  return columns.map((column) => column.padStart(10)).join("");
}

/** The last of the minutes, with the sample taken at its end. */
export function describeMinute(minutes: readonly SoakMinute[], sample: SoakSample): string {
  const { calls = 0, p50Ms = 0, p99Ms = 0 } = minutes.at(-1) ?? {};
  const { rssMegabytes, heapMegabytes, handles, threads, sessions, underWay } = sample;
  const values = [
    minutes.length,
    calls,
    p50Ms.toFixed(1),
    p99Ms.toFixed(1),
    rssMegabytes.toFixed(0),
    heapMegabytes.toFixed(0),
  ];
  return [...values, handles, threads, sessions, underWay].map((value) => String(value).padStart(10)).join("");
}

export function describeFindings({ findings, audit, problems, cuts }: SoakResult): readonly string[] {
  const { accepted, lost, doubled, misreported, rialsOff, open } = audit;
  return [
    "| what | first third | last third | bound | verdict |",
    "| --- | --- | --- | --- | --- |",
    ...findings.map(
      ({ what, first, last, bound, isFlat }) =>
        `| ${what} | ${first} | ${last} | ${bound} | ${isFlat ? "flat" : "**not flat**"} |`,
    ),
    `accepted ${accepted}, lost ${lost}, doubled ${doubled} in ${cuts} cuts, misreported ${misreported}, rials off ${rialsOff}, open ${open}`,
    ...problems.map((problem) => `! ${problem}`),
  ];
}
