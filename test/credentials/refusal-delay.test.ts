import { beforeEach, describe, expect, it } from "vitest";
import { delayAfter, RefusalDelay, RefusalsFull } from "../../src/credentials/refusal-delay.ts";
import { heapKept } from "../support/heap.ts";

let now = 0;
let waits: number[] = [];
let delays: RefusalDelay;

beforeEach(() => {
  now = 0;
  waits = [];
  delays = new RefusalDelay({ now: () => now, wait: async (ms) => void waits.push(ms) });
});

it("grows as wrong ones repeat, up to two seconds", async () => {
  for (let attempt = 1; attempt <= 9; attempt += 1) await delays.refuse("address a");
  expect(waits).toEqual([50, 100, 200, 400, 800, 1600, 2000, 2000, 2000]);
  expect(delayAfter(1_000_000)).toBe(2000);
});

it("counts by source and by user, whichever has more", async () => {
  for (const name of ["one", "two", "three"]) await delays.refuse("address a", `user ${name}`);
  for (const address of ["b", "c"]) await delays.refuse(`address ${address}`, "user one");
  expect(waits).toEqual([50, 100, 200, 100, 200]);
});

it("forgives after ten minutes", async () => {
  await delays.refuse("address a");
  await delays.refuse("address a");
  expect(delays.isSuspicious(["address a"])).toBe(true);
  now = 600_000;
  expect(delays.isSuspicious(["address a"])).toBe(false);
  await delays.refuse("address a");
  expect(waits).toEqual([50, 100, 50]);
});

it("remembers little of names that are as long as a request, and tells them apart", async () => {
  const name = (number: number): string => `user ${"x".repeat(200_000)}${String(number)}`;
  const before = heapKept();
  for (let number = 0; number < 200; number += 1) await delays.refuse(name(number));
  // 40 MB, if they were kept.
  expect(heapKept() - before).toBeLessThan(10_000_000);
  expect(new Set(waits)).toEqual(new Set([50]));
  expect(delays.isSuspicious([name(7)])).toBe(true);
  expect(delays.isSuspicious([name(1000)])).toBe(false);
});

it("holds so many of one source, and so many in all; further ones are refused at once, and all places are given back", async () => {
  let end = (): void => undefined;
  const held = new Promise<void>((resolve) => (end = resolve));
  const delays = new RefusalDelay({ now: () => now, wait: () => held });
  const outcomeOf = (refusal: Promise<void>) =>
    refusal.then(
      () => "held",
      (error: unknown) => (error instanceof RefusalsFull ? "full" : "broken"),
    );
  const ofOne = Array.from({ length: 1_100 }, (_, index) =>
    outcomeOf(index % 2 === 0 ? delays.refuse("address a", `user ${index}`) : delays.pace("address a")),
  );
  expect(delays.held).toBe(1_000);
  const ofMany = Array.from({ length: 9_100 }, (_, index) => outcomeOf(delays.pace(`address ${index}`)));
  expect(delays.held).toBe(10_000);
  end();
  const count = async (outcomes: readonly Promise<string>[]) =>
    (await Promise.all(outcomes)).filter((outcome) => outcome === "held").length;
  expect([await count(ofOne), await count(ofMany), delays.held]).toEqual([1_000, 9_000, 0]);
  expect(await outcomeOf(delays.refuse("address a"))).toBe("held");
});

it("paces for the longest time, and counts nothing as wrong", async () => {
  await delays.pace("address a");
  expect(waits).toEqual([2000]);
  expect(delays.isSuspicious(["address a"])).toBe(false);
});

describe("refusals that several workers share", () => {
  it("are counted by all, and told by the hash of their subject", async () => {
    const waits: number[][] = [[], []];
    const told: string[] = [];
    const worker = (index: number): RefusalDelay =>
      new RefusalDelay({
        now: () => 0,
        wait: (ms) => Promise.resolve(waits[index]?.push(ms)),
        shared: {
          workers: 2,
          tell: (key) => {
            told.push(key);
            workers[1 - index]?.hear(key);
          },
        },
      });
    const workers: readonly RefusalDelay[] = [worker(0), worker(1)];
    for (const index of [0, 1, 0, 1]) await workers[index]?.refuse("address 192.0.2.1", "user shop reza");
    expect(waits).toEqual([
      [50, 200],
      [100, 400],
    ]);
    expect(workers[1]?.isSuspicious(["address 192.0.2.1"])).toBe(true);
    expect(told.join()).not.toMatch(/reza|192/);
  });

  it("are held by each of them in its share of the room", async () => {
    const delay = new RefusalDelay({
      wait: () => new Promise(() => undefined),
      shared: { workers: 4, tell: () => undefined },
    });
    for (let held = 0; held < 250; held += 1) void delay.refuse("address 192.0.2.1");
    await expect(delay.refuse("address 192.0.2.1")).rejects.toThrow(RefusalsFull);
    void delay.refuse("address 192.0.2.2");
    expect(delay.held).toBe(251);
  });
});
