import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  afterFailure,
  afterSuccess,
  type EndpointHealth,
  type Failure,
  healthy,
  requestsAllowed,
} from "../../src/webhooks/endpoint-health.ts";

const day = 86_400_000;

function failTimes(health: EndpointHealth, times: number, nowMs: number, failure: Failure = { httpStatus: 500 }) {
  let now = health;
  for (let count = 0; count < times; count += 1) now = afterFailure(now, failure, nowMs).health;
  return now;
}

describe("health of an endpoint", () => {
  it("allows 8 requests at a time", () => {
    expect(requestsAllowed(healthy, 1)).toBe(8);
  });

  it("rests after ten failures in a row, not after nine", () => {
    expect(requestsAllowed(failTimes(healthy, 9, 1000), 1000)).toBe(8);
    const paused = failTimes(healthy, 10, 1000);
    expect([paused.pausedUntilMs, requestsAllowed(paused, 5999), requestsAllowed(paused, 6000)]).toEqual([6000, 0, 1]);
  });

  it("counts failures in a row: a success between begins anew", () => {
    const nine = failTimes(healthy, 9, 1000);
    expect(requestsAllowed(failTimes(afterSuccess(nine, 1000).health, 9, 1000), 1000)).toBe(8);
  });

  it.each([429, 502, 503, 504])("case 42: rests at once on %i", (httpStatus) => {
    expect(failTimes(healthy, 1, 1000, { httpStatus }).pausedUntilMs).toBe(6000);
  });

  it("rests for as long as it is told, and a shorter word does not shorten that", () => {
    const paused = failTimes(healthy, 1, 1000, { httpStatus: 503, retryAfterMs: 60_000 });
    expect(paused.pausedUntilMs).toBe(61_000);
    expect(failTimes(paused, 1, 2000, { httpStatus: 503, retryAfterMs: 1000 }).pausedUntilMs).toBe(61_000);
  });

  it("doubles its rests from 5 s to 5 min", () => {
    let health = failTimes(healthy, 10, 0);
    const rests = [];
    for (let count = 0; count < 9; count += 1) {
      const at = health.pausedUntilMs;
      health = afterFailure(health, {}, at).health;
      rests.push((health.pausedUntilMs - at) / 1000);
    }
    expect(rests).toEqual([10, 20, 40, 80, 160, 300, 300, 300, 300]);
  });

  it("does not rest longer for what failed beside the tenth", () => {
    const paused = failTimes(healthy, 10, 1000);
    expect(failTimes(paused, 7, 1500).pausedUntilMs).toBe(paused.pausedUntilMs);
  });

  it("begins after a pause with one at a time, and one more for each ten successes", () => {
    const paused = failTimes(healthy, 10, 0);
    const now = paused.pausedUntilMs;
    let { health, endsPause } = afterSuccess(paused, now);
    expect([endsPause, requestsAllowed(health, now)]).toEqual([true, 1]);
    const allowed = [];
    for (let count = 1; count <= 80; count += 1) {
      ({ health, endsPause } = afterSuccess(health, now));
      expect(endsPause).toBe(false);
      if (count % 10 === 0) allowed.push(requestsAllowed(health, now));
    }
    expect(allowed).toEqual([2, 3, 4, 5, 6, 7, 8, 8]);
    expect(failTimes(health, 10, now).pausedUntilMs - now).toBe(5000);
  });

  it("keeps its pause when an earlier request succeeds meanwhile", () => {
    const paused = failTimes(healthy, 1, 0, { httpStatus: 503, retryAfterMs: 60_000 });
    const { health, endsPause } = afterSuccess(paused, 100);
    expect([endsPause, requestsAllowed(health, 59_999), requestsAllowed(health, 60_000)]).toEqual([false, 0, 1]);
  });

  it("is gone with 410", () => {
    expect(afterFailure(healthy, { httpStatus: 410 }, 0).disabled).toBe("gone");
  });

  it("is failing after five days without a success, not before, and not with one", () => {
    const since = afterFailure(healthy, {}, 1000).health;
    expect(afterFailure(since, {}, 999 + 5 * day).disabled).toBeUndefined();
    expect(afterFailure(since, {}, 1000 + 5 * day).disabled).toBe("failing");
    expect(afterFailure(afterSuccess(since, 2000).health, {}, 1000 + 5 * day).disabled).toBeUndefined();
  });

  it("never allows more than 8, never pauses longer than told or 5 minutes, whatever happens", () => {
    const outcome = fc.record({
      ok: fc.boolean(),
      httpStatus: fc.constantFrom(undefined, 301, 404, 410, 429, 500, 503),
      retryAfterMs: fc.option(fc.integer({ min: 0, max: day }), { nil: undefined }),
      afterMs: fc.integer({ min: 0, max: 10 * 60_000 }),
    });
    fc.assert(
      fc.property(fc.array(outcome, { maxLength: 200 }), (outcomes) => {
        let [health, now, told] = [healthy, 1, 0];
        for (const { ok, afterMs, ...failure } of outcomes) {
          now += afterMs;
          const wasPaused = requestsAllowed(health, now) === 0;
          const before = health;
          if (ok) {
            health = afterSuccess(health, now).health;
            expect([health.failuresInRow, health.failingSinceMs]).toEqual([0, undefined]);
            if (wasPaused) expect(requestsAllowed(health, now)).toBe(0);
            else expect(requestsAllowed(health, now)).toBeGreaterThan(0);
          } else {
            health = afterFailure(health, failure, now).health;
            told = Math.max(told, now + (failure.retryAfterMs ?? 0));
            expect(health.failingSinceMs).toBe(before.failingSinceMs ?? now);
            expect(health.pausedUntilMs).toBeLessThanOrEqual(Math.max(told, now + 5 * 60_000));
            if (health.failuresInRow >= 10) expect(health.isProbing).toBe(true);
          }
          const allowed = requestsAllowed(health, now);
          expect(allowed).toBeGreaterThanOrEqual(0);
          expect(allowed).toBeLessThanOrEqual(health.isProbing ? 1 : 8);
          expect(requestsAllowed(health, Math.max(now, health.pausedUntilMs))).toBeGreaterThan(0);
        }
      }),
    );
  });
});
