import { expect, it } from "vitest";
import { DelayLine } from "../../src/simulator/delivery-queue.ts";

it("runs what is due in order of its time, and at once what has none", async () => {
  const line = new DelayLine();
  const order: string[] = [];
  line.after(0, () => order.push("now"));
  await new Promise<void>((resolve) => {
    line.after(40, () => {
      order.push("last");
      resolve();
    });
    line.after(10, () => order.push("first"));
    line.after(10, () => order.push("second"));
  });
  expect(order).toEqual(["now", "first", "second", "last"]);
});

it("forgets what was cleared", async () => {
  const line = new DelayLine();
  let runs = 0;
  line.after(1, () => (runs += 1));
  line.clear();
  await new Promise<void>((resolve) => line.after(20, resolve));
  expect(runs).toBe(0);
});
