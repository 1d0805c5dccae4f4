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

  it("rests until it is told, although what was taken may be written", () => {
    const { gate } = openGate();
    gate.rest(100_200);
    expect([gate.isOpen(100_199), gate.isOpen(100_200)]).toEqual([false, true]);
    expect(gate.mayWrite).toBe(true);
  });
});
