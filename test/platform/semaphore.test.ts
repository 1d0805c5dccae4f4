import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { Semaphore, SemaphoreFull, type SemaphoreLimits } from "../../src/platform/semaphore.ts";

/** Work that ends when it is told to, and the order in which it began. */
function workOf(limits: SemaphoreLimits) {
  const semaphore = new Semaphore(limits);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string): Promise<void> =>
    semaphore.run(name.slice(0, 1), () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await nextTurn();
  };
  return { semaphore, begun, run, end };
}

it("runs as much as its limits allow, in all and for each key", async () => {
  const { semaphore, begun, run, end } = workOf({ total: 3, perKey: 2 });
  const all = ["a1", "a2", "a3", "b1", "c1"].map(run);
  await nextTurn();
  expect(begun).toEqual(["a1", "a2", "b1"]);
  expect([semaphore.running, semaphore.waiting]).toEqual([3, 2]);
  await end("b1");
  // a3 waited longer, and its key has two already.
  expect(begun).toEqual(["a1", "a2", "b1", "c1"]);
  for (const name of ["a1", "a2", "c1", "a3"]) await end(name);
  await Promise.all(all);
  expect([semaphore.running, semaphore.waiting]).toEqual([0, 0]);
});

it("lets waiting keys take turns", async () => {
  const { begun, run, end } = workOf({ total: 1 });
  const all = ["a1", "a2", "a3", "b1", "b2", "c1"].map(run);
  await nextTurn();
  for (let step = 0; step < all.length; step += 1) await end(begun.at(-1) ?? "");
  await Promise.all(all);
  expect(begun).toEqual(["a1", "a2", "b1", "c1", "a3", "b2"]);
});

it("refuses what finds no place to wait, of one key or in all", async () => {
  const { begun, run, end } = workOf({ total: 1, waiting: 3, waitingPerKey: 2 });
  const all = ["a1", "a2", "a3"].map(run);
  await nextTurn();
  await expect(run("a4")).rejects.toThrow(SemaphoreFull);
  all.push(run("b1"));
  await expect(run("c1")).rejects.toThrow(SemaphoreFull);
  for (let step = 0; step < all.length; step += 1) await end(begun.at(-1) ?? "");
  await Promise.all(all);
});

it("ends a wait that is too long, and keeps its place for nobody", async () => {
  const { semaphore, begun, run, end } = workOf({ total: 1, waitMs: 1 });
  const first = run("a1");
  await expect(run("b1")).rejects.toThrow(SemaphoreFull);
  expect(semaphore.waiting).toBe(0);
  await end("a1");
  await first;
  expect(semaphore.tryAcquire("c")).toBeTypeOf("function");
  expect(semaphore.tryAcquire("c")).toBeUndefined();
  expect(begun).toEqual(["a1"]);
});

it("gives the place back when work fails", async () => {
  const semaphore = new Semaphore({ total: 1 });
  await expect(semaphore.run("a", () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(semaphore.running).toBe(0);
});
