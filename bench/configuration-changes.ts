// Part of the scenario "accounts": what a change of the configuration costs a gateway with many
// accounts, in calls that wait meanwhile, in memory, and in time until every node has it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { HttpLoad } from "./http-load.ts";
import { spreadOf } from "./percentiles.ts";
import { runCommand } from "./processes.ts";
import { count, type Result, type Workbench } from "./scenario.ts";
import { apiKey, deadPort, oneLink, withGateway, withPostgres } from "./systems.ts";

interface MeasuredChange {
  /** From the start of the command to its end, when every node has the change. */
  readonly commandMs: number;
  /** The longest call meanwhile less the longest of an equally long time after it. */
  readonly longerCallMs: number;
}

const rounds = 5;
const callsPerSecond = 100;
/** A change may hold up calls a little after the command has ended. */
const afterMs = 1000;
const settleSeconds = 3;

export async function measureConfigurationChanges(bench: Workbench): Promise<readonly Result[]> {
  const accounts = bench.full ? 50_000 : 5000;
  const folder = mkdtempSync(path.join(tmpdir(), "hodhod-bench-"));
  try {
    return await withPostgres(({ url }) =>
      withGateway({ url, setup: oneLink(deadPort), onMemory: bench.noteMemory }, ({ port }) => {
        const change = async (name: string, changed: readonly object[]): Promise<MeasuredChange> => {
          const file = path.join(folder, "setup.json");
          writeFileSync(file, JSON.stringify({ accounts: changed }));
          const measured = await changeDuringCalls(port, () => runCommand(["apply", "--yes", file], url));
          bench.progress(`${name}: ${inMs(measured.commandMs)}, longest call ${inMs(measured.longerCallMs)} longer`);
          return measured;
        };
        return changeAccounts(accounts, change);
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Change = (name: string, changed: readonly object[]) => Promise<MeasuredChange>;

async function changeAccounts(accounts: number, change: Change): Promise<readonly Result[]> {
  const all = Array.from({ length: accounts }, (_, index) => accountOf(index, "first"));
  const newAccounts = await change(`${accounts} new accounts`, all);
  const changes: MeasuredChange[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const changed = accountOf(Math.floor(accounts / 2), `changed ${round}`);
    changes.push(await change(`one key, round ${round}`, [changed]));
  }
  const medianOf = (figure: keyof MeasuredChange): number => spreadOf(changes.map((each) => each[figure])).p50;
  const oneKey = { commandMs: medianOf("commandMs"), longerCallMs: medianOf("longerCallMs") };
  const condition = `${count(accounts)} accounts, ${count(2 * accounts)} keys`;
  const resultsOf = (what: string, { commandMs, longerCallMs }: MeasuredChange, below: number): Result[] => [
    { title: `${what}, until every node has it`, figure: commandMs, unit: "ms", below, condition },
    { title: `longest call during ${what}, less that without`, figure: longerCallMs, unit: "ms", below: 50 },
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

/** A change under calls at a fixed rate, and the same time without one after it. */
async function changeDuringCalls(port: number, change: () => Promise<void>): Promise<MeasuredChange> {
  let commandMs = 0;
  const longestCallMs = await longestCall(port, async () => {
    const begunAt = performance.now();
    await change();
    commandMs = performance.now() - begunAt;
    await delay(afterMs);
  });
  const quietMs = await longestCall(port, () => delay(commandMs + afterMs));
  return { commandMs, longerCallMs: longestCallMs - quietMs };
}

/** Of the calls that were due during the work. */
async function longestCall(port: number, work: () => Promise<void>): Promise<number> {
  const options = { port, key: apiKey, kind: "single", connections: 64, callsPerSecond, seconds: 0 } as const;
  const load = new HttpLoad({ ...options, warmUpSeconds: settleSeconds });
  const { latencyMs, refused, refusal } = await load.run(undefined, work);
  if (refused > 0) throw new Error(`${refused} calls were refused: ${refusal ?? ""}`);
  return latencyMs.most;
}

function inMs(milliseconds: number): string {
  return `${milliseconds.toFixed(0)} ms`;
}
