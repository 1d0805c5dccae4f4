// One load on one running system, and what came of it: calls, messages, processor time of each
// part, write-ahead log. All readings are taken at the two ends of the counted time, while the load
// goes on.
import type { LoadOptions, LoadResult } from "./http-load.ts";
import { machineTimes, processorTimes, type MachineTimes } from "./machine.ts";
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
  /** Octets of PostgreSQL's write-ahead log for each message. */
  readonly walOctets: number;
  /** Shares of the machine's processor time: unused, and used by others than these processes. */
  readonly idle: number;
  readonly others: number;
  readonly seconds: number;
}

export type LoadSettings = Omit<LoadOptions, "trace" | "warmUpCalls" | "calls">;

/** By then V8 has compiled what it will compile. */
const warmUpMessages = 15_000;

interface Reading {
  readonly processes: readonly number[];
  readonly machine: MachineTimes;
  readonly smsc: SmscCount;
  readonly walOctets: number;
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
  const machine = machineTimes();
  const processes = processorTimes([loadPid, smsc.pid, ...(postgres ? [postgres.pid] : []), ...gatewayPids]);
  const [count, walOctets] = await Promise.all([smsc.count(), postgres?.walOctets() ?? 0]);
  return { machine, processes, smsc: count, walOctets };
}

function summarize(result: LoadResult, before: Reading, after: Reading, system: SystemUnderLoad): Measurement {
  const accepted = (result.answered * system.messagesPerCall) / result.seconds;
  const smscSeconds = (after.smsc.at - before.smsc.at) / 1000;
  const carried = (after.smsc.receiptsAcknowledged - before.smsc.receiptsAcknowledged) / smscSeconds;
  // A message that was accepted in this time and not carried yet is half done, and one carried that
  // was accepted before as well.
  const messages = (system.isAcceptedOnly === true ? accepted : (accepted + carried) / 2) * result.seconds;
  const used = after.processes.map((microseconds, index) => microseconds - (before.processes[index] ?? 0));
  const [load = 0, smsc = 0, ...rest] = used;
  const postgres = system.postgres ? (rest.shift() ?? 0) : 0;
  const gateway = rest.reduce((sum, microseconds) => sum + microseconds, 0);
  const machine = after.machine.total - before.machine.total;
  const idle = (after.machine.idle - before.machine.idle) / machine;
  const ours = (load + smsc + postgres + gateway) / machine;
  return {
    accepted,
    carried,
    latencyMs: result.latencyMs,
    processorTime: {
      gateway: gateway / messages,
      postgres: postgres / messages,
      smsc: smsc / messages,
      load: load / messages,
    },
    walOctets: (after.walOctets - before.walOctets) / messages,
    idle,
    others: Math.max(0, 1 - idle - ours),
    seconds: result.seconds,
  };
}

export function describeMeasurement({
  accepted,
  carried,
  latencyMs,
  processorTime,
  walOctets,
  idle,
  others,
}: Measurement): string {
  const parts = Object.entries(processorTime).map(([name, value]) => `${name} ${value.toFixed(0)}`);
  const share = (value: number): string => `${(value * 100).toFixed(0)} %`;
  return (
    `accepted ${accepted.toFixed(0).padStart(6)}/s  carried ${carried.toFixed(0).padStart(6)}/s  p99 ${latencyMs.p99.toFixed(1)} ms  ` +
    `µs a message: ${parts.join(", ")}  WAL ${walOctets.toFixed(0)} B  idle ${share(idle)}, others ${share(others)}`
  );
}
