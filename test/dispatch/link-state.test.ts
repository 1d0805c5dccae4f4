import { describe, expect, it } from "vitest";
import { BindWindow } from "../../src/dispatch/bind-window.ts";
import { LinkState } from "../../src/dispatch/link-state.ts";

function openLink({ partsPerSecond = 0 } = {}) {
  const link = { isBound: true, isLeaseHeld: true };
  const state = new LinkState({
    isBound: () => link.isBound,
    isLeaseHeld: () => link.isLeaseHeld,
    partsPerSecond,
    onPace: () => undefined,
  });
  for (const bindNumber of [1, 2]) state.windows.set(bindNumber, new BindWindow(bindNumber, 5));
  state.queue.answered(state.queue.ask(10), 0);
  return { state, link };
}

/** How many single parts can be reserved. All are released again. */
function free(state: LinkState): number {
  const windows = Array.from({ length: 20 }, () => state.reserve(1)).filter((window) => window !== undefined);
  for (const window of windows) state.release(window, 1);
  return windows.length;
}

describe("whether anything may be taken", () => {
  it("needs the lease, although what was taken may be written as long as the writer holds it", () => {
    const { state, link } = openLink();
    expect([state.mayTake(0), state.mayWrite]).toEqual([true, true]);
    link.isLeaseHeld = false;
    expect([state.mayTake(0), state.mayWrite, free(state)]).toEqual([false, true, 0]);
  });

  it("ends with a pause, and for good with a stop", () => {
    const { state } = openLink();
    expect([state.pause(false), state.pause(true), state.pause(true)]).toEqual([false, true, false]);
    expect([state.mayTake(0), state.mayWrite, free(state)]).toEqual([false, false, 0]);
    expect(state.pause(false)).toBe(true);
    expect([state.mayTake(0), state.mayWrite]).toEqual([true, true]);
    state.stop();
    state.pause(false);
    expect([state.mayTake(0), state.mayWrite]).toEqual([false, false]);
  });

  it("rests until its time, although what was taken may be written", () => {
    const { state } = openLink();
    state.rest(100_200);
    expect([state.mayTake(100_199), state.mayTake(100_200), state.mayWrite]).toEqual([false, true, true]);
  });
});

describe("what can be reserved", () => {
  it("is the windows of all binds, less what waits in the queue and no claim has asked for", () => {
    const { state, link } = openLink();
    expect(free(state)).toBe(10);
    state.queue.note(3);
    expect(free(state)).toBe(7);
    state.windows.get(1)?.beginClaim(4);
    expect(free(state)).toBe(6);
    state.queue.note(Infinity);
    expect(free(state)).toBe(0);
    link.isBound = false;
    expect(free(openLink().state)).toBe(10);
  });

  it("is nothing for a message that no window can hold whole, or at binds that are down", () => {
    const { state, link } = openLink();
    expect(state.reserve(6)).toBeUndefined();
    expect(state.reserve(5)?.bindNumber).toBe(1);
    expect(state.reserve(5)?.bindNumber).toBe(2);
    link.isBound = false;
    expect(free(state)).toBe(0);
  });

  it("keeps to the pace", () => {
    expect(free(openLink({ partsPerSecond: 40 }).state)).toBe(4);
  });
});
