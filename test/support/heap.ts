// What is kept: the heap once everything that nobody holds is gone from it.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
// Node.js shows it to contexts that are made after the flag was set.
const collectGarbage = runInNewContext("gc") as () => void;

/**
 * The most that is kept while the work goes on, beyond what was kept before it. In MB. To look
 * takes the time of collections, so each look waits twice as long as the one before. The last one
 * comes when half of the work is done.
 */
export async function mostKeptBy(work: () => Promise<unknown>): Promise<number> {
  const kept = (): number => buffersAfterCollection() + process.memoryUsage().heapUsed;
  const before = kept();
  const seen: number[] = [];
  let afterMs = 10;
  const look = (): void => {
    seen.push(kept() - before);
    afterMs *= 2;
    next = setTimeout(look, afterMs);
  };
  let next = setTimeout(look, afterMs);
  try {
    await work();
  } finally {
    clearTimeout(next);
  }
  if (seen.length === 0) throw new Error("the work ended before anybody looked");
  return Math.max(...seen) / 1_000_000;
}

/** Octets of buffers. One collection hands what it frees to a thread, and the next waits for it. */
export function buffersAfterCollection(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}
