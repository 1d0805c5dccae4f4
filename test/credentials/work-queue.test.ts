import { expect, it } from "vitest";
import type { LaneBounds, LanePlace } from "../../src/credentials/fair-lanes.ts";
import { WorkQueue, WorkQueueFull } from "../../src/credentials/work-queue.ts";

function gate() {
  let open = (): void => undefined;
  const closed = new Promise<void>((resolve) => (open = resolve));
  return { closed, open: () => open() };
}

const fresh = (lane: string): LanePlace => ({ standing: "fresh", lane });
const known: LanePlace = { standing: "known", lane: "user" };
const upTo = (each: number, total = 100): LaneBounds => ({
  perLane: { known: each, fresh: each, guessing: each },
  total,
});

it("runs so many at once, and those that are known before the others", async () => {
  const queue = new WorkQueue({ atOnce: 1, bounds: upTo(10) });
  const first = gate();
  const order: string[] = [];
  const work = [
    queue.run(fresh("a"), () => first.closed),
    queue.run(fresh("a"), async () => void order.push("fresh")),
    queue.run(known, async () => void order.push("known")),
  ];
  expect(queue.load).toEqual({ running: 1, waiting: 2, lanes: 2 });
  first.open();
  await Promise.all(work);
  expect(order).toEqual(["known", "fresh"]);
  expect(queue.load).toEqual({ running: 0, waiting: 0, lanes: 0 });
});

it("refuses what would wait beyond the bound of its lane, and takes it again when there is room", async () => {
  const queue = new WorkQueue({ atOnce: 1, bounds: upTo(1) });
  const first = gate();
  const work = [queue.run(fresh("a"), () => first.closed), queue.run(fresh("a"), async () => undefined)];
  await expect(queue.run(fresh("a"), async () => 1)).rejects.toThrow(WorkQueueFull);
  work.push(queue.run(fresh("b"), async () => undefined));
  first.open();
  await Promise.all(work);
  expect(await queue.run(fresh("a"), async () => 1)).toBe(1);
});

it("refuses one that waits when all lanes are full and another lane is shorter", async () => {
  const queue = new WorkQueue({ atOnce: 1, bounds: upTo(5, 3) });
  const first = gate();
  const done: string[] = [];
  const run = (lane: string, name: string) =>
    queue
      .run(fresh(lane), async () => void done.push(name))
      .catch((error: unknown) => {
        if (error instanceof WorkQueueFull) done.push(`${name} refused`);
      });
  const work = [
    queue.run(fresh("a"), () => first.closed),
    run("a", "a1"),
    run("a", "a2"),
    run("b", "b1"),
    run("c", "c1"),
  ];
  first.open();
  await Promise.all(work);
  expect(done).toEqual(["a2 refused", "a1", "b1", "c1"]);
});

it("gives its place on when work fails", async () => {
  const queue = new WorkQueue({ atOnce: 1, bounds: upTo(1) });
  await expect(queue.run(known, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await queue.run(known, async () => 2)).toBe(2);
  expect(queue.load).toEqual({ running: 0, waiting: 0, lanes: 0 });
});

it("keeps places free for those that do not guess", async () => {
  const queue = new WorkQueue({ atOnce: 3, guessesAtOnce: 1, bounds: upTo(10) });
  const first = gate();
  const guess = (lane: string, work: () => Promise<void>) => queue.run({ standing: "guessing", lane }, work);
  const order: string[] = [];
  const guesses = [guess("a", () => first.closed), guess("b", async () => void order.push("guess"))];
  expect(queue.load).toMatchObject({ running: 1, waiting: 1 });
  expect(await queue.run(fresh("c"), async () => 1)).toBe(1);
  expect(order).toEqual([]);
  first.open();
  await Promise.all(guesses);
  expect(order).toEqual(["guess"]);
  expect(queue.load).toEqual({ running: 0, waiting: 0, lanes: 0 });
});

it("lets those that wait in a lane wait among guesses from the moment that one of them was wrong", async () => {
  const queue = new WorkQueue({ atOnce: 1, bounds: upTo(10) });
  const first = gate();
  const order: string[] = [];
  const work = [
    queue.run(fresh("a"), () => first.closed),
    queue.run(fresh("a"), async () => void order.push("a1")),
    queue.run(fresh("a"), async () => void order.push("a2")),
    queue.run(fresh("b"), async () => void order.push("b")),
    queue.run(known, async () => void order.push("known")),
  ];
  for (const lane of ["a", "user", "nobody"]) queue.demote(lane);
  first.open();
  await Promise.all(work);
  expect(order).toEqual(["known", "b", "a1", "a2"]);
});
