// npm run soak [-- --minutes N] [-- --calls N]: one gateway under steady load for a long time, its
// link cut now and then. What it holds and how quickly it answers must not grow between the first
// and the last third. Exit code 1 when it did, or when anything was lost, doubled beyond the cuts,
// misreported or mispaid.
import { readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { endWith, readCommandLine, wholeNumberOf } from "../bench/command-line.ts";
import { memoryMiB } from "../bench/machine.ts";
import { spreadOf } from "../bench/percentiles.ts";
import type { World } from "./world.ts";

const { values } = readCommandLine("npm run soak [-- --minutes N] [--calls N]", {
  minutes: { type: "string", default: "30" },
  calls: { type: "string", default: "300" },
});
const minutes = wholeNumberOf("--minutes", values.minutes, 3, 24 * 60);
const callsPerSecond = wholeNumberOf("--calls", values.calls, 1, 2000);
if (process.platform !== "linux") endWith("a soak reads /proc, which only Linux has");
const { tally } = await import("./case.ts");
const { countUnderWay } = await import("./audit.ts");
const { numberFrom } = await import("../bench/look.ts");
const { OwnServer } = await import("./servers.ts");
const worlds = await import("./world.ts");

const sampleEveryMs = 10_000;
const cutEveryMs = Math.min(180_000, (minutes * 60_000) / 6);
const restMs = 120_000;
const warmUpShare = 0.2;

/** What may be at the end: so many times what was at first, and so much more. */
const bounds = {
  "resident memory, MB": { factor: 1.1, margin: 20 },
  "heap in use, MB": { factor: 1.1, margin: 20 },
  "open handles": { factor: 1, margin: 3 },
  threads: { factor: 1, margin: 0 },
  "database sessions": { factor: 1, margin: 1 },
  "messages under way": { factor: 1.5, margin: 200 },
  "p99 of a call, ms": { factor: 1.5, margin: 10 },
} as const;
type Sample = Readonly<Record<keyof typeof bounds, number>>;
const names = Object.keys(bounds) as (keyof Sample)[];

async function readSample(world: World, latencies: readonly number[]): Promise<Sample> {
  const { db } = world;
  const node = world.node();
  const sessions = "select count(*) from pg_stat_activity where datname = current_database()";
  return {
    "resident memory, MB": memoryMiB(node.pid, "VmRSS"),
    "heap in use, MB": (await node.metric("hodhod_nodejs_heap_size_used_bytes")) / 2 ** 20,
    "open handles": readdirSync(`/proc/${node.pid}/fd`).length,
    threads: readdirSync(`/proc/${node.pid}/task`).length,
    "database sessions": await numberFrom(db, sessions),
    "messages under way": await countUnderWay(db),
    "p99 of a call, ms": spreadOf(latencies).p99,
  };
}

/** A row of the table, and whether it is flat. */
function judge(name: keyof Sample, samples: readonly Sample[]): { isFlat: boolean; row: string } {
  const third = Math.ceil(samples.length / 3);
  const median = (part: readonly Sample[]): number => spreadOf(part.map((sample) => sample[name])).p50;
  const [first, last] = [median(samples.slice(0, third)), median(samples.slice(-third))];
  const { factor, margin } = bounds[name];
  const most = first * factor + margin;
  const cells = [name, ...[first, last, most].map((value) => value.toFixed(1)), last <= most ? "flat" : "**not flat**"];
  return { isFlat: last <= most, row: `| ${cells.join(" | ")} |` };
}

async function soak(world: World): Promise<boolean> {
  const { load, operator } = world;
  const samples: Sample[] = [];
  let cuts = 0;
  const cutting = setInterval(() => {
    cuts += 1;
    operator.smsc.cutLinks();
  }, cutEveryMs);
  load.start();
  console.log(`minute; ${names.join("; ")}`);
  const begunAt = performance.now();
  for (let seen = 0, count = 1; count <= (minutes * 60_000) / sampleEveryMs; count += 1) {
    await delay(Math.max(0, begunAt + count * sampleEveryMs - performance.now()));
    const sample = await readSample(world, load.latencies.slice(seen));
    seen = load.latencies.length;
    samples.push(sample);
    if (count % 6 === 0) console.log(`${count / 6}; ${names.map((name) => sample[name].toFixed(1)).join("; ")}`);
  }
  clearInterval(cutting);
  await load.stop();
  const audit = await world.rest(restMs);
  await world.terminate();
  const { problems } = tally(world, audit, { cuts });
  const judged = names.map((name) => judge(name, samples.slice(Math.floor(samples.length * warmUpShare))));
  console.log("| what | first third | last third | at most | verdict |\n| --- | --- | --- | --- | --- |");
  for (const { row } of judged) console.log(row);
  console.log(`${audit.accepted} messages accepted, ${audit.doubled} doubled in ${cuts} cuts`);
  for (const problem of problems) console.log(`! ${problem}`);
  return problems.length === 0 && judged.every(({ isFlat }) => isFlat);
}

const server = new OwnServer();
await server.start();
const world = await worlds.World.create({
  policy: "resend",
  server,
  binds: 2,
  window: 100,
  callsPerSecond,
  mix: { workers: 16, bulkEvery: 10, bulkSize: 10 },
  everyNth: 500,
  // Nobody looks at what was submitted long ago.
  smsc: { memory: 1000 },
});
try {
  const isWell = await soak(world);
  console.log(isWell ? "flat" : "FAILED");
  process.exitCode = isWell ? 0 : 1;
} finally {
  await world.close();
  await server.stop();
}
process.exit();
