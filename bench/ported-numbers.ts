// Part of the scenario "accounts": what millions of ported numbers cost a gateway, in calls that
// wait for an import or another change, in memory, and in time until it is ready.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { defaultOperators } from "../src/sms/default-operators.ts";
import { accountOf } from "./configuration-changes.ts";
import { peakMemoryMiB, residentMemoryMiB } from "./machine.ts";
import {
  applyFile,
  changeDuring,
  describeChange,
  type MeasuredChange,
  medianChange,
  settleMs,
  withCalls,
} from "./measured-change.ts";
import { writeRows } from "./number-files.ts";
import { run, runCommand } from "./processes.ts";
import type { Workbench } from "./scenario.ts";
import { deadPort, oneLink, withGateway, withPostgres } from "./systems.ts";

export interface PortedFigures {
  readonly numbers: number;
  /** All numbers, where none was imported before. */
  readonly first: MeasuredChange;
  /** All numbers again, half of them others. */
  readonly replacement: MeasuredChange;
  /** `--changes` of one number; and one key of an account. Medians of several, figure by figure. */
  readonly oneNumber: MeasuredChange;
  readonly oneKey: MeasuredChange;
  /** Of the gateway, in MiB: without numbers, with them, and the most during the replacement. */
  readonly memory: { readonly before: number; readonly after: number; readonly peak: number };
  /** Until another node of the service listens, without and with the numbers. */
  readonly readySeconds: { readonly without: number; readonly with: number };
}

const rounds = 3;

export function portedNumbersIn({ full }: Pick<Workbench, "full">): number {
  return full ? 10_000_000 : 500_000;
}

export async function measurePortedNumbers(bench: Workbench): Promise<PortedFigures> {
  const folder = mkdtempSync(path.join(tmpdir(), "hodhod-bench-"));
  try {
    const numbers = portedNumbersIn(bench);
    const files = { first: path.join(folder, "first.csv"), second: path.join(folder, "second.csv") };
    await writeNumbers(files.first, 0, numbers);
    await writeNumbers(files.second, numbers / 2, numbers);
    return await withPostgres(({ url }) =>
      withGateway(
        { url, setup: oneLink(deadPort), onMemory: (mebibytes) => bench.noteMemory(mebibytes) },
        async ({ pid, port }) => measureGateway({ bench, numbers, folder, files, url, pid, port }),
      ),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Bench {
  readonly bench: Workbench;
  readonly numbers: number;
  readonly folder: string;
  readonly files: { readonly first: string; readonly second: string };
  readonly url: string;
  readonly pid: number;
  readonly port: number;
}

async function measureGateway({ bench, numbers, folder, files, url, pid, port }: Bench): Promise<PortedFigures> {
  const tell = (what: string, change: MeasuredChange): void => bench.progress(`${what}  ${describeChange(change)}`);
  const importing = (file: string, ...flags: string[]): Promise<void> =>
    runCommand(["ported-numbers", "import", ...flags, file], url);
  const during = (change: () => Promise<void>): Promise<MeasuredChange> =>
    withCalls(port, (calls) => changeDuring(calls, change));
  const several = async (change: (round: number) => Promise<void>): Promise<MeasuredChange> => {
    const changes: MeasuredChange[] = [];
    for (let round = 1; round <= rounds; round += 1) changes.push(await during(() => change(round)));
    return medianChange(changes);
  };
  // Calls before it have warmed the gateway up: what grows afterwards is for the numbers.
  await withCalls(port, () => delay(settleMs));
  const without = await secondsUntilReady(url);
  const before = residentMemoryMiB(pid);
  const first = await during(() => importing(files.first));
  tell(`${numbers} ported numbers imported`, first);
  await delay(settleMs);
  const after = residentMemoryMiB(pid);
  const replacement = await during(() => importing(files.second));
  tell("all of them replaced", replacement);
  const peak = peakMemoryMiB(pid);
  bench.progress(`memory ${before.toFixed(0)} → ${after.toFixed(0)} MiB, at most ${peak.toFixed(0)}`);
  const readySeconds = { without, with: await secondsUntilReady(url) };
  bench.progress(`a node is ready after ${readySeconds.with.toFixed(1)} s, without them ${without.toFixed(1)} s`);
  const one = path.join(folder, "one.csv");
  const oneNumber = await several(async (round) => {
    await writeNumbers(one, round, 1);
    await importing(one, "--changes");
  });
  tell("one number changed", oneNumber);
  const oneKey = await several((round) =>
    applyFile(path.join(folder, "setup.json"), { accounts: [accountOf(1, `changed ${round}`)] }, url),
  );
  tell("one key changed", oneKey);
  return { numbers, first, replacement, oneNumber, oneKey, memory: { before, after, peak }, readySeconds };
}

/** Mobile numbers of 35 prefixes that a mobile operator of Iran has; no two of a file are equal. */
const space = 350_000_000;
/** Has no factor in common with the space. */
const stride = 157_000_003;

async function writeNumbers(file: string, from: number, count: number): Promise<void> {
  const operators = defaultOperators.map(({ name }) => name).slice(0, 4);
  await writeRows(file, count, (index) => rowOf(from + index, operators));
}

function rowOf(index: number, operators: readonly string[]): string {
  const place = (index * stride) % space;
  const prefix = 900 + Math.floor(place / 10_000_000);
  const operator = operators[index % operators.length] ?? "";
  return `0${prefix}${String(place % 10_000_000).padStart(7, "0")},${operator}\n`;
}

async function secondsUntilReady(url: string): Promise<number> {
  const begunAt = performance.now();
  const env = { DATABASE_URL: url, HODHOD_PORT: "0", HODHOD_LOG_LEVEL: "error" };
  const node = run({ command: process.execPath, args: ["bin/hodhod", "serve"], env });
  try {
    await node.line(/listening on/);
    return (performance.now() - begunAt) / 1000;
  } finally {
    await node.stop();
  }
}
