import { describe, expect, it } from "vitest";
import { QueueHint } from "../../src/dispatch/queue-hint.ts";

describe("QueueHint", () => {
  it("holds until a claim had room for more than it found", () => {
    const queue = new QueueHint();
    expect(queue.mayHold).toBe(true);
    queue.answered(false, queue.ask());
    expect(queue.mayHold).toBe(true);
    queue.answered(true, queue.ask());
    expect(queue.mayHold).toBe(false);
    queue.note();
    expect(queue.mayHold).toBe(true);
  });

  it("does not believe a claim that may have read the queue before a notice came", () => {
    const queue = new QueueHint();
    const asked = queue.ask();
    queue.note();
    queue.answered(true, asked);
    expect(queue.mayHold).toBe(true);
  });

  it("does not believe a claim while another was filled: it may have locked more than it took", () => {
    const queue = new QueueHint();
    const [one, other] = [queue.ask(), queue.ask()];
    queue.answered(false, one);
    queue.answered(true, other);
    expect(queue.mayHold).toBe(true);
    queue.answered(true, queue.ask());
    expect(queue.mayHold).toBe(false);
  });
});
