import { describe, expect, it } from "vitest";
import { BodyBudget, limitsOf, maximumHeaderOctets } from "../../../src/http/limits/request-limits.ts";

const body = 1 << 20;

it.each([1, 2, 3, 8, 30])(
  "the totals of %i workers are those of one, and each takes the longest head and body",
  (workers) => {
    const [one, each] = [limitsOf(1, body), limitsOf(workers, body)];
    for (const name of ["connections", "headOctets", "bodyOctets"] as const)
      expect(each[name] * workers).toBeLessThanOrEqual(one[name] + workers);
    expect(each.headOctets).toBeGreaterThanOrEqual(maximumHeaderOctets);
    expect(each.bodyOctetsOfAddress).toBeGreaterThanOrEqual(body);
  },
);

describe("the budget of bodies", () => {
  it("has a limit for each address, one for all, and room again for what is given back", () => {
    const budget = new BodyBudget({ bodyOctets: 10, bodyOctetsOfAddress: 6 });
    const release = budget.claim("192.0.2.1", 4);
    expect(budget.claim("192.0.2.1", 3)).toBeUndefined();
    budget.claim("192.0.2.1", 2);
    expect(budget.claim("192.0.2.2", 5)).toBeUndefined();
    const other = budget.claim("192.0.2.2", 4);
    expect(budget.held).toBe(10);
    release?.();
    other?.();
    expect(budget.claim("192.0.2.1", 4)).toBeDefined();
  });

  it("takes a network of IPv6 for one address", () => {
    const budget = new BodyBudget({ bodyOctets: 10, bodyOctetsOfAddress: 6 });
    expect(budget.claim("2001:db8::1", 4)).toBeDefined();
    expect(budget.claim("2001:db8::2", 4)).toBeUndefined();
    expect(budget.claim("2001:db8:1::1", 4)).toBeDefined();
  });
});
