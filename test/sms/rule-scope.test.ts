import { describe, expect, it } from "vitest";
import { coversAccount, coversLine } from "../../src/sms/sender-line.ts";

describe("the scope of a rule", () => {
  it.each([
    [["*"], true],
    [["10001234"], true],
    [["advertising"], true],
    [["service", "10009999"], false],
    [[], false],
  ])("of lines %j covers an advertising line 10001234: %j", (lines, expected) => {
    expect(coversLine({ lines, accounts: ["*"] }, { number: "10001234", kind: "advertising" })).toBe(expected);
  });

  it.each([
    [["*"], true],
    [["shop", "bank"], true],
    [["bank"], false],
  ])("of accounts %j covers shop: %j", (accounts, expected) => {
    expect(coversAccount({ lines: ["*"], accounts }, "shop")).toBe(expected);
  });
});
