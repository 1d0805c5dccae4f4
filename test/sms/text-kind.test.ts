import { describe, expect, it } from "vitest";
import { chooseEncoding, detectLanguage } from "../../src/sms/text-kind.ts";

describe("chooseEncoding", () => {
  it.each([
    ["Hello {world} €", "gsm7"],
    ["", "gsm7"],
    ["ÇΔ¡\r\n", "gsm7"],
    ["ç", "ucs2"],
    ["Hello سلام", "ucs2"],
    ["۱۲۳", "ucs2"],
    ["half\u200cspace", "ucs2"],
    ["😀", "ucs2"],
  ])("takes %j as %s", (text, encoding) => {
    expect(chooseEncoding(text)).toBe(encoding);
  });
});

describe("detectLanguage", () => {
  it.each([
    ["a Persian letter among Latin ones", "code: ک", "fa"],
    ["a Persian digit", "code ۱", "fa"],
    ["an Arabic-Indic digit", "code ١", "fa"],
    ["a tatweel, which other scripts use too", "\u0640", "fa"],
    ["a presentation form", "\ufb56", "fa"],
    ["a Persian letter after another script", "Привет سلام", "fa"],
    ["Latin letters", "Hello, world", "en"],
    ["Latin letters with marks", "Grüße, ça va", "en"],
    ["no letter at all", "12345 !?", "en"],
    ["nothing but emoji", "😀🎉", "en"],
    ["Arabic punctuation only", "hello، world؟", "en"],
    ["the empty text", "", "en"],
    ["Cyrillic", "Привет", "other"],
    ["one Greek letter", "Δt = 5", "other"],
    ["Hebrew", "שלום", "other"],
    ["letters outside the first plane", "𐌰", "other"],
  ])("%s", (_, text, language) => {
    expect(detectLanguage(text)).toBe(language);
  });
});
