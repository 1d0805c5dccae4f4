import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ActiveMessage } from "../../src/dispatch/active-message.ts";
import { BindLane } from "../../src/dispatch/bind-lane.ts";
import { claimedMessage } from "../support/claimed-message.ts";

const windowSize = 10;

function message(parts: number): ActiveMessage {
  return new ActiveMessage(claimedMessage(parts), { claimId: "claim", bindNumber: 1, asOnePayload: false, now: 0 });
}

describe("the room of a BindLane", () => {
  it("is the window, less what is unsettled, less what a claim may bring", () => {
    const lane = new BindLane(1, windowSize);
    expect(lane.reserve(3)).toBe(true);
    lane.beginClaim(5);
    expect(lane.room).toBe(2);
    expect(lane.reserve(3)).toBe(false);
    expect(lane.room).toBe(2);
    lane.hold(4);
    lane.endClaim();
    expect(lane.room).toBe(3);
    lane.free(7);
    expect(lane.room).toBe(windowSize);
  });

  it("shrinks with each part that is not answered, down to one, until an answer comes", () => {
    const lane = new BindLane(1, windowSize);
    const windows = Array.from({ length: windowSize + 2 }, () => {
      lane.answered(true);
      return lane.window;
    });
    expect(windows).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 1, 1, 1]);
    lane.answered(false);
    expect(lane.window).toBe(windowSize);
  });

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
        const lane = new BindLane(1, windowSize);
        const [held, reserved]: [number[], number[]] = [[], []];
        const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);
        for (const one of steps) {
          if (one.kind === "reserve" && lane.reserve(one.parts)) reserved.push(one.parts);
          if (one.kind === "claim" && lane.room >= 1) {
            const asked = lane.room;
            lane.beginClaim(asked);
            expect(lane.room).toBe(0);
            expect(lane.reserve(1)).toBe(false);
            let taken = 0;
            for (const found of one.found) {
              if (taken >= asked) break;
              taken += found;
              lane.hold(found);
              held.push(found);
            }
            expect(lane.endClaim()).toBe(false);
          }
          if (one.kind === "settle" && held.length > 0) {
            lane.answered(one.isUnanswered);
            lane.free(held.pop() ?? 0);
          }
          if (one.kind === "release" && reserved.length > 0) lane.free(reserved.pop() ?? 0);
          const unsettled = sum(held) + sum(reserved);
          expect(lane.room).toBe(lane.window - unsettled);
          const longest = Math.max(1, ...held);
          expect(unsettled).toBeLessThanOrEqual(windowSize + longest - 1);
        }
        for (const left of [...held, ...reserved]) lane.free(left);
        lane.answered(false);
        expect(lane.room).toBe(windowSize);
      }),
      { numRuns: 500 },
    );
  });
});

describe("the claims of a BindLane", () => {
  it("are repeated when a message fell due meanwhile, once", () => {
    const lane = new BindLane(1, windowSize);
    lane.noteDue();
    lane.beginClaim(1);
    expect(lane.isClaiming).toBe(true);
    lane.noteDue();
    lane.noteDue();
    expect([lane.endClaim(), lane.isClaiming]).toEqual([true, false]);
    lane.beginClaim(1);
    expect(lane.endClaim()).toBe(false);
  });

  it("wait for a quarter of the window while the bind is busy, unless something is urgent", () => {
    const lane = new BindLane(1, windowSize);
    expect([lane.isBusy, lane.worthwhileRoom]).toEqual([false, 1]);
    lane.hold(9);
    expect([lane.isBusy, lane.worthwhileRoom]).toEqual([true, 3]);
    lane.urgent = true;
    expect([lane.isBusy, lane.worthwhileRoom]).toEqual([false, 1]);
    lane.beginClaim(1);
    expect(lane.urgent).toBe(false);
  });
});

describe("what waits in a BindLane", () => {
  it("is written in its order, and can be taken out at once", () => {
    const lane = new BindLane(1, windowSize);
    const [one, two, three] = [message(1), message(2), message(1)];
    for (const each of [one, two, three]) lane.put(each);
    expect(lane.next).toBe(one);
    lane.passNext();
    expect(lane.next).toBe(two);
    expect(lane.takeWaiting()).toEqual([two, three]);
    expect([lane.next, lane.takeWaiting()]).toEqual([undefined, []]);
  });
});
