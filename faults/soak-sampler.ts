// Readings of a running gateway while a soak goes on: from /proc (Linux), from its own metrics, and
// from its database.
import { readdirSync, readFileSync } from "node:fs";
import type { SoakMinute, SoakSample } from "./soak-verdict.ts";
import type { World } from "./world.ts";

const kilobytesPerMegabyte = 1024;
const bytesPerMegabyte = 2 ** 20;

export async function readSample(world: World, atSeconds: number): Promise<SoakSample> {
  const { pid, port } = world.node;
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const metrics = await fetch(`http://127.0.0.1:${port}/metrics`).then((response) => response.text());
  const database = await readDatabase(world);
  return {
    atSeconds,
    rssMegabytes: numberAfter(status, /^VmRSS:\s+(\d+)/m) / kilobytesPerMegabyte,
    heapMegabytes: numberAfter(metrics, /^hodhod_nodejs_heap_size_used_bytes (\S+)/m) / bytesPerMegabyte,
    handles: readdirSync(`/proc/${pid}/fd`).length,
    threads: numberAfter(status, /^Threads:\s+(\d+)/m),
    ...database,
  };
}

async function readDatabase({ db }: World): Promise<Pick<SoakSample, "sessions" | "underWay">> {
  const [row] = await db.query<Pick<SoakSample, "sessions" | "underWay">>({
    name: "readSoak",
    text: `select (select count(*)::int from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()) as sessions,
       (select count(*)::int from message_queue) + (select coalesce(sum(cardinality(message_ids)), 0)::int from claim) as "underWay"`,
    values: [],
  });
  if (!row) throw new Error("the database does not answer");
  return row;
}

function numberAfter(text: string, pattern: RegExp): number {
  const match = pattern.exec(text);
  if (!match) throw new Error(`nothing like ${String(pattern)} is told`);
  return Number(match[1]);
}

/** Takes what was measured since the last minute. */
export function minuteOf(latencies: readonly number[]): SoakMinute {
  const inOrder = latencies.toSorted((one, other) => one - other);
  const at = (share: number): number => inOrder[Math.floor(inOrder.length * share)] ?? 0;
  return { calls: inOrder.length, p50Ms: at(0.5), p99Ms: at(0.99) };
}
