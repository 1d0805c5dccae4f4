// What processes have used, from /proc (Linux): processor time with that of children, memory.
// Readings of time are cumulative; a figure is the difference of two.
import { readdirSync, readFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";

/**
 * /proc counts processor time in ticks of USER_HZ, which is 100 on every Linux that Node.js runs
 * on.
 */
const microsecondsPerTick = 10_000;

/**
 * Processor time in microseconds of each process with all that descend from it, as of now; 0 for
 * one that is gone. From /proc/PID/stat: proc(5), fields 4 (ppid) and 14 to 17 (utime, stime, cutime,
 * cstime, the last two of children that have ended).
 */
export function processorTimes(roots: readonly number[]): number[] {
  const parents = new Map<number, number>();
  const times = new Map<number, number>();
  for (const pid of readdirSync("/proc").map(Number).filter(Number.isInteger)) {
    // The name in brackets may hold blanks and brackets.
    const fields = readIfThere(`/proc/${pid}/stat`)
      .replace(/^.*\) /s, "")
      .split(" ");
    parents.set(pid, Number(fields[1]));
    times.set(pid, fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) * microsecondsPerTick);
  }
  const isUnder = (root: number, pid: number | undefined): boolean =>
    pid === root || (pid !== undefined && pid > 0 && isUnder(root, parents.get(pid)));
  return roots.map((root) => [...times].reduce((sum, [pid, time]) => sum + (isUnder(root, pid) ? time : 0), 0));
}

/** What a process has resident, or the most that it had (VmHWM); 0 for one that is gone. */
export function memoryMiB(pid: number, which: "VmRSS" | "VmHWM" = "VmHWM"): number {
  return Number(new RegExp(`^${which}:\\s+(\\d+) kB$`, "m").exec(readIfThere(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
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

/** Nothing of a process that has ended in between. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
