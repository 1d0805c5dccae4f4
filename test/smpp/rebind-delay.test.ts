import { expect, it } from "vitest";
import { rebindDelayMs } from "../../src/smpp/client.ts";

it("case 17: starts at 1 s, doubles to 10 s, never more, with the last quarter left to chance", () => {
  expect([1, 2, 3, 4, 5, 6, 100].map((attempt) => rebindDelayMs(attempt, 1))).toEqual([
    1000, 2000, 4000, 8000, 10_000, 10_000, 10_000,
  ]);
  expect(rebindDelayMs(1, 0)).toBe(750);
  expect(rebindDelayMs(5, 0)).toBe(7500);
  expect(rebindDelayMs(0, 1)).toBe(1000);
});

it("waits a minute after wrong credentials, doubling to 15: SMSCs lock accounts that go on", () => {
  const delay = (attempt: number) => rebindDelayMs(attempt, 1, { wrongCredentials: true });
  expect([1, 2, 3, 4, 5, 6, 100].map(delay)).toEqual([60_000, 120_000, 240_000, 480_000, 900_000, 900_000, 900_000]);
});
