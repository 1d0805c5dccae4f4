import { describe, expect, it } from "vitest";
import { QueueHint } from "../../src/dispatch/queue-hint.ts";

describe("QueueHint", () => {
  it("holds until a claim finds nothing", () => {
    const queue = new QueueHint();
    expect(queue.mayHold).toBe(true);
    queue.answered(3, queue.ask());
    expect(queue.mayHold).toBe(true);
    queue.answered(0, queue.ask());
    expect(queue.mayHold).toBe(false);
    queue.note();
    expect(queue.mayHold).toBe(true);
  });

  it("does not believe a claim that may have read the queue before a notice came", () => {
    const queue = new QueueHint();
    const asked = queue.ask();
    queue.note();
    queue.answered(0, asked);
    expect(queue.mayHold).toBe(true);
  });

  it("does not believe a claim while another found messages: it may have locked all that waits", () => {
    const queue = new QueueHint();
    const [one, other] = [queue.ask(), queue.ask()];
    queue.answered(2, one);
    queue.answered(0, other);
    expect(queue.mayHold).toBe(true);
    queue.answered(0, queue.ask());
    expect(queue.mayHold).toBe(false);
  });
});
