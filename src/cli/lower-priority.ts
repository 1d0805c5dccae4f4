// Commands run beside gateways, often on the same machine, and some of them compute for seconds.
import { readdirSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/**
 * Where the processor does not suffice for all, a process of this niceness gets a third of what one
 * of niceness 0 gets (sched(7)). With more, a change that holds locks would take too long there.
 */
const niceness = 5;

/**
 * Lets the gateways and databases of this machine go first. Processes that this one starts inherit
 * it. It stays so, because only root may raise a priority again.
 */
export function lowerPriority(): void {
  for (const thread of ownThreads()) {
    try {
      // Whoever started it may have asked for less.
      if (getPriority(thread) < niceness) setPriority(thread, niceness);
    } catch {
      // The thread has ended, or the machine does not allow it. It is a courtesy.
    }
  }
}

/**
 * 0, this process; on Linux, where each thread has a priority of its own, all that run (setpriority
 * of Linux, "C library/kernel differences").
 */
function ownThreads(): readonly number[] {
  try {
    return readdirSync("/proc/self/task").map(Number);
  } catch {
    return [0];
  }
}
