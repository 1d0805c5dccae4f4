import { Socket } from "node:net";
import { expect, it } from "vitest";
import { SharedBudget } from "../../../src/http/limits/shared-budget.ts";
import { SocketWatch } from "../../../src/http/limits/socket-watch.ts";

it("the time in which an answer was not taken does not count for a later answer", () => {
  const socket = new Socket();
  Object.defineProperty(socket, "_handle", { value: { writeQueueSize: 5000 }, writable: true });
  const head = new SharedBudget(1 << 20).claim({ key: "a", isBounded: true }, () => undefined);
  const watch = new SocketWatch(socket, head);
  watch.lookAtAnswers(1000);
  expect(watch.lookAtAnswers(1200)).toBe(0);
  expect(watch.lookAtAnswers(1400)).toBe(200);
  watch.forgetAnswers();
  expect(watch.lookAtAnswers(41_400)).toBe(0);
  watch.lookAtAnswers(41_500);
  expect(watch.lookAtAnswers(41_700)).toBe(200);
  watch.end();
});
