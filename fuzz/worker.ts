// The thread that inputs are tried in. It may hang, crash or run out of memory: the campaign that
// started it watches from outside.
import { setTimeout as delay } from "node:timers/promises";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parentPort, workerData } from "node:worker_threads";
import { Random } from "./random.ts";
import { describeError, kindOf, type Subject, type Surroundings, type Target } from "./target.ts";
import type { Value } from "./value.ts";

export interface WorkerData {
  /** The module that exports it. */
  readonly from: string;
  readonly target: string;
  readonly seed: string;
  readonly surroundings: Surroundings;
  /** At most so many from this one on, and for so many seconds. */
  readonly first: number;
  readonly inputs: number;
  readonly seconds: number;
  /** The input that was begun last, and a count that changes with it; 0 while the subject opens or closes. */
  readonly begun: Int32Array;
}

export interface RunFigures {
  readonly grownBytes: number;
  readonly slowestMs: number;
  readonly slowestIndex: number;
  readonly notes: string;
}

export type Report =
  | { readonly kind: "fault"; readonly index: number; readonly words: string }
  | { readonly kind: "died"; readonly words: string }
  | { readonly kind: "done"; readonly next: number; readonly figures: RunFigures };

/** By then compilers and caches have what they want. */
const warmUpInputs = 300;
const yieldEvery = 64;
/** A subject that fails so often has shown enough. */
const enoughFailures = 100;

const { from, target: targetName, seed, surroundings, first, inputs, seconds, begun } = workerData as WorkerData;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** What escapes from callbacks belongs to the input under way. */
const escaped: unknown[] = [];
process.on("uncaughtException", (error) => escaped.push(error));
process.on("unhandledRejection", (error) => escaped.push(error));

const report = (what: Report): void => parentPort?.postMessage(what);

/** What is wrong with how the subject took the input; undefined when nothing is. */
async function tryInput(subject: Subject, input: Value): Promise<string | undefined> {
  try {
    const checking = subject.check(input);
    if (checking !== undefined) {
      await checking;
      // What it left to be done at once belongs to it.
      await delay(1);
    }
  } catch (error) {
    return describeError(error);
  }
  const [escapee] = escaped.splice(0);
  return escapee === undefined ? undefined : `escaped: ${describeError(escapee)}`;
}

async function heapBytes(settleMs: number): Promise<number> {
  await delay(settleMs);
  for (let round = 0; round < 3; round += 1) {
    await delay(20);
    collectGarbage();
  }
  const { used_heap_size: onHeap, external_memory: outside } = getHeapStatistics();
  return onHeap + outside;
}

async function run({ settleMs = 0, ...target }: Target): Promise<void> {
  let subject = await target.open(surroundings);
  const endsAt = performance.now() + seconds * 1000;
  const kinds = new Set<string>();
  let before: number | undefined;
  let slowest = { slowestMs: 0, slowestIndex: first };
  let index = first;
  for (let failures = 0; index < first + inputs && performance.now() < endsAt; index += 1) {
    if (index === first + warmUpInputs) before = await heapBytes(settleMs);
    Atomics.store(begun, 0, index);
    Atomics.store(begun, 1, index - first + 1);
    const input = target.generate(new Random(seed, targetName, index));
    const begunAt = performance.now();
    const words = await tryInput(subject, input);
    const spentMs = performance.now() - begunAt;
    if (spentMs > slowest.slowestMs) slowest = { slowestMs: spentMs, slowestIndex: index };
    if (words !== undefined) {
      report({ kind: "fault", index, words });
      failures += 1;
      if (failures === enoughFailures) break;
      if (kinds.has(kindOf(words))) continue;
      kinds.add(kindOf(words));
      // The subject may be spoiled.
      Atomics.store(begun, 1, 0);
      await subject.close();
      subject = await target.open(surroundings);
    }
    // Ends of sockets want their turn.
    if (index % yieldEvery === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const grownBytes = before === undefined ? 0 : (await heapBytes(settleMs)) - before;
  const notes = subject.notes?.() ?? "";
  Atomics.store(begun, 1, 0);
  await subject.close();
  report({ kind: "done", next: index, figures: { grownBytes, ...slowest, notes } });
}

try {
  const exported = (await import(from)) as Readonly<Record<string, Target | readonly Target[]>>;
  const target = Object.values(exported)
    .flat()
    .find(({ name }) => name === targetName);
  if (target === undefined) throw new Error(`no target is called ${targetName}`);
  await run(target);
} catch (error) {
  report({ kind: "died", words: describeError(error) });
}
