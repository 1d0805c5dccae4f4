// What is kept: the heap once everything that nobody holds is gone from it.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
// Node.js shows it to contexts that are made after the flag was set.
const collectGarbage = runInNewContext("gc") as () => void;

/** Octets, after a collection: files of tests share a process, and others' garbage lies about. */
export function heapKept(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Octets of buffers. One collection hands what it frees to a thread, and the next waits for it. */
export function buffersAfterCollection(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}
