import { expect, it } from "vitest";
import { pauseAfter } from "../../src/workers/worker-seat.ts";

it("a worker that ends at once, again and again, is started after 1 s, then twice as long each time, at most 30 s", () => {
  expect([0, 1, 2, 3, 4, 5, 6, 1000].map(pauseAfter)).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
});
