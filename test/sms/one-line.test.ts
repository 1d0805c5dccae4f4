import { describe, expect, it } from "vitest";
import { isOneLine } from "../../src/sms/text-kind.ts";

describe("a name", () => {
  it.each(["a", "web shop", "شرط‌بندی", "پیامک‌های تبلیغاتی", "خانهٔ‌شان", "50%", "😀"])("may be %j", (text) => {
    expect(isOneLine(text)).toBe(true);
  });

  it.each([
    "",
    " a",
    "a ",
    "a\nb",
    "a\u0000b",
    // Half-spaces that nobody sees.
    "می\u200c",
    "\u200cمی",
    "می\u200c\u200cرود",
    "می\u200c رود",
    "1\u200c2",
    "۱\u200c۲",
    "pay\u200cpal",
    // What turns the direction of a text.
    "a\u202eb",
    "a\u2066b",
    "a\u200db",
  ])("may not be %j", (text) => {
    expect(isOneLine(text)).toBe(false);
  });
});
