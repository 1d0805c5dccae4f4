import { afterEach, describe, expect, it, vi } from "vitest";
import { DatabaseClock } from "../../src/store/database.ts";

afterEach(() => {
  vi.useRealTimers();
});

const hourMs = 3_600_000;

/** Wall clock and monotonic clock stand still until a test moves them. */
function stopClocks(): void {
  vi.useFakeTimers({ toFake: ["Date", "performance"], now: new Date("2026-11-23T12:00:00Z") });
}

describe("DatabaseClock", () => {
  it("shows the wall clock of the node until it has heard the database", () => {
    stopClocks();
    expect(new DatabaseClock().now()).toBe(Date.now());
  });

  it("goes on from what it heard, and a step of the wall clock changes nothing", () => {
    stopClocks();
    const clock = new DatabaseClock();
    const heard = new Date(Date.now() + hourMs);
    clock.heard(heard, performance.now());
    expect(clock.now()).toBe(heard.getTime());
    vi.advanceTimersByTime(1500);
    expect(clock.now()).toBe(heard.getTime() + 1500);
    vi.setSystemTime(Date.now() - 3 * hourMs);
    expect(clock.now()).toBe(heard.getTime() + 1500);
  });

  it("follows a step of the database's clock with the next reading, back as well", () => {
    stopClocks();
    const clock = new DatabaseClock();
    clock.heard(new Date(Date.now() + hourMs), performance.now());
    clock.heard(new Date(Date.now() - hourMs), performance.now());
    expect(clock.now()).toBe(Date.now() - hourMs);
  });

  it("is not made worse by an answer that was slow", () => {
    stopClocks();
    const clock = new DatabaseClock();
    clock.heard(new Date(), performance.now());
    const askedAt = performance.now();
    vi.advanceTimersByTime(3000);
    const said = new Date();
    clock.heard(said, askedAt);
    expect(clock.now()).toBe(Date.now());
    // A slow answer still bounds it.
    const again = performance.now();
    const behind = new Date(Date.now() - 10_000);
    vi.advanceTimersByTime(2000);
    clock.heard(behind, again);
    expect(clock.now()).toBe(behind.getTime() + 2000);
  });

  it("takes the middle of the time that the answer needed", () => {
    stopClocks();
    const clock = new DatabaseClock();
    const askedAt = performance.now();
    const said = new Date(Date.now() + 100);
    vi.advanceTimersByTime(200);
    clock.heard(said, askedAt);
    expect(clock.now()).toBe(Date.now());
  });
});
