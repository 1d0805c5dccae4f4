import { beforeEach, expect, it } from "vitest";
import { delayAfter, RefusalDelay } from "../../src/credentials/refusal-delay.ts";

let now = 0;
let waits: number[] = [];
let delays: RefusalDelay;

beforeEach(() => {
  now = 0;
  waits = [];
  delays = new RefusalDelay({ now: () => now, wait: async (ms) => void waits.push(ms) });
});

it("grows as wrong ones repeat, up to two seconds", async () => {
  for (let attempt = 1; attempt <= 9; attempt += 1) await delays.refuse(["address a"]);
  expect(waits).toEqual([50, 100, 200, 400, 800, 1600, 2000, 2000, 2000]);
  expect(delayAfter(1_000_000)).toBe(2000);
});

it("counts by source and by user, whichever has more", async () => {
  for (const name of ["one", "two", "three"]) await delays.refuse(["address a", `user ${name}`]);
  for (const address of ["b", "c"]) await delays.refuse([`address ${address}`, "user one"]);
  expect(waits).toEqual([50, 100, 200, 100, 200]);
});

it("forgives after ten minutes", async () => {
  await delays.refuse(["address a"]);
  await delays.refuse(["address a"]);
  expect(delays.isSuspicious(["address a"])).toBe(true);
  now = 600_000;
  expect(delays.isSuspicious(["address a"])).toBe(false);
  await delays.refuse(["address a"]);
  expect(waits).toEqual([50, 100, 50]);
});

it("remembers little of names that are as long as a request, and tells them apart", async () => {
  const name = (number: number): string => `user ${"x".repeat(200_000)}${String(number)}`;
  const before = process.memoryUsage().heapUsed;
  for (let number = 0; number < 200; number += 1) await delays.refuse([name(number)]);
  // 40 MB, if they were kept.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000);
  expect(new Set(waits)).toEqual(new Set([50]));
  expect(delays.isSuspicious([name(7)])).toBe(true);
  expect(delays.isSuspicious([name(1000)])).toBe(false);
});
