import { describe, expect, it } from "vitest";
import { dueAction, isDoubtful, startTimes, type LinkTimes } from "../../src/smpp/session-timers.ts";

const settings = { sessionInitMs: 5000, enquireLinkMs: 30_000, inactivityMs: 120_000, responseTimeoutMs: 10_000 };

function bound(times: Partial<LinkTimes> = {}): LinkTimes {
  return { ...startTimes(0), boundAt: 0, ...times };
}

describe("before the bind", () => {
  it("case 18: no enquire_link, however long it takes", () => {
    expect(dueAction({ ...settings, sessionInitMs: 0 }, startTimes(0), 1e9)).toEqual({ kind: "wait", until: Infinity });
  });

  it("a peer that does not bind in time is let go", () => {
    expect(dueAction(settings, startTimes(0), 4999)).toEqual({ kind: "wait", until: 5000 });
    expect(dueAction(settings, startTimes(0), 5000)).toEqual({ kind: "close", reason: "session_init" });
  });
});

describe("bound", () => {
  it("enquires each period, whatever else goes on", () => {
    expect(dueAction(settings, bound(), 29_999)).toEqual({ kind: "wait", until: 30_000 });
    expect(dueAction(settings, bound(), 30_000)).toEqual({ kind: "enquire" });
    const answered = bound({ enquirySentAt: 30_000, lastResponseAt: 30_020, lastReceivedAt: 59_000 });
    expect(dueAction(settings, answered, 59_999)).toEqual({ kind: "wait", until: 60_000 });
    expect(dueAction(settings, answered, 60_000)).toEqual({ kind: "enquire" });
  });

  it("case 14: an enquire_link without any response means a dead link, even if the peer still sends requests", () => {
    const silent = bound({ enquirySentAt: 30_000, lastResponseAt: 29_000, lastReceivedAt: 39_999 });
    expect(dueAction(settings, silent, 39_999)).toEqual({ kind: "wait", until: 40_000 });
    expect(dueAction(settings, silent, 40_000)).toEqual({ kind: "close", reason: "enquire_link" });
  });

  it("case 14: a link in doubt is enquired of at once, and once", () => {
    expect(dueAction(settings, bound({ isDoubted: true }), 12_000)).toEqual({ kind: "enquire" });
    const enquired = bound({ isDoubted: true, enquirySentAt: 12_000 });
    expect(dueAction(settings, enquired, 12_001)).toEqual({ kind: "wait", until: 22_000 });
    expect(dueAction({ ...settings, enquireLinkMs: 0 }, bound({ isDoubted: true }), 12_000).kind).toBe("wait");
  });

  it("case 14: a request that timed out puts the link in doubt only where nothing was answered since it left", () => {
    // Sent at 10,000, given up at 20,000.
    const timedOut = [{ deadline: 20_000 }];
    expect(isDoubtful(settings, bound({ lastResponseAt: 9_000 }), timedOut)).toBe(true);
    expect(isDoubtful(settings, bound({ lastResponseAt: 12_000 }), timedOut)).toBe(false);
    expect(isDoubtful({ ...settings, enquireLinkMs: 0 }, bound({ lastResponseAt: 9_000 }), timedOut)).toBe(false);
  });

  it("a response to anything proves a busy peer alive", () => {
    const busy = bound({ enquirySentAt: 30_000, lastResponseAt: 30_500, lastReceivedAt: 40_000 });
    expect(dueAction(settings, busy, 41_000).kind).toBe("wait");
  });

  it.each([30_000, 120_000, 3_600_000])(
    "asks a quiet link before it is closed, where enquiries come each %i ms",
    (ms) => {
      const rare = { ...settings, enquireLinkMs: ms };
      const quiet = bound({ lastReceivedAt: 20, lastResponseAt: 20, enquirySentAt: 0 });
      expect(dueAction(rare, quiet, 120_020)).toEqual({ kind: "enquire" });
      const asked = bound({ ...quiet, enquirySentAt: 120_000 });
      expect(dueAction(rare, asked, 120_021)).toEqual({ kind: "wait", until: 130_000 });
      expect(dueAction(rare, asked, 130_000)).toEqual({ kind: "close", reason: "enquire_link" });
      expect(dueAction(rare, bound({ ...asked, lastReceivedAt: 120_030, lastResponseAt: 120_030 }), 120_040).kind).toBe(
        "wait",
      );
    },
  );

  it("closes for inactivity before a long response timeout, but gives an enquiry as much time", () => {
    const patient = { ...settings, responseTimeoutMs: 600_000 };
    const asked = bound({ enquirySentAt: 30_000 });
    expect(dueAction(patient, asked, 149_999)).toEqual({ kind: "wait", until: 150_000 });
    expect(dueAction(patient, asked, 150_000)).toEqual({ kind: "close", reason: "inactivity" });
  });

  it("closes after inactivity where no enquiries are made", () => {
    const quiet = { ...settings, enquireLinkMs: 0 };
    expect(dueAction(quiet, bound({ lastReceivedAt: 1000 }), 120_999)).toEqual({ kind: "wait", until: 121_000 });
    expect(dueAction(quiet, bound({ lastReceivedAt: 1000 }), 121_000)).toEqual({ kind: "close", reason: "inactivity" });
    expect(dueAction({ ...quiet, inactivityMs: 0 }, bound(), 1e9)).toEqual({ kind: "wait", until: Infinity });
  });
});
