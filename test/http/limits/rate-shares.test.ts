import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { partOfRate, RateShares } from "../../../src/http/limits/rate-shares.ts";
import { RateLimiter } from "../../../src/http/rate-limit.ts";
import { Telemetry } from "../../../src/platform/telemetry.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

describe("partOfRate", () => {
  it("gives by the calls where there are too many, else each its own and the same of the rest", () => {
    expect(partOfRate(10, { own: 30, others: 10, otherGateways: 1 })).toBe(7.5);
    expect(partOfRate(10, { own: 2, others: 4, otherGateways: 1 })).toBe(4);
    expect(partOfRate(10, { own: 3, others: 0, otherGateways: 0 })).toBe(10);
  });

  it("gives all gateways together the whole limit, and none less than it needs while there is room", () => {
    const calls = fc.double({ min: 0.01, max: 1000, noNaN: true });
    fc.assert(
      fc.property(fc.double({ min: 0.1, max: 1000, noNaN: true }), fc.array(calls, { minLength: 1 }), (limit, owns) => {
        const all = owns.reduce((sum, own) => sum + own, 0);
        const parts = owns.map((own) => partOfRate(limit, { own, others: all - own, otherGateways: owns.length - 1 }));
        expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(limit, 5);
        owns.forEach((own, index) => {
          if (all < limit * 0.999) expect(parts[index]).toBeGreaterThanOrEqual(own);
        });
      }),
    );
  });
});

describe("gateways of one database", () => {
  let database: TestDatabase;
  let nowMs = 0;
  const telemetry = new Telemetry();

  beforeEach(async () => {
    database = await createTestDatabase();
    nowMs = 0;
  });
  afterEach(() => database.drop());

  /** A gateway of one process, with its bucket. */
  function gateway() {
    const shares = new RateShares({ db: database.db, telemetry, alone: false, now: () => nowMs });
    const limiter = new RateLimiter<number>(10);
    return { shares, ask: (limit: number) => limiter.take(1, shares.take(1, limit), nowMs).allowed };
  }
  type Gateway = ReturnType<typeof gateway>;

  /** Calls spread evenly over a number of seconds; answers how many were granted. */
  async function ask(seconds: number, limit: number, load: readonly (readonly [Gateway, number])[]): Promise<number> {
    let granted = 0;
    for (let second = 0; second < seconds; second += 1) {
      const calls = load
        .flatMap(([asked, perSecond]) =>
          Array.from({ length: perSecond }, (_, index) => ({ asked, at: (1000 * index) / perSecond })),
        )
        .sort((one, other) => one.at - other.at);
      const startMs = nowMs;
      for (const { asked, at } of calls) {
        nowMs = startMs + at;
        if (asked.ask(limit)) granted += 1;
      }
      nowMs = startMs + 1000;
      for (const [{ shares }] of load) await shares.runNow();
    }
    return granted;
  }

  it.each([
    [20, 40, 40, 0],
    [20, 90, 10, 0],
    [100, 60, 60, 60],
    [1, 5, 5, 0],
  ])("grant %i a second together when they are asked %i, %i and %i", async (limit, ...calls) => {
    const load = calls.filter((each) => each > 0).map((each) => [gateway(), each] as const);
    await ask(5, limit, load);
    const granted = await ask(10, limit, load);
    expect(granted).toBeGreaterThanOrEqual(limit * 10 * 0.9 - 1);
    expect(granted).toBeLessThanOrEqual(limit * 10 * 1.1 + 1);
  });

  it("follow a load that shifts from one to the other within 5 s", async () => {
    const [one, other] = [gateway(), gateway()];
    await ask(5, 20, [
      [one, 40],
      [other, 0],
    ]);
    await ask(5, 20, [
      [one, 0],
      [other, 40],
    ]);
    const granted = await ask(10, 20, [
      [one, 0],
      [other, 40],
    ]);
    expect(granted).toBeGreaterThanOrEqual(179);
    expect(granted).toBeLessThanOrEqual(221);
  });

  it("refuse nothing while all of them together are asked less than the limit", async () => {
    const load = [
      [gateway(), 12],
      [gateway(), 5],
    ] as const;
    expect(await ask(10, 20, load)).toBe(170);
  });

  it("a gateway that has gone leaves its part to the others, also if it said nothing", async () => {
    const [stays, stops, dies] = [gateway(), gateway(), gateway()];
    await ask(5, 30, [
      [stays, 60],
      [stops, 60],
      [dies, 60],
    ]);
    await stops.shares.stop();
    await database.db.query({
      name: "",
      text: "update rate_demand set told_at = told_at - interval '4 seconds'",
      values: [],
    });
    expect(await ask(2, 30, [[stays, 60]])).toBeGreaterThanOrEqual(35);
    expect(await ask(10, 30, [[stays, 60]])).toBeGreaterThanOrEqual(299);
  });

  it("rows of processes that say nothing more are dropped", async () => {
    const gone = gateway();
    await ask(1, 20, [[gone, 5]]);
    await database.db.query({
      name: "",
      text: "update rate_demand set told_at = told_at - interval '2 minutes'",
      values: [],
    });
    await ask(1, 20, [[gateway(), 5]]);
    expect(await database.db.query({ name: "", text: "select from rate_demand", values: [] })).toHaveLength(1);
  });
});
