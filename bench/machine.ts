// What processes and the machine have used, from /proc (Linux): processor time with that of
// children, peak memory, idle time. Readings are cumulative; a figure is the difference of two.
import { readdirSync, readFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";

/**
 * /proc counts processor time in ticks of USER_HZ, which is 100 on every Linux that Node.js runs
 * on.
 */
const microsecondsPerTick = 10_000;

interface ProcessTimes {
  readonly parent: number;
  /** Its own processor time and that of its children that have ended, in microseconds. */
  readonly microseconds: number;
}

/**
 * Reads one line of /proc/PID/stat: proc(5), fields 4 (ppid) and 14 to 17 (utime, stime, cutime,
 * cstime).
 */
function parseProcessTimes(stat: string): ProcessTimes {
  // The name in brackets may hold blanks and brackets.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { parent: Number(fields[1]), microseconds: ticks * microsecondsPerTick };
}

/**
 * Processor time in microseconds of each process with all that descend from it, as of now; 0 for
 * one that is gone.
 */
export function processorTimes(roots: readonly number[]): number[] {
  const times = new Map<number, ProcessTimes>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readIfThere(`/proc/${name}/stat`);
    if (stat !== undefined) times.set(Number(name), parseProcessTimes(stat));
  }
  return roots.map((root) =>
    [...times].reduce((sum, [pid, time]) => sum + (isUnder(root, pid, times) ? time.microseconds : 0), 0),
  );
}

function isUnder(root: number, pid: number, times: ReadonlyMap<number, ProcessTimes>): boolean {
  for (let at: number | undefined = pid; at !== undefined && at !== 0; at = times.get(at)?.parent) {
    if (at === root) return true;
  }
  return false;
}

export interface MachineTimes {
  /** Microseconds over all cores. */
  readonly idle: number;
  readonly total: number;
}

/** Reads the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal. */
export function machineTimes(): MachineTimes {
  const stat = readFileSync("/proc/stat", "utf8");
  const line = stat.slice(0, stat.indexOf("\n")).trim();
  const fields = line
    .split(/\s+/)
    .slice(1, 9)
    .map((field) => Number(field) * microsecondsPerTick);
  const [, , , idle = 0, waiting = 0] = fields;
  return { idle: idle + waiting, total: fields.reduce((sum, field) => sum + field, 0) };
}

/** The most memory that a process has had resident so far, in MiB (VmHWM). */
export function peakMemoryMiB(pid: number): number {
  const status = readIfThere(`/proc/${pid}/status`) ?? "";
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}

/** Milliseconds of a clock that all processes of the machine share. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export function describeMachine(): string {
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores (${model}), ${memory} GiB, Node ${process.version}, ${process.platform}`;
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // The process has ended in between.
    return undefined;
  }
}
