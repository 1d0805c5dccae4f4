// How long a command that changes the configuration takes, and how long the longest of the calls
// meanwhile has waited for it.
import { writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { CallTimesOptions } from "./call-times.ts";
import { monotonicMs } from "./machine.ts";
import { percentile } from "./percentiles.ts";
import { runCommand, runScript } from "./processes.ts";
import { apiKey } from "./systems.ts";

export interface MeasuredChange {
  /** From the start of the command to its end, when every node has the change. */
  readonly seconds: number;
  /** The longest call meanwhile less the longest of an equally long time after it. */
  readonly longerCallMs: number;
  readonly longestCallMs: number;
}

const callsPerSecond = 100;
/** A change may hold up calls a little after the command has ended. */
const afterMs = 1000;
export const settleMs = 3000;

export function applyFile(file: string, setup: object, url: string): Promise<void> {
  writeFileSync(file, JSON.stringify(setup));
  return runCommand(["apply", "--yes", file], url);
}

export interface Calls {
  /** The longest call that was due in this time of the machine's monotonic clock. */
  longestBetween(from: number, to: number): Promise<number>;
}

/** Calls at a fixed rate while the work is done. */
export async function withCalls<T>(port: number, work: (calls: Calls) => Promise<T>): Promise<T> {
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
export async function changeDuring(calls: Calls, change: () => Promise<void>): Promise<MeasuredChange> {
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

export function describeChange({ seconds, longerCallMs, longestCallMs }: MeasuredChange): string {
  return `${seconds.toFixed(2)} s, longest call ${longestCallMs.toFixed(0)} ms, ${longerCallMs.toFixed(0)} ms longer than without`;
}

/** Each figure by itself. */
export function medianChange(changes: readonly MeasuredChange[]): MeasuredChange {
  return {
    seconds: medianOf(changes.map(({ seconds }) => seconds)),
    longerCallMs: medianOf(changes.map(({ longerCallMs }) => longerCallMs)),
    longestCallMs: medianOf(changes.map(({ longestCallMs }) => longestCallMs)),
  };
}

function medianOf(values: readonly number[]): number {
  return percentile(
    values.toSorted((one, other) => one - other),
    0.5,
  );
}
