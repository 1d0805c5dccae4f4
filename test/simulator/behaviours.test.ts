import { expect, it } from "vitest";
import { behaviours, suffixDigits } from "../../src/simulator/behaviours.ts";

it("suffixes and names are unique, and every row says what it does", () => {
  expect(new Set(behaviours.map(({ suffix }) => suffix)).size).toBe(behaviours.length);
  expect(new Set(behaviours.map(({ name }) => name)).size).toBe(behaviours.length);
  for (const { suffix, name, summary } of behaviours) {
    expect(suffix).toMatch(new RegExp(`^\\d{${suffixDigits}}$`));
    expect(name).toMatch(/^[a-z-]+$/);
    expect(summary).not.toBe("");
  }
});
