import { describe, expect, it, onTestFinished, vi } from "vitest";
import { LatencyTally, Tally } from "../../src/figures/tally.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";

function listening(clock = { now: 0 }) {
  const telemetry = new Telemetry();
  const tally = new Tally({ now: () => clock.now });
  return { telemetry, tally, stop: tally.listen(telemetry), clock };
}

const settled = { connector: "mci-1", bindNumber: 1, count: 1, latencyMs: 20 } as const;

describe("the tally", () => {
  it("knows how far the clock is off while it is", () => {
    const { telemetry, tally } = listening();
    telemetry.emit("node.clock", { isRight: false, offSeconds: -90.4 });
    expect(tally.clockOffSeconds).toBe(90);
    telemetry.emit("clock.compared", { offSeconds: 3600.2 });
    expect(tally.clockOffSeconds).toBe(3600);
    telemetry.emit("node.clock", { isRight: true, offSeconds: 0.1 });
    telemetry.emit("clock.compared", { offSeconds: 0.1 });
    expect(tally.clockOffSeconds).toBeUndefined();
  });

  it("counts messages and parts by what became of them", () => {
    const { telemetry, tally, stop } = listening();
    telemetry.emit("batch.accepted", { accountId: 1, messages: 3, rejected: 1, parts: 4, durationMs: 1 });
    telemetry.emit("message.sent", { count: 2 });
    telemetry.emit("message.ended", { status: 2, count: 2 });
    telemetry.emit("message.ended", { status: 3, count: 1 });
    telemetry.emit("message.ended", { status: 4, reason: 1303, count: 5 });
    telemetry.emit("message.ended", { status: 1, reason: 1301, count: 7 });
    for (const outcome of ["accepted", "accepted", "refused", "throttled", "unknown"] as const) {
      telemetry.emit("submission.settled", { ...settled, outcome });
    }
    stop();
    telemetry.emit("message.sent", { count: 100 });
    expect(tally.totals).toEqual({
      accepted: 3,
      sent: 2,
      delivered: 2,
      undelivered: 1,
      unsent: 5,
      taken: 2,
      refused: 1,
      throttled: 1,
      unanswered: 1,
    });
    expect(tally.bindOf("mci-1", 1).parts).toBe(2);
  });

  it("counts an answer that came too late once, as missing", () => {
    const { telemetry, tally } = listening();
    telemetry.emit("submission.settled", { ...settled, outcome: "unknown" });
    telemetry.emit("submission.settled", { ...settled, bindNumber: undefined, outcome: "late" });
    expect(tally.asked.get("mci-1")).toEqual({ submitted: 1, unanswered: 1 });
  });

  it("forgets what was asked more than five minutes ago", () => {
    const { telemetry, tally, clock } = listening();
    telemetry.emit("submission.settled", { ...settled, outcome: "unknown" });
    clock.now = 200_000;
    telemetry.emit("submission.settled", { ...settled, outcome: "accepted" });
    expect(tally.asked.get("mci-1")).toEqual({ submitted: 2, unanswered: 1 });
    clock.now = 310_000;
    expect(tally.asked.get("mci-1")).toEqual({ submitted: 1, unanswered: 0 });
  });

  it("has a bind down since it went down, however often it was tried in vain since", () => {
    vi.useFakeTimers({ now: 0 });
    onTestFinished(() => void vi.useRealTimers());
    const { telemetry, tally } = listening();
    const changed = (at: number, state: "bound" | "closed" | "refused") => {
      vi.setSystemTime(at);
      telemetry.emit("bind.changed", { connector: "mci-1", bindNumber: 1, state, reason: state });
      return tally.bindOf("mci-1", 1).since.getTime();
    };
    expect([changed(1000, "bound"), changed(2000, "closed"), changed(72_000, "refused")]).toEqual([1000, 2000, 2000]);
    expect(tally.bindOf("mci-1", 1).errorAt?.getTime()).toBe(72_000);
    expect([changed(73_000, "bound"), changed(99_000, "closed")]).toEqual([73_000, 99_000]);
  });

  it("forgets binds that the node no longer holds, and keeps the last error of the others", () => {
    const { telemetry, tally } = listening();
    telemetry.emit("bind.changed", { connector: "mci-1", bindNumber: 1, state: "closed", reason: "link lost" });
    telemetry.emit("bind.changed", { connector: "mci-1", bindNumber: 2, state: "closed", reason: "link lost" });
    telemetry.emit("bind.changed", { connector: "mci-1", bindNumber: 1, state: "bound" });
    tally.keepBinds([{ connector: "mci-1", bindNumber: 1 }]);
    expect(tally.bindOf("mci-1", 1).error).toBe("link lost");
    expect(tally.bindOf("mci-1", 2).error).toBeUndefined();
  });
});

describe("times of answers", () => {
  it("are known to within a quarter", () => {
    const tally = new LatencyTally();
    for (let ms = 1; ms <= 1000; ms += 1) tally.add(ms);
    expect(tally.percentile(50)).toBeGreaterThanOrEqual(500);
    expect(tally.percentile(50)).toBeLessThanOrEqual(625);
    expect(tally.percentile(95)).toBeGreaterThanOrEqual(950);
    expect(tally.percentile(95)).toBeLessThanOrEqual(1188);
  });

  it("are 0 without answers, and bounded", () => {
    const tally = new LatencyTally();
    expect(tally.percentile(95)).toBe(0);
    tally.add(0);
    expect(tally.percentile(95)).toBe(1);
    tally.clear();
    tally.add(10_000_000);
    expect(tally.percentile(50)).toBeGreaterThan(100_000);
  });
});
