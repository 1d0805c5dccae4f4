// Entry point of bin/hodhod: passes the arguments to the command line and sets the exit code.
import { readdirSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { runCli } from "./cli/cli.ts";

/**
 * Where the processor does not suffice for all, a process of this niceness gets a third of what one
 * of niceness 0 gets (sched(7)). With more, a change that holds locks would take too long there.
 */
const niceness = 5;

/**
 * Lets the gateways and databases of this machine go first. Processes that this one starts inherit
 * it. It stays so, because only root may raise a priority again.
 */
function lowerPriority(): void {
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

/** They carry messages until a signal ends them. */
const services: ReadonlySet<string | undefined> = new Set(["serve", "demo", "simulate"]);

export async function main(argv: readonly string[]): Promise<void> {
  if (!services.has(argv[0])) lowerPriority();
  process.exitCode = await runCli(argv, process);
}
