import { createRequire } from "node:module";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeText } from "../../src/sms/data-coding.ts";
import { chooseEncoding, type Encoding } from "../../src/sms/text-kind.ts";
import { countParts, segmentText } from "../../src/sms/segmentation.ts";
import { unicodeText } from "../support/unicode-text.ts";

interface SplitResult {
  readonly characterSet: "GSM" | "Unicode";
  readonly parts: readonly { readonly content: string }[];
}

// An implementation by other hands, as a second opinion. It has no types of its own.
const splitSms = createRequire(import.meta.url)("split-sms") as { split(text: string): SplitResult };

const a = (count: number): string => "a".repeat(count);
const persian = (count: number): string => "س".repeat(count);

function cut(text: string): readonly string[] {
  return segmentText(text, chooseEncoding(text));
}

function lengths(text: string): readonly number[] {
  return cut(text).map((part) => part.length);
}

describe("segmentText", () => {
  it.each<[string, string, readonly number[]]>([
    ["nothing", "", []],
    ["160 septets alone", a(160), [160]],
    ["161 septets", a(161), [153, 8]],
    ["two full parts", a(306), [153, 153]],
    ["one more than two full parts", a(307), [153, 153, 1]],
    ["70 units alone", persian(70), [70]],
    ["71 units", persian(71), [67, 4]],
    ["two full parts of units", persian(134), [67, 67]],
    ["one more than two full parts of units", persian(135), [67, 67, 1]],
    ["case 46: 80 extension characters alone", "{".repeat(80), [80]],
    ["case 46: 81 extension characters, 76 pairs in a part", "{".repeat(81), [76, 5]],
    ["case 46: an extension character on the edge", `${a(152)}€${a(152)}`, [152, 152, 1]],
    ["case 46: an extension character that just fits", `${a(151)}€${a(10)}`, [152, 10]],
    ["case 47: an emoji on the edge", `${persian(66)}😀${persian(66)}`, [66, 67, 1]],
    ["case 47: an emoji that just fits", `${persian(65)}😀${persian(10)}`, [67, 10]],
    ["case 47: a joined emoji, cut between code points", `${persian(64)}👩‍💻${persian(10)}`, [67, 12]],
    ["case 46: extension characters cost one unit in UCS-2", `${"€".repeat(69)}س`, [70]],
    ["a lone surrogate as one unit", `${persian(66)}\ud83d${persian(10)}`, [67, 10]],
  ])("cuts %s", (_, text, expected) => {
    expect(lengths(text)).toEqual(expected);
    expect(cut(text).join("")).toBe(text);
  });

  it("case 47: keeps every surrogate pair whole", () => {
    for (let before = 0; before < 70; before += 1) {
      for (const part of cut(persian(before) + "😀".repeat(80))) expect(part).not.toMatch(/\p{Surrogate}/u);
    }
  });
});

const units = {
  latin: Array.from("abc XYZ0189@£_Δ\r\n"),
  extension: Array.from("\f^{}\\[~]|€"),
  persian: Array.from("سلام۱۲۳،\u200cگچپژ"),
  emoji: ["😀", "👩‍💻", "🇮🇷", "𐌰"],
  control: ["\u0001", "\u001b", "\u007f", "\u0000", "\t", "\ufeff"],
};

/** Texts of one and of mixed kinds, of lengths around the edges of parts. */
function texts(): fc.Arbitrary<string> {
  const gsm = fc.constantFrom(...units.latin, ...units.latin, ...units.extension);
  const wide = fc.constantFrom(...units.persian, ...units.persian, ...units.emoji, ...units.extension);
  const mixed = fc.constantFrom(...Object.values(units).flat());
  const lengthsAround = fc.constantFrom(10, 66, 70, 72, 136, 153, 160, 165, 203, 310, 465);
  return lengthsAround.chain((size) =>
    fc.oneof(
      ...[gsm, wide, mixed].map((unit) =>
        fc
          .array(unit, { minLength: Math.max(0, size - 10), maxLength: size + 2, size: "max" })
          .map((list) => list.join("")),
      ),
    ),
  );
}

function octetsOnAir(part: string, encoding: Encoding, isLong: boolean): number {
  const headerOctets = isLong ? 6 : 0;
  const octets = encodeText(part, encoding);
  // Seven bits a septet; six octets of header are 48 bits, and one fill bit brings the text to a
  // septet boundary.
  return headerOctets + (encoding === "gsm7" ? Math.ceil((octets.length * 7 + (isLong ? 1 : 0)) / 8) : octets.length);
}

describe("segmentation of any text", () => {
  it("case 50: is what an independent implementation makes of it", () => {
    fc.assert(
      fc.property(texts(), (text) => {
        fc.pre(text !== ""); // the other one gives one part to the empty text
        const other = splitSms.split(text);
        const encoding = chooseEncoding(text);
        expect(encoding).toBe(other.characterSet === "GSM" ? "gsm7" : "ucs2");
        expect(segmentText(text, encoding)).toEqual(other.parts.map((part) => part.content));
      }),
      { numRuns: 8000 },
    );
  });

  it("case 50: loses nothing, counts what it cuts, and fits every part into 140 octets", () => {
    const anyText = fc.oneof(texts(), unicodeText({ maxLength: 400, size: "max" }), unpairedTexts());
    fc.assert(
      fc.property(anyText, (text) => {
        const encoding = chooseEncoding(text);
        const parts = segmentText(text, encoding);
        expect(parts.join("")).toBe(text);
        expect(countParts(text, encoding)).toBe(parts.length);
        const octets = parts.map((part) => octetsOnAir(part, encoding, parts.length > 1));
        expect(Math.max(...octets)).toBeLessThanOrEqual(140);
      }),
      { numRuns: 3000 },
    );
  });

  it("cuts no pair that the text holds", () => {
    fc.assert(
      fc.property(fc.oneof(texts(), unpairedTexts()), (text) => {
        const parts = cut(text);
        const codePoints = parts.reduce((sum, part) => sum + Array.from(part).length, 0);
        expect(codePoints).toBe(Array.from(text).length);
      }),
      { numRuns: 2000 },
    );
  });
});

/** Texts full of surrogates, paired and not. */
function unpairedTexts(): fc.Arbitrary<string> {
  return fc
    .array(fc.constantFrom("\ud83d", "\ude00", "س"), { maxLength: 220, size: "max" })
    .map((list) => list.join(""));
}
