// How long a piece of work keeps everybody else in the process waiting.
import { existsSync, readFileSync } from "node:fs";
import { Finding } from "./target.ts";

/** What one call may hold the event loop for. */
const longestHoldMs = 50;
/** Garbage collection may hold it as well, but not each time. */
const attempts = 3;
const lookEveryMs = 2;

/** See sched-stats of the Linux kernel: nanoseconds that this thread has run. */
const threadTimes = "/proc/thread-self/schedstat";
/** Time on a processor where it is known: a busy machine makes everything take longer. */
export const processorMs = existsSync(threadTimes)
  ? () => Number.parseInt(readFileSync(threadTimes, "latin1"), 10) / 1e6
  : () => performance.now();

/**
 * Answers what `work` answers. Throws a Finding where it holds the event loop for too long, also
 * when it is repeated. Only the subject may be at work meanwhile. What `prepare` does before each
 * attempt is not measured.
 */
export async function withoutHolding<Value>(
  work: () => Promise<Value>,
  prepare: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Value> {
  const measure = async () => {
    await prepare();
    return measureHold(work);
  };
  const first = await measure();
  let heldMs = first.heldMs;
  for (let attempt = 1; heldMs > longestHoldMs && attempt < attempts; attempt += 1)
    heldMs = Math.min(heldMs, (await measure()).heldMs);
  if (heldMs > longestHoldMs) throw new Finding(`the event loop was held for ${Math.round(heldMs)} ms`);
  return first.value;
}

async function measureHold<Value>(work: () => Promise<Value>): Promise<{ value: Value; heldMs: number }> {
  let heldMs = 0;
  let seenAt = processorMs();
  const look = (): void => {
    const now = processorMs();
    heldMs = Math.max(heldMs, now - seenAt);
    seenAt = now;
  };
  const timer = setInterval(look, lookEveryMs);
  try {
    const value = await work();
    look();
    return { value, heldMs };
  } finally {
    clearInterval(timer);
  }
}
