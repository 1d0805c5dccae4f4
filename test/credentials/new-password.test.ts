import { expect, it } from "vitest";
import { passwordFault } from "../../src/credentials/new-password.ts";

it.each([
  ["nine characters", "k3jf92md1", "length"],
  ["ten characters", "k3jf92md1x", undefined],
  ["ten characters of two code units", "😀😁".repeat(5), undefined],
  ["five characters of two code units", "😀".repeat(5), "length"],
  ["200 characters", "xy".repeat(100), undefined],
  ["200 characters of two code units", "😀😁".repeat(100), undefined],
  ["201 characters", "x".repeat(201), "length"],
  ["a null character", "12345\u000067890", "length"],
  ["half of a pair", "1234567890\ud800", "length"],
  ["Persian and blanks", "گذرواژهٔ خیلی خوب", undefined],
  ["blanks", " ".repeat(12), "weak"],
  ["what nobody sees", "\u200b\u2060\u00ad\u3164".repeat(4), "weak"],
  ["one character repeated", "aaaaaaaaaaaa", "weak"],
  ["one character repeated, with blanks between", "a a a a a a a", "weak"],
  ["the username with a year", "Maryam.k2026", "weak"],
  ["the username and fewer than ten characters", "maryam.k-9dke82x", "weak"],
  ["the username and ten characters", "Maryam.k-9dke82x7q", undefined],
  ["the username and a common password", "maryam.kPassword123", "weak"],
  ["the username and one character repeated", "maryam.k111111111111", "weak"],
  ["a common password, in any case", "Password123", "weak"],
  ["a row of the keyboard", "qwertyuiop", "weak"],
])("%s", (_, password, fault) => expect(passwordFault(password, "maryam.k")).toBe(fault));
