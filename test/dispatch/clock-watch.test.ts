import { afterEach, describe, expect, it, vi } from "vitest";
import { ClockWatch } from "../../src/dispatch/membership.ts";
import { DatabaseClock } from "../../src/store/database.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";

afterEach(() => {
  vi.useRealTimers();
});

function openWatch() {
  vi.useFakeTimers({ toFake: ["Date", "performance"], now: new Date("2026-11-23T12:00:00Z") });
  const telemetry = new Telemetry();
  const told: unknown[] = [];
  telemetry.on("node.clock", (event) => told.push(event));
  const clock = new DatabaseClock();
  const watch = new ClockWatch(telemetry);
  /** One renewal of the lease, whose answer comes after `tookMs`. */
  const look = ({ offSeconds = 0, tookMs = 0 } = {}): void => {
    const askedAt = performance.now();
    const said = new Date(Date.now() - offSeconds * 1000);
    vi.advanceTimersByTime(tookMs);
    clock.heard(said, askedAt);
    watch.compare(clock);
  };
  return { look, told, telemetry };
}

describe("the watch over a node's clock", () => {
  it("tells once that the clock is more than a minute off, ahead or behind, and once that it is right again", () => {
    const { look, told } = openWatch();
    for (const offSeconds of [0, 60, -60, -61, -61, -3600, -59, -59, 0, 1e7, 1e7]) look({ offSeconds });
    expect(told).toEqual([
      { isRight: false, offSeconds: -61 },
      { isRight: true, offSeconds: -59 },
      { isRight: false, offSeconds: 1e7 },
    ]);
  });

  it("tells nothing of one look alone: a machine that was suspended meanwhile has an old answer", () => {
    const { look, told } = openWatch();
    for (const offSeconds of [0, 36_000, 0, 36_000, 0]) look({ offSeconds });
    expect(told).toEqual([]);
  });

  it("does not take a slow answer for a wrong clock", () => {
    const { look, told } = openWatch();
    for (let round = 0; round < 5; round += 1) look({ tookMs: 100_000 });
    expect(told).toEqual([]);
  });

  it("measures each time", () => {
    const { look, telemetry } = openWatch();
    const measured: number[] = [];
    telemetry.on("clock.compared", ({ offSeconds }) => measured.push(offSeconds));
    for (const offSeconds of [0, 2.5, -2.5]) look({ offSeconds });
    expect(measured).toEqual([0, 2.5, -2.5]);
  });
});
