// For heap-growth.test.ts: how far the old space comes, in octets, while objects live long
// enough to get there and then die; with few accounts, with many, with few again, and while many are read.
import { getHeapSpaceStatistics } from "node:v8";
import { limitHeapGrowth, manyAccounts } from "../../src/app/gateway-process.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";

const kept = Array.from({ length: 50_000 }, (_, index) => ({ index, text: `kept ${index}` }));
const objects = 1_000_000;
const ring: object[] = [];
const ringLength = 100_000;

function oldSpace(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === "old_space")?.space_used_size ?? 0;
}

function mostWhileObjectsDie(): number {
  let most = 0;
  for (let index = 0; index < objects; index += 1) {
    ring[index % ringLength] = { index, text: `gone ${index}`, more: [index, index, index] };
    if (index % 5000 === 0) most = Math.max(most, oldSpace());
  }
  return most;
}

const telemetry = new Telemetry();
limitHeapGrowth(telemetry);
const numbers = { connectors: [], portedNumbers: { given: 0, imported: 0 }, blockListNumbers: 0 };
const steps = [
  ["reloaded", 0],
  ["reloaded", manyAccounts],
  ["reloaded", manyAccounts - 1],
  ["reading", manyAccounts],
] as const;
const most = steps.map(([step, accounts]) => {
  if (step === "reading") telemetry.emit("configuration.reading", { accounts });
  else telemetry.emit("configuration.reloaded", { version: 1n, accounts, ...numbers });
  // The limit of before counts until it was reached once.
  mostWhileObjectsDie();
  return mostWhileObjectsDie();
});
process.stdout.write(JSON.stringify({ kept: kept.length, most }));
