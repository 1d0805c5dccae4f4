// What a soak found, for the terminal, for docs/reliability.md, and drawn as docs/soak.svg.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import path from "node:path";
import { root } from "../bench/processes.ts";
import type { Audit } from "./audit.ts";
import { drawSoak } from "./soak-plot.ts";
import type { Finding, SoakMinute, SoakSample } from "./soak-verdict.ts";

export interface SoakResult {
  readonly samples: readonly SoakSample[];
  readonly minutes: readonly SoakMinute[];
  readonly findings: readonly Finding[];
  readonly audit: Audit;
  /** What breaks the outcome rule, in words. */
  readonly problems: readonly string[];
  readonly cuts: number;
  readonly callsPerSecond: number;
  readonly warmUpSeconds: number;
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
    ...findings.map(
      ({ what, first, last, bound, isFlat }) =>
        `${isFlat ? "flat    " : "NOT FLAT"} ${what.padEnd(22)} first third ${first}, last third ${last}; ${bound}`,
    ),
    `accepted ${accepted}, lost ${lost}, doubled ${doubled} in ${cuts} cuts, misreported ${misreported}, rials off ${rialsOff}, open ${open}`,
    ...problems.map((problem) => `! ${problem}`),
  ];
}

const beginMark = "<!-- begin of the last soak, written by npm run soak -->";
const endMark = "<!-- end of the last soak -->";

/** Replaces the part of docs/reliability.md that a soak writes, and its drawing. */
export function writeSoak(result: SoakResult): void {
  const file = path.join(root, "docs", "reliability.md");
  const text = readFileSync(file, "utf8");
  const [head, tail] = [text.indexOf(beginMark), text.indexOf(endMark)];
  if (head < 0 || tail < head) throw new Error(`${file} has no place for the soak`);
  writeFileSync(file, `${text.slice(0, head)}${beginMark}\n\n${soakText(result)}\n${text.slice(tail)}`);
  writeFileSync(path.join(root, "docs", "soak.svg"), drawSoak(result.samples, result.minutes));
}

function soakText({ findings, audit, problems, cuts, minutes, callsPerSecond, warmUpSeconds }: SoakResult): string {
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, ${process.platform}`;
  const rows = [
    ["what", "first third", "last third", "bound", "verdict"],
    Array.from({ length: 5 }, () => "---"),
    ...findings.map(({ what, first, last, bound, isFlat }) => [
      what,
      first,
      last,
      bound,
      isFlat ? "flat" : "**not flat**",
    ]),
  ];
  const { accepted, lost, doubled, misreported, rialsOff, open } = audit;
  const wrong = problems.length === 0 ? "" : ` **Failed**: ${problems.join("; ").split("\n")[0] ?? ""}.`;
  return [
    `\`npm run soak -- --minutes ${minutes.length} --calls ${callsPerSecond}\`, ${new Date().toISOString().slice(0, 10)}, on ${machine}. Read every 10 s; the first ${Math.round(warmUpSeconds / 60)} minutes are warm-up.`,
    "",
    ...rows.map((row) => `| ${row.join(" | ")} |`),
    "",
    `${accepted} messages accepted: ${lost} lost, ${doubled} doubled in ${cuts} cuts (policy resend), ${misreported} misreported, ${rialsOff} rials off, ${open} open.${wrong}`,
    "",
    "![Memory, time of a call, handles and messages under way, over the time of the soak](soak.svg)",
    "",
  ].join("\n");
}
