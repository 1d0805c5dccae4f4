import { describe, expect, it } from "vitest";
import {
  RequestBudgets,
  requestLimits,
  limitsOfWorker,
  maximumHeaderOctets,
} from "../../../src/http/limits/request-limits.ts";
import { Telemetry } from "../../../src/platform/telemetry.ts";

const body = 1 << 20;
const totals = [
  ...(["connections", "headOctets", "requestsUnderWay", "requestsWaiting", "strangersOctets"] as const),
  "callersOctets" as const,
];

describe("the limits of one of several workers", () => {
  it("are the limits themselves for one", () => {
    expect(limitsOfWorker(1, body)).toBe(requestLimits);
  });

  it.each([2, 3, 8, 30])("add up to at most the totals for %i", (workers) => {
    const limits = limitsOfWorker(workers, body);
    for (const name of totals) {
      expect(limits[name] * workers).toBeLessThanOrEqual(requestLimits[name]);
      expect(limits[name] * workers).toBeGreaterThan(requestLimits[name] - workers);
    }
    // Of one connection, which is with one worker.
    expect(limits.requestsUnderWayOfConnection).toBe(requestLimits.requestsUnderWayOfConnection);
  });

  it("leave room for the longest head and the longest body of one address, for as many workers as there may be", () => {
    const budgets = new RequestBudgets(limitsOfWorker(30, body), new Telemetry());
    const address = { key: "192.0.2.1", isBounded: true };
    const lost: string[] = [];
    const head = budgets.heads.claim(address, () => lost.push("head"));
    const stranger = budgets.strangers.claim(address, () => lost.push("stranger"));
    expect(head.set(maximumHeaderOctets)).toBe(true);
    expect(stranger.set(body)).toBe(true);
    expect(lost).toEqual([]);
    // And not for a second one: that costs the first.
    budgets.heads.claim(address, () => undefined).set(maximumHeaderOctets);
    expect(lost).toEqual(["head"]);
  });
});
