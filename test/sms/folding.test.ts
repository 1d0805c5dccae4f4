// Folding: what people write differently and mean alike becomes equal, and nothing else does.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldText, foldWithoutBlanks } from "../../src/sms/folding.ts";

const folded: readonly (readonly [name: string, text: string, expected: string])[] = [
  ["capitals", "STOP", "stop"],
  ["capitals of other letters", "STRASSE Straße STRAẞE", "strasse strasse strasse"],
  ["both forms of a sigma", "ΟΔΟΣ οδος", "οδοσ οδοσ"],
  ["Turkish capitals", "İIıi", "iiii"],
  ["Persian digits", "لغو۱۱", "لغو11"],
  ["Arabic digits", "لغو١١", "لغو11"],
  ["all digits", "۰۱۲۳۴۵۶۷۸۹٠١٢٣٤٥٦٧٨٩", "01234567890123456789"],
  ["wide digits", "１１", "11"],
  ["digits on keys", "1\uFE0F\u20E31\uFE0F\u20E3", "11"],
  ["Arabic yeh and kaf", "كيفى", "کیفی"],
  ["the hehs", "ةھہەۀ", "ههههه"],
  ["the alefs", "أإآٱا", "ااااا"],
  ["hamza on its seats", "مسؤول مسئول", "مسوول مسیول"],
  ["presentation forms", "ﻟﻐﻮ ﻻ", "لغو لا"],
  ["diacritics of Arabic", "لَغْوٌّ", "لغو"],
  ["diacritics of Latin", "Désabonner", "desabonner"],
  ["kashida", "لـــغـــو", "لغو"],
  ["zero-width signs", "\uFEFFل\u200Cغ\u200Dو\u200B\u2060\u00AD", "لغو"],
  ["direction marks", "\u202Bلغو\u200F ۱۱\u202C\u061C", "لغو 11"],
  ["many blanks", "لغو \t\u00A0\u2003\r\n\u0085 11", "لغو 11"],
  ["blanks around a dropped sign", "لغو \u200C 11", "لغو 11"],
  ["blanks and punctuation at the ends", " «لغو» ؟!… ", "لغو"],
  ["punctuation outside of the basic plane", "\u{10100}stop\u{10101}", "stop"],
  ["punctuation within", "a.b, c", "a.b, c"],
  ["symbols at the ends", "+11$", "+11$"],
  ["nothing but punctuation", " ؟ … ", ""],
  ["nothing", "", ""],
  ["pictures", "👍 OK 👍🏽", "👍 ok 👍🏽"],
  ["a lone surrogate", "\uDC00a\uD800", "\uDC00a\uD800"],
];

describe("foldText", () => {
  it.each(folded)("%s", (_, text, expected) => {
    expect(foldText(text)).toBe(expected);
  });

  it.each([
    ["letters", "لغو", "لغا"],
    ["words and their parts", "stop", "stopped"],
    ["one word and two", "لغو 11", "لغو11"],
    ["peh and beh", "پ", "ب"],
    ["gaf and kaf", "گ", "ک"],
  ])("keeps apart %s", (_, one, other) => {
    expect(foldText(one)).not.toBe(foldText(other));
  });

  it("changes no folded character", () => {
    const changed: string[] = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const text = `a${String.fromCodePoint(code)}a`;
      const once = foldText(text);
      if (once !== text && foldText(once) !== once) changed.push(code.toString(16));
    }
    expect(changed).toEqual([]);
  });

  it("gives equal forms for any case, normal form and inserted sign", () => {
    const unit = fc.constantFrom(..."a b Y Z é ß ل غ و ي ك ۀ أ ۱ ٢ 3 . ! ؟ ـ \u200C \u064E 👍 Σ ς İ".split(" "), " ");
    const check = fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
      const text = units.join("");
      const form = foldText(text);
      expect(foldText(form)).toBe(form);
      expect(form).toBe(form.trim());
      for (const normal of ["NFC", "NFD", "NFKC", "NFKD"]) expect(foldText(text.normalize(normal))).toBe(form);
      expect(foldText(text.toUpperCase())).toBe(form);
      expect(foldText(` ${units.join("\u200D\u0640")}… `)).toBe(form);
    });
    fc.assert(check, { numRuns: 1000 });
  });

  it("folds a pair as ever after half of it came alone, as at the end of a part that was cut", () => {
    expect(foldText("a\uD835")).toBe("a\uD835");
    expect(foldText("\u{1D42C}\u{1D42D}\u{1D428}\u{1D429}")).toBe("stop");
  });

  it("takes as long a text as a call can carry", () => {
    const text = "لـَغو \u200C".repeat(200_000);
    expect(foldText(text)).toBe("لغو ".repeat(200_000).trim());
  });
});

it("leaves no blanks where none count", () => {
  expect(foldWithoutBlanks(" لغو \n ۱ ۱ .")).toBe("لغو11");
});
