import { describe, expect, it } from "vitest";
import { LinkGate } from "../../src/dispatch/link-gate.ts";

function openGate(): { gate: LinkGate; loseLease: () => void } {
  let isLeaseHeld = true;
  const gate = new LinkGate({ isLeaseHeld: () => isLeaseHeld });
  return {
    gate,
    loseLease: () => {
      isLeaseHeld = false;
    },
  };
}

describe("LinkGate", () => {
  it("is closed without a lease, although what was taken may be written as long as the writer holds it", () => {
    const { gate, loseLease } = openGate();
    expect([gate.isOpen(0), gate.mayWrite]).toEqual([true, true]);
    loseLease();
    expect([gate.isOpen(0), gate.mayWrite]).toEqual([false, true]);
  });

  it("is closed while it is paused, and for good when it is stopped", () => {
    const { gate } = openGate();
    expect(gate.pause(false)).toBe(false);
    expect(gate.pause(true)).toBe(true);
    expect(gate.pause(true)).toBe(false);
    expect([gate.isOpen(0), gate.mayWrite]).toEqual([false, false]);
    expect(gate.pause(false)).toBe(true);
    expect([gate.isOpen(0), gate.mayWrite]).toEqual([true, true]);
    gate.stop();
    gate.pause(false);
    expect([gate.isOpen(0), gate.mayWrite]).toEqual([false, false]);
  });

  it("rests after failed claims, longer each time, until one works", () => {
    const { gate } = openGate();
    const rests = Array.from({ length: 8 }, (_, failure) => {
      const at = failure * 10_000;
      gate.claimFailed(at);
      let rest = 0;
      while (!gate.isOpen(at + rest)) rest += 100;
      return rest;
    });
    expect(rests).toEqual([200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
    expect(gate.mayWrite).toBe(true);
    gate.claimWorked();
    gate.claimFailed(100_000);
    expect([gate.isOpen(100_199), gate.isOpen(100_200)]).toEqual([false, true]);
  });
});
