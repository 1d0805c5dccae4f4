// Part of the scenario "accounts": what a change of the configuration costs a gateway with many
// accounts, in calls that wait meanwhile, in memory, and in time until every node has it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { CallTimesOptions } from "./call-times.ts";
import { monotonicMs, peakMemoryMiB, residentMemoryMiB } from "./machine.ts";
import { percentile } from "./percentiles.ts";
import { root, run, runScript } from "./processes.ts";
import type { Workbench } from "./scenario.ts";
import { apiKey, deadPort, oneLink, type Postgres, withGateway, withPostgres } from "./systems.ts";

export interface ChangeFigures {
  readonly accounts: number;
  readonly apiKeys: number;
  /** All accounts in one file. */
  readonly newAccounts: MeasuredChange;
  /** One key of one account; the median of several changes, each figure by itself. */
  readonly oneKey: MeasuredChange;
  readonly memory: {
    /** Of the gateway, in MiB: with few accounts, with all of them, and the most at any time. */
    readonly before: number;
    readonly after: number;
    readonly peak: number;
  };
}

export interface MeasuredChange {
  /** From the start of the command to its end, when every node has the change. */
  readonly seconds: number;
  /** The longest call meanwhile less the longest of an equally long time after it. */
  readonly longerCallMs: number;
  readonly longestCallMs: number;
}

const callsPerSecond = 100;
const rounds = 5;
/** A change may hold up calls a little after the command has ended. */
const afterMs = 1000;
const settleMs = 3000;

export function accountsIn({ full }: Pick<Workbench, "full">): number {
  return full ? 50_000 : 5000;
}

export async function measureConfigurationChanges(bench: Workbench): Promise<ChangeFigures> {
  const accounts = accountsIn(bench);
  const folder = mkdtempSync(path.join(tmpdir(), "hodhod-bench-"));
  try {
    return await withPostgres((postgres) =>
      withGateway(
        { url: postgres.url, setup: oneLink(deadPort), onMemory: (mebibytes) => bench.noteMemory(mebibytes) },
        async ({ pid, port }) => measureGateway({ bench, accounts, folder, postgres, pid, port }),
      ),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Bench {
  readonly bench: Workbench;
  readonly accounts: number;
  readonly folder: string;
  readonly postgres: Postgres;
  readonly pid: number;
  readonly port: number;
}

async function measureGateway({ bench, accounts, folder, postgres, pid, port }: Bench): Promise<ChangeFigures> {
  const apply = (setup: object): Promise<void> => applyFile(path.join(folder, "setup.json"), setup, postgres.url);
  const manyAccounts = { accounts: Array.from({ length: accounts }, (_, index) => accountOf(index, "first")) };
  const before = residentMemoryMiB(pid);
  const newAccounts = await withCalls(port, (calls) => changeDuring(calls, () => apply(manyAccounts)));
  bench.progress(`${accounts} new accounts  ${describeChange(newAccounts)}`);
  await delay(settleMs);
  const after = residentMemoryMiB(pid);
  const changes: MeasuredChange[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const changed = { accounts: [accountOf(Math.floor(accounts / 2), `changed ${round}`)] };
    const change = await withCalls(port, (calls) => changeDuring(calls, () => apply(changed)));
    bench.progress(`one key, round ${round}  ${describeChange(change)}`);
    changes.push(change);
  }
  const peak = peakMemoryMiB(pid);
  bench.progress(`memory ${before.toFixed(0)} → ${after.toFixed(0)} MiB, at most ${peak.toFixed(0)}`);
  const oneKey = {
    seconds: medianOf(changes.map(({ seconds }) => seconds)),
    longerCallMs: medianOf(changes.map(({ longerCallMs }) => longerCallMs)),
    longestCallMs: medianOf(changes.map(({ longestCallMs }) => longestCallMs)),
  };
  return { accounts, apiKeys: 2 * accounts, newAccounts, oneKey, memory: { before, after, peak } };
}

function accountOf(index: number, key: string): object {
  const number = String(index).padStart(6, "0");
  const keys = [key, "second"].map((name) => ({ name, key: `key-of-account-${number}-${name.replaceAll(" ", "-")}` }));
  return { name: `customer-${number}`, tariff: "standard", lines: ["10001234"], credit: 1_000_000, apiKeys: keys };
}

async function applyFile(file: string, setup: object, url: string): Promise<void> {
  writeFileSync(file, JSON.stringify(setup));
  const env = { DATABASE_URL: url, HODHOD_LOG_LEVEL: "error" };
  const command = run({ command: process.execPath, args: ["bin/hodhod", "apply", "--yes", file], env, cwd: root });
  const code = await command.exited;
  if (code !== 0) throw new Error(`apply ended with ${code}:\n${command.tail(10).join("\n")}`);
}

interface Calls {
  /** The longest call that was due in this time of the machine's monotonic clock. */
  longestBetween(from: number, to: number): Promise<number>;
}

/** Calls at a fixed rate while the work is done. */
async function withCalls<T>(port: number, work: (calls: Calls) => Promise<T>): Promise<T> {
  const options: CallTimesOptions = { port, key: apiKey, callsPerSecond };
  const load = runScript("call-times.ts", [JSON.stringify(options)]);
  try {
    await load.line(/^calling$/);
    await delay(settleMs);
    return await work({
      longestBetween: async (from, to) => {
        load.send(`longest ${from} ${to}`);
        const { 1: longest } = await load.line(/^longest (.*)$/);
        return Number(longest);
      },
    });
  } finally {
    await load.stop("SIGKILL");
  }
}

/** A change, and the same time without one after it. */
async function changeDuring(calls: Calls, change: () => Promise<void>): Promise<MeasuredChange> {
  const changedAt = monotonicMs();
  await change();
  const endedAt = monotonicMs();
  await delay(afterMs);
  const quietAt = monotonicMs();
  const tookMs = quietAt - changedAt;
  await delay(tookMs);
  const longestCallMs = await calls.longestBetween(changedAt, quietAt);
  const quietMs = await calls.longestBetween(quietAt, quietAt + tookMs);
  return { seconds: (endedAt - changedAt) / 1000, longerCallMs: longestCallMs - quietMs, longestCallMs };
}

function describeChange({ seconds, longerCallMs, longestCallMs }: MeasuredChange): string {
  return `${seconds.toFixed(2)} s, longest call ${longestCallMs.toFixed(0)} ms, ${longerCallMs.toFixed(0)} ms longer than without`;
}

function medianOf(values: readonly number[]): number {
  return percentile(
    values.toSorted((one, other) => one - other),
    0.5,
  );
}
