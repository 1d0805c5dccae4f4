import { describe, expect, it } from "vitest";
import { QueueEstimate } from "../../src/dispatch/queue-estimate.ts";

function emptied(): QueueEstimate {
  const queue = new QueueEstimate();
  queue.answered(queue.ask(10), 0);
  expect(queue.waiting).toBe(0);
  return queue;
}

describe("QueueEstimate", () => {
  it("is unknown until a claim had capacity for more than it found", () => {
    const queue = new QueueEstimate();
    expect(queue.waiting).toBe(Infinity);
    queue.answered(queue.ask(10), 10);
    expect(queue.waiting).toBe(Infinity);
    queue.answered(queue.ask(10), 9);
    expect(queue.waiting).toBe(0);
  });

  it("counts what enters, and asks for one more than is known", () => {
    const queue = emptied();
    queue.note(3);
    expect(queue.ask(10).asked).toBe(4);
    queue.note(2);
    expect(queue.ask(4).asked).toBe(4);
    queue.answered(queue.ask(4), 4);
    expect(queue.waiting).toBe(1);
  });

  it("keeps what came after a claim had begun, also where nobody counted it", () => {
    const queue = emptied();
    queue.note(3);
    const asked = queue.ask(10);
    queue.note(2);
    queue.answered(asked, 3);
    expect(queue.waiting).toBe(2);
    const next = queue.ask(10);
    queue.note(Infinity);
    queue.answered(next, 2);
    expect(queue.waiting).toBe(Infinity);
  });

  it("is unknown again when a claim finds more than was known", () => {
    const queue = emptied();
    queue.note(3);
    queue.answered(queue.ask(10), 4);
    expect(queue.waiting).toBe(Infinity);
  });

  it("keeps one after a claim that was filled: it may have locked what the claims of others skipped", () => {
    const queue = emptied();
    queue.note(3);
    queue.answered(queue.ask(3), 3);
    expect(queue.waiting).toBe(1);
  });
});
