import { describe, expect, it } from "vitest";
import { isAcceptablePassword } from "../../src/credentials/new-password.ts";

describe("isAcceptablePassword", () => {
  it.each([
    ["nine characters", "123456789", false],
    ["ten characters", "1234567890", true],
    ["ten characters of two code units", "😀".repeat(10), true],
    ["five characters of two code units", "😀".repeat(5), false],
    ["200 characters", "x".repeat(200), true],
    ["200 characters of two code units", "😀".repeat(200), true],
    ["201 characters", "x".repeat(201), false],
    ["a null character", "12345\u000067890", false],
    ["half of a pair", "1234567890\ud800", false],
    ["Persian and blanks", "گذرواژهٔ خیلی خوب", true],
  ])("%s", (_, password, acceptable) => expect(isAcceptablePassword(password)).toBe(acceptable));
});
