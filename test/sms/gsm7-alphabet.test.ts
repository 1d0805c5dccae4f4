import { describe, expect, it } from "vitest";
import { isGsm7, septetCost } from "../../src/sms/gsm7-alphabet.ts";

describe("septetCost", () => {
  it.each([
    ["a", 1],
    ["\n", 1],
    ["€", 2],
    ["{", 2],
    ["\u001b", 0],
    ["ç", 0],
    ["س", 0],
    ["\uffff", 0],
  ])("of %j is %d", (character, cost) => {
    expect(septetCost(character.charCodeAt(0))).toBe(cost);
  });
});

describe("isGsm7", () => {
  it.each([
    ["", true],
    ["Hello {world} €", true],
    ["Hello\u001b", false],
    ["سلام", false],
    ["😀", false],
  ])("of %j is %s", (text, is) => {
    expect(isGsm7(text)).toBe(is);
  });
});
