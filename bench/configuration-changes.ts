// Part of the scenario "accounts": what a change of the configuration costs a gateway with many
// accounts, in calls that wait meanwhile, in memory, and in time until every node has it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  applyFile,
  changeDuring,
  describeChange,
  type MeasuredChange,
  medianChange,
  settleMs,
  withCalls,
} from "./measured-change.ts";
import { count, type Result, type Workbench } from "./scenario.ts";
import { deadPort, oneLink, type Postgres, withGateway, withPostgres } from "./systems.ts";

const rounds = 5;

export async function measureConfigurationChanges(bench: Workbench): Promise<readonly Result[]> {
  const accounts = bench.full ? 50_000 : 5000;
  const folder = mkdtempSync(path.join(tmpdir(), "hodhod-bench-"));
  try {
    return await withPostgres((postgres) =>
      withGateway(
        { url: postgres.url, setup: oneLink(deadPort), onMemory: (mebibytes) => bench.noteMemory(mebibytes) },
        async ({ port }) => measureGateway({ bench, accounts, folder, postgres, port }),
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
  readonly port: number;
}

async function measureGateway({ bench, accounts, folder, postgres, port }: Bench): Promise<readonly Result[]> {
  const apply = (setup: object): Promise<void> => applyFile(path.join(folder, "setup.json"), setup, postgres.url);
  const manyAccounts = { accounts: Array.from({ length: accounts }, (_, index) => accountOf(index, "first")) };
  const newAccounts = await withCalls(port, (calls) => changeDuring(calls, () => apply(manyAccounts)));
  bench.progress(`${accounts} new accounts  ${describeChange(newAccounts)}`);
  await delay(settleMs);
  const changes: MeasuredChange[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const changed = { accounts: [accountOf(Math.floor(accounts / 2), `changed ${round}`)] };
    const change = await withCalls(port, (calls) => changeDuring(calls, () => apply(changed)));
    bench.progress(`one key, round ${round}  ${describeChange(change)}`);
    changes.push(change);
  }
  const oneKey = medianChange(changes);
  const condition = `${count(accounts)} accounts, ${count(2 * accounts)} keys`;
  const resultsOf = (what: string, change: MeasuredChange, below: number): Result[] => [
    { title: `${what}, until every node has it`, figure: change.seconds * 1000, unit: "ms", below, condition },
    { title: `longest call during ${what}, less that without`, figure: change.longerCallMs, unit: "ms", below: 50 },
  ];
  return [
    ...resultsOf("new accounts", newAccounts, 6000),
    ...resultsOf("one changed key with many accounts", oneKey, 1000),
  ];
}

/** With two keys. */
function accountOf(index: number, key: string): object {
  const number = String(index).padStart(6, "0");
  const keys = [key, "second"].map((name) => ({ name, key: `key-of-account-${number}-${name.replaceAll(" ", "-")}` }));
  return { name: `customer-${number}`, tariff: "standard", lines: ["10001234"], credit: 1_000_000, apiKeys: keys };
}
