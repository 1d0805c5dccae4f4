// The thread that an input is tried in. It may hang, crash or run out of memory: the campaign that
// started it watches from outside.
import { setTimeout as delay } from "node:timers/promises";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parentPort, workerData } from "node:worker_threads";
import { Random } from "./random.ts";
import { describeError, type Subject, type Surroundings, type Target } from "./target.ts";
import type { Value } from "./value.ts";

export interface WorkerData {
  /** The module that exports it. */
  readonly from: string;
  readonly target: string;
  readonly seed: string;
  readonly surroundings: Surroundings;
  /** Counts the inputs that were begun. */
  readonly begun: Int32Array;
}

export type Order =
  | { readonly kind: "run"; readonly from: number; readonly inputs: number; readonly seconds: number }
  | { readonly kind: "close" };

export interface RunFigures {
  readonly grownBytes: number;
  readonly slowestMs: number;
  readonly slowestIndex: number;
  readonly notes: string;
}

export type Report =
  | { readonly kind: "ready" }
  | { readonly kind: "fault"; readonly index: number; readonly words: string }
  | ({ readonly kind: "done"; readonly next: number } & RunFigures)
  | { readonly kind: "closed" };

/** By then compilers and caches have what they want. */
const warmUpInputs = 300;
const yieldEvery = 64;

const { from, target: targetName, seed, surroundings, begun } = workerData as WorkerData;
const port = parentPort;
if (port === null) throw new Error("this file is the start of a worker");

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** What escapes from callbacks belongs to the input under way. */
const escaped: unknown[] = [];
process.on("uncaughtException", (error) => escaped.push(error));
process.on("unhandledRejection", (error) => escaped.push(error));

const tell = (report: Report): void => port.postMessage(report);

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
  const [first] = escaped.splice(0);
  return first === undefined ? undefined : `escaped: ${describeError(first)}`;
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

async function run(target: Target, subject: Subject, order: Extract<Order, { kind: "run" }>): Promise<void> {
  const endsAt = performance.now() + order.seconds * 1000;
  let before: number | undefined;
  let slowest = { slowestMs: 0, slowestIndex: order.from };
  let index = order.from;
  for (; index < order.from + order.inputs && performance.now() < endsAt; index += 1) {
    if (index === order.from + warmUpInputs) before = await heapBytes(target.settleMs ?? 0);
    Atomics.store(begun, 0, index);
    Atomics.add(begun, 1, 1);
    const input = target.generate(new Random(seed, targetName, index));
    const begunAt = performance.now();
    const words = await tryInput(subject, input);
    const spentMs = performance.now() - begunAt;
    if (spentMs > slowest.slowestMs) slowest = { slowestMs: spentMs, slowestIndex: index };
    if (words !== undefined) {
      tell({ kind: "fault", index, words });
      return;
    }
    // Orders and ends of sockets want their turn.
    if (index % yieldEvery === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  Atomics.add(begun, 1, 1);
  const grownBytes = before === undefined ? 0 : (await heapBytes(target.settleMs ?? 0)) - before;
  tell({ kind: "done", next: index, grownBytes, ...slowest, notes: subject.notes?.() ?? "" });
}

const exported = (await import(from)) as Readonly<Record<string, Target | readonly Target[]>>;
const target = Object.values(exported)
  .flat()
  .find(({ name }) => name === targetName);
if (target === undefined) throw new Error(`no target is called ${targetName}`);
const subject = await open(target);

async function open(target: Target): Promise<Subject> {
  try {
    return await target.open(surroundings);
  } catch (error) {
    tell({ kind: "fault", index: 0, words: describeError(error) });
    throw error;
  }
}

async function obey(target: Target, order: Order): Promise<void> {
  if (order.kind === "run") await run(target, subject, order);
  else {
    await subject.close();
    tell({ kind: "closed" });
  }
}

port.on("message", (order: Order) => {
  obey(target, order).catch((error: unknown) => tell({ kind: "fault", index: 0, words: describeError(error) }));
});
tell({ kind: "ready" });
