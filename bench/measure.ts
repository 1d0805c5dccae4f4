// One load on one running system, and what came of it: calls, messages, processor time of each
// part. All readings are taken at the two ends of the counted time, while the load
// goes on.
import type { LoadOptions, LoadResult } from "./http-load.ts";
import { processorTimes } from "./machine.ts";
import type { Spread } from "./percentiles.ts";
import { runScript } from "./processes.ts";
import type { Postgres, Smsc, SmscCount } from "./systems.ts";

export interface SystemUnderLoad {
  /** Roots of the process trees that are the gateway. */
  readonly gatewayPids: readonly number[];
  readonly smsc: Smsc;
  readonly postgres?: Postgres;
  readonly messagesPerCall: number;
  /** Nothing is carried, by intention: a message is one that was accepted. */
  readonly isAcceptedOnly?: boolean;
  /** It has carried such a load before, and is as fast as it will be. */
  readonly isWarm?: boolean;
}

export interface Measurement {
  /** Messages a second whose call was answered 2xx. */
  readonly accepted: number;
  /**
   * Messages a second carried through: their receipt was acknowledged, which a gateway does when it
   * has it recorded.
   */
  readonly carried: number;
  readonly latencyMs: Spread;
  /** Microseconds for each message, which is the mean of accepted and carried, by process. */
  readonly processorTime: Readonly<Record<"gateway" | "postgres" | "smsc" | "load", number>>;
  readonly seconds: number;
}

export type LoadSettings = Omit<LoadOptions, "trace" | "warmUpCalls" | "calls">;

/** By then V8 has compiled what it will compile. */
const warmUpMessages = 15_000;

interface Reading {
  readonly processes: readonly number[];
  readonly smsc: SmscCount;
}

/** Run at the two ends of the counted time, after the readings. */
interface Hooks {
  readonly begin?: () => Promise<void>;
  readonly end?: () => Promise<void>;
}

/** Throws when any call was refused: what is not accepted is not comparable. */
export async function measure(
  system: SystemUnderLoad,
  settings: LoadSettings,
  hooks: Hooks = {},
): Promise<{ readonly measurement: Measurement; readonly result: LoadResult }> {
  const warmUpCalls = (system.isWarm === true ? 0 : warmUpMessages) / system.messagesPerCall;
  const options: LoadOptions = { ...settings, warmUpCalls };
  const load = runScript("http-load.ts", [JSON.stringify(options)]);
  try {
    await load.line(/^measuring$/);
    const before = await read(system, load.pid);
    await hooks.begin?.();
    await load.line(/^measured$/);
    const after = await read(system, load.pid);
    await hooks.end?.();
    const { 0: json } = await load.line(/^\{.*\}$/);
    const result = JSON.parse(json) as LoadResult;
    if (result.refused > 0) {
      throw new Error(`${settings.kind}: ${result.refused} calls were refused: ${result.refusal ?? ""}`);
    }
    return { measurement: summarize(result, before, after, system), result };
  } finally {
    await load.stop("SIGKILL");
  }
}

async function read({ gatewayPids, smsc, postgres }: SystemUnderLoad, loadPid: number): Promise<Reading> {
  const processes = processorTimes([loadPid, smsc.pid, postgres?.pid ?? -1, ...gatewayPids]);
  return { processes, smsc: await smsc.count() };
}

function summarize(result: LoadResult, before: Reading, after: Reading, system: SystemUnderLoad): Measurement {
  const accepted = (result.answered * system.messagesPerCall) / result.seconds;
  const smscSeconds = (after.smsc.at - before.smsc.at) / 1000;
  const carried = (after.smsc.receiptsAcknowledged - before.smsc.receiptsAcknowledged) / smscSeconds;
  // A message that was accepted in this time and not carried yet is half done, and one carried that
  // was accepted before as well.
  const messages = (system.isAcceptedOnly === true ? accepted : (accepted + carried) / 2) * result.seconds;
  const used = after.processes.map((microseconds, index) => (microseconds - (before.processes[index] ?? 0)) / messages);
  const [load = 0, smsc = 0, postgres = 0, ...gateways] = used;
  const gateway = gateways.reduce((sum, microseconds) => sum + microseconds, 0);
  const processorTime = { gateway, postgres, smsc, load };
  return { accepted, carried, latencyMs: result.latencyMs, processorTime, seconds: result.seconds };
}

export function describeMeasurement({ accepted, carried, latencyMs, processorTime }: Measurement): string {
  const parts = Object.entries(processorTime).map(([name, value]) => `${name} ${value.toFixed(0)}`);
  return (
    `accepted ${accepted.toFixed(0).padStart(6)}/s  carried ${carried.toFixed(0).padStart(6)}/s  ` +
    `p99 ${latencyMs.p99.toFixed(1)} ms  µs a message: ${parts.join(", ")}`
  );
}
