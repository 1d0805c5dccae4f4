import { expect, it } from "vitest";
import { WorkQueue, WorkQueueFull } from "../../src/credentials/work-queue.ts";

function gate() {
  let open = (): void => undefined;
  const closed = new Promise<void>((resolve) => (open = resolve));
  return { closed, open: () => open() };
}

it("runs so many at once, and those of the first lane before the others", async () => {
  const queue = new WorkQueue({ atOnce: 1, maximumWaiting: 10 });
  const first = gate();
  const order: string[] = [];
  const work = [
    queue.run("next", () => first.closed),
    queue.run("later", async () => void order.push("later")),
    queue.run("next", async () => void order.push("next")),
  ];
  first.open();
  await Promise.all(work);
  expect(order).toEqual(["next", "later"]);
});

it("refuses what would wait beyond the bound, and takes it again when there is room", async () => {
  const queue = new WorkQueue({ atOnce: 1, maximumWaiting: 1 });
  const first = gate();
  const work = [queue.run("next", () => first.closed), queue.run("later", async () => undefined)];
  await expect(queue.run("later", async () => 1)).rejects.toThrow(WorkQueueFull);
  first.open();
  await Promise.all(work);
  expect(await queue.run("later", async () => 1)).toBe(1);
});

it("gives its place on when work fails", async () => {
  const queue = new WorkQueue({ atOnce: 1, maximumWaiting: 1 });
  await expect(queue.run("next", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await queue.run("next", async () => 2)).toBe(2);
});
