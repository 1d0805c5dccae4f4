import { describe, expect, it } from "vitest";
import type { StoredRetry } from "../../src/store/webhook-requests.ts";
import { WaitingRetries } from "../../src/webhooks/waiting-retries.ts";

const stored = (requestId: string, dueMs: number): StoredRetry => ({
  ...{ requestId, eventIds: [requestId], happenedAt: new Date(0), tries: 1 },
  dueAt: new Date(dueMs),
});

describe("requests that wait to be tried again", () => {
  it("are taken when they are due, and the next one is known", () => {
    const retries = new WaitingRetries({ count: 3, nextDueMs: 10 });
    const limit = retries.rowsToRead(5);
    retries.load([stored("a", 10), stored("b", 20), stored("c", 99)], { limit, nowMs: 20 });
    expect(retries.take(10).map(({ requestId }) => requestId)).toEqual(["a", "b"]);
    expect(retries.nextDueMs).toBe(99);
    retries.deleted("a");
    retries.saved("b", 50);
    expect([retries.count, retries.nextDueMs]).toEqual([2, 50]);
  });

  it("are not taken twice while their outcome is not stored", () => {
    const retries = new WaitingRetries({ count: 1, nextDueMs: 10 });
    retries.load([stored("a", 10)], { limit: retries.rowsToRead(5), nowMs: 10 });
    retries.take(1);
    retries.load([stored("a", 10)], { limit: retries.rowsToRead(5), nowMs: 10 });
    expect(retries.take(1)).toEqual([]);
  });

  it("that were stored while others were read are not forgotten", () => {
    const retries = new WaitingRetries({ count: 0, nextDueMs: undefined });
    const limit = retries.rowsToRead(5);
    retries.saved("new", 30);
    retries.load([], { limit, nowMs: 10 });
    expect([retries.count, retries.nextDueMs]).toEqual([1, 30]);
  });

  it("are counted as they are stored, however many are read", () => {
    const retries = new WaitingRetries({ count: 1000, nextDueMs: 10 });
    const limit = retries.rowsToRead(1);
    retries.load([stored("a", 99)], { limit, total: 700, nowMs: 10 });
    expect([retries.count, retries.isFull]).toEqual([700, false]);
  });

  it("are bounded: then nothing untried is sent", () => {
    expect(new WaitingRetries({ count: 999, nextDueMs: 0 }).isFull).toBe(false);
    expect(new WaitingRetries({ count: 1000, nextDueMs: 0 }).isFull).toBe(true);
  });

  it("come back when they were read and not sent", () => {
    const retries = new WaitingRetries({ count: 1, nextDueMs: 10 });
    retries.load([stored("a", 10)], { limit: retries.rowsToRead(5), nowMs: 10 });
    retries.drop(12);
    expect([retries.loaded, retries.nextDueMs]).toEqual([0, 12]);
  });
});
