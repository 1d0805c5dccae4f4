import { describe, expect, it } from "vitest";
import {
  asFaultsOfRule,
  asGiven,
  placeOf,
  raised,
  withoutRule,
  withRule,
} from "../../console/src/pages/rules/rule-list.ts";

const [one, two, three] = [{ name: "one" }, { name: "two", words: ["a"] }, { line: "1000", prefix: "x" }];
const rules = [one, two, three];

describe("a list of rules", () => {
  it("has a rule at its place by its name, or by what it matches", () => {
    expect(placeOf(rules, { name: "two", words: ["b"] })).toBe(1);
    expect(placeOf(rules, { line: "1000", prefix: "x", account: "demo" })).toBe(2);
    expect(placeOf(rules, { line: "1000", prefix: "y" })).toBe(-1);
  });

  it("is changed at that place, and gets at its end what somebody else has removed", () => {
    const changed = { name: "zwei" };
    expect(withRule(rules, two, changed)).toEqual([one, changed, three]);
    expect(withRule([one], two, changed)).toEqual([one, changed]);
    expect(withRule(rules, undefined, changed)).toEqual([...rules, changed]);
    expect(withoutRule(rules, two)).toEqual([one, three]);
    expect(withoutRule(rules, { name: "none" })).toEqual(rules);
  });

  it("has a rule one place up", () => {
    expect(raised(rules, three)).toEqual([one, three, two]);
    expect(raised(rules, one)).toEqual(rules);
    expect(raised(rules, { name: "none" })).toEqual(rules);
  });
});

describe("a rule as it is given", () => {
  it("leaves empty lists and what is no rule out, and names any text where it names none", () => {
    expect(asGiven("contentRules", { name: "x", lines: [], links: "any" })).toEqual({ name: "x" });
    expect(asGiven("contentRules", { name: "x", links: "none" })).toEqual({ name: "x", links: "none" });
    expect(asGiven("inboundRules", { line: "1" })).toEqual({ line: "1", any: true });
    expect(asGiven("inboundRules", { line: "1", prefix: "x" })).toEqual({ line: "1", prefix: "x" });
  });
});

describe("a fault of a list", () => {
  it("is told at the field of the rule in the form, or as it is where it is another's", () => {
    const validationErrors = [
      { field: "contentRules[2].words[0]", errorMessage: "a" },
      { field: "contentRules[1].name", errorMessage: "b" },
    ];
    const told = asFaultsOfRule(validationErrors, "contentRules", 2);
    expect(told.map(({ field }) => field)).toEqual(["words", "contentRules[1].name"]);
  });
});
