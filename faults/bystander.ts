// What the caller of good will is promised while others misbehave: all its calls are answered 200
// within 3 s, and the gateway's memory stays bounded.
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { must, Skipped } from "./case.ts";
import type { World } from "./world.ts";

export const longestAnswerMs = 3_000;
const residentMegabytes = 500;
const kilobytesPerMegabyte = 1024;
const sampleEveryMs = 100;

export interface Observation {
  readonly note: string;
  readonly problems: readonly string[];
}

interface Watched extends Observation {
  /** The most that was resident. */
  readonly megabytes: number;
}

/** Other systems than Linux have no further loopback addresses to come from. */
export function requireLoopbackAddresses(): void {
  if (!existsSync("/proc/self/status")) throw new Skipped("needs Linux");
}

/** Watches the load and the gateway's memory until it is over. */
export async function watchBystander({ load, node }: World, isOver: () => boolean): Promise<Watched> {
  load.latencies.length = 0;
  const retries = load.retries;
  let highest = 0;
  while (!isOver()) {
    highest = Math.max(highest, residentOf(node.pid));
    await delay(sampleEveryMs);
  }
  const slowest = Math.max(...load.latencies);
  const calls = load.latencies.length;
  const repeated = load.retries - retries;
  const problems = [
    ...must(repeated === 0, `${repeated} calls of the other caller were not answered 200`),
    ...must(slowest <= longestAnswerMs, `a call of the other caller took ${Math.round(slowest)} ms`),
    ...must(highest <= residentMegabytes, `${Math.round(highest)} MB resident`),
  ];
  const note = `${calls} calls meanwhile, slowest ${Math.round(slowest)} ms; ${Math.round(highest)} MB resident`;
  return { note, problems, megabytes: highest };
}

export function residentOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) / kilobytesPerMegabyte;
}
