import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RateLimiter, takeRequest, type TokenBucket } from "../../src/http/rate-limit.ts";

const full = (tokens: number): TokenBucket => ({ tokens, filledAtMs: 0 });

describe("takeRequest", () => {
  it("lets a second's requests through at once, and then as many as the rate", () => {
    const bucket = full(2);
    expect(takeRequest(bucket, 2, 0)).toEqual({ allowed: true, remaining: 1, waitSeconds: 1 });
    expect(takeRequest(bucket, 2, 0)).toEqual({ allowed: true, remaining: 0, waitSeconds: 1 });
    expect(takeRequest(bucket, 2, 0)).toEqual({ allowed: false, remaining: 0, waitSeconds: 1 });
    expect(takeRequest(bucket, 2, 499).allowed).toBe(false);
    expect(takeRequest(bucket, 2, 500).allowed).toBe(true);
  });

  it("knows rates below one a second", () => {
    const bucket = full(1);
    expect(takeRequest(bucket, 0.1, 0).allowed).toBe(true);
    expect(takeRequest(bucket, 0.1, 0)).toEqual({ allowed: false, remaining: 0, waitSeconds: 10 });
    expect(takeRequest(bucket, 0.1, 4_000).waitSeconds).toBe(6);
    expect(takeRequest(bucket, 0.1, 10_000).allowed).toBe(true);
  });

  it("fills nothing when the clock goes back", () => {
    const bucket: TokenBucket = { tokens: 0, filledAtMs: 10_000 };
    expect(takeRequest(bucket, 5, 9_000).allowed).toBe(false);
    // Nor does it take anything away.
    expect(takeRequest({ tokens: 1, filledAtMs: 10_000 }, 5, 9_000).allowed).toBe(true);
  });

  it("never lets more through than the bucket holds and the rate adds", () => {
    const rate = fc.double({ min: 0.1, max: 50, noNaN: true });
    fc.assert(
      fc.property(rate, fc.array(fc.nat(400), { maxLength: 200 }), (requestsPerSecond, pauses) => {
        const bucket = full(Math.max(1, requestsPerSecond));
        let now = 0;
        let allowed = 0;
        for (const pause of pauses) {
          now += pause;
          if (takeRequest(bucket, requestsPerSecond, now).allowed) allowed += 1;
        }
        const most = Math.max(1, requestsPerSecond) + (now * requestsPerSecond) / 1000;
        expect(allowed).toBeLessThanOrEqual(most + 1e-6);
      }),
    );
  });

  it("tells a refused caller a time after which it is let through", () => {
    fc.assert(
      fc.property(fc.double({ min: 0.05, max: 30, noNaN: true }), (requestsPerSecond) => {
        const bucket = full(0);
        const verdict = takeRequest(bucket, requestsPerSecond, 0);
        expect(verdict.allowed).toBe(false);
        expect(takeRequest(bucket, requestsPerSecond, verdict.waitSeconds * 1000 + 1).allowed).toBe(true);
      }),
    );
  });
});

it("RateLimiter keeps the keys apart and forgets the oldest", () => {
  const limiter = new RateLimiter<string>(2);
  expect(limiter.take("a", 1, 0).allowed).toBe(true);
  expect(limiter.take("a", 1, 0).allowed).toBe(false);
  expect(limiter.take("b", 1, 0).allowed).toBe(true);
  expect(limiter.take("c", 1, 0).allowed).toBe(true);
  expect(limiter.take("b", 1, 0).allowed).toBe(false);
  expect(limiter.take("a", 1, 0).allowed).toBe(true);
});
