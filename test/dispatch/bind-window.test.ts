import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ActiveMessage } from "../../src/dispatch/active-message.ts";
import { BindWindow } from "../../src/dispatch/bind-window.ts";
import { claimedMessage } from "../support/claimed-message.ts";

const windowSize = 10;

function message(parts: number): ActiveMessage {
  return new ActiveMessage(claimedMessage(parts), { claimId: "claim", bindNumber: 1, asOnePayload: false, now: 0 });
}

describe("the capacity of a BindWindow", () => {
  // The steps of a dispatcher, in any order: never more than a window is unsettled, besides the
  // further parts of a long message that begins within it, and all room comes back.
  it("holds never more than a window, and gives all of it back", () => {
    const parts = fc.integer({ min: 1, max: 4 });
    const step = fc.oneof(
      fc.record({ kind: fc.constant("reserve" as const), parts }),
      fc.record({ kind: fc.constant("claim" as const), found: fc.array(parts, { maxLength: 12 }) }),
      fc.record({ kind: fc.constant("settle" as const), isUnanswered: fc.boolean() }),
      fc.record({ kind: fc.constant("release" as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const window = new BindWindow(1, windowSize);
        const [held, reserved]: [number[], number[]] = [[], []];
        const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);
        for (const one of steps) {
          if (one.kind === "reserve" && window.capacity >= one.parts) {
            window.hold(one.parts);
            reserved.push(one.parts);
          }
          if (one.kind === "claim" && window.capacity >= 1) {
            const asked = window.capacity;
            window.beginClaim(asked);
            expect(window.capacity).toBe(0);
            let taken = 0;
            for (const found of one.found) {
              if (taken >= asked) break;
              taken += found;
              window.hold(found);
              held.push(found);
            }
            expect(window.endClaim()).toBe(false);
          }
          if (one.kind === "settle" && held.length > 0) {
            window.answered(one.isUnanswered);
            window.free(held.pop() ?? 0);
          }
          if (one.kind === "release" && reserved.length > 0) window.free(reserved.pop() ?? 0);
          const unsettled = sum(held) + sum(reserved);
          expect(window.capacity).toBe(window.size - unsettled);
          const longest = Math.max(1, ...held);
          expect(unsettled).toBeLessThanOrEqual(windowSize + longest - 1);
        }
        for (const left of [...held, ...reserved]) window.free(left);
        window.answered(false);
        expect(window.capacity).toBe(windowSize);
      }),
      { numRuns: 500 },
    );
  });
});

describe("the claims of a BindWindow", () => {
  it("are repeated when a message fell due meanwhile, once", () => {
    const window = new BindWindow(1, windowSize);
    window.noteDue();
    window.beginClaim(1);
    expect(window.isClaiming).toBe(true);
    window.noteDue();
    window.noteDue();
    expect([window.endClaim(), window.isClaiming]).toEqual([true, false]);
    window.beginClaim(1);
    expect(window.endClaim()).toBe(false);
  });
});

describe("what waits in a BindWindow", () => {
  it("is written in its order, and can be taken out at once", () => {
    const window = new BindWindow(1, windowSize);
    const [one, two, three] = [message(1), message(2), message(1)];
    for (const each of [one, two, three]) window.put(each);
    expect(window.next).toBe(one);
    window.passNext();
    expect(window.next).toBe(two);
    expect(window.takeWaiting()).toEqual([two, three]);
    expect([window.next, window.takeWaiting()]).toEqual([undefined, []]);
  });
});
