// Part of the scenario "accounts": what a change of the configuration costs a gateway with many
// accounts, in calls that wait meanwhile, in memory, and in time until every node has it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
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
import type { Workbench } from "./scenario.ts";
import { deadPort, oneLink, type Postgres, withGateway, withPostgres } from "./systems.ts";

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

const rounds = 5;

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
  const oneKey = medianChange(changes);
  return { accounts, apiKeys: 2 * accounts, newAccounts, oneKey, memory: { before, after, peak } };
}

/** With two keys. */
export function accountOf(index: number, key: string): object {
  const number = String(index).padStart(6, "0");
  const keys = [key, "second"].map((name) => ({ name, key: `key-of-account-${number}-${name.replaceAll(" ", "-")}` }));
  return { name: `customer-${number}`, tariff: "standard", lines: ["10001234"], credit: 1_000_000, apiKeys: keys };
}
