import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeGsm7, encodeGsm7, packSeptets, unpackSeptets } from "../../src/sms/gsm7.ts";
import { isGsm7, septetCost } from "../../src/sms/gsm7-alphabet.ts";

const extension = "\f^{}\\[~]|€";
const alphabet = Array.from({ length: 0x80 }, (_, septet) => septet)
  .filter((septet) => septet !== 0x1b)
  .map((septet) => decodeGsm7(Buffer.from([septet])))
  .join("");
const gsmText = fc.string({ unit: fc.constantFrom(...Array.from(alphabet + extension)) });

describe("the alphabet", () => {
  it("has 127 characters and 10 behind the escape, all different", () => {
    expect(new Set(alphabet + extension).size).toBe(137);
  });

  // Anchors of 3GPP TS 23.038 §6.2.1, one of each column at least.
  it.each([
    ["@", "00"],
    ["é", "05"],
    ["Ç", "09"],
    ["\n", "0a"],
    ["\r", "0d"],
    ["Δ", "10"],
    ["_", "11"],
    ["Ξ", "1a"],
    ["Æ", "1c"],
    ["É", "1f"],
    [" ", "20"],
    ["¤", "24"],
    ["9", "39"],
    ["¡", "40"],
    ["A", "41"],
    ["§", "5f"],
    ["¿", "60"],
    ["z", "7a"],
    ["à", "7f"],
    ["\f", "1b0a"],
    ["^", "1b14"],
    ["{", "1b28"],
    ["}", "1b29"],
    ["\\", "1b2f"],
    ["[", "1b3c"],
    ["~", "1b3d"],
    ["]", "1b3e"],
    ["|", "1b40"],
    ["€", "1b65"],
  ])("encodes %j as %s", (character, hex) => {
    expect(encodeGsm7(character).toString("hex")).toBe(hex);
    expect(decodeGsm7(Buffer.from(hex, "hex"))).toBe(character);
  });

  it.each(["ç", "`", "\t", "\u00a0", "“", "α", "\u001b", "\0", "س", "۱", "😀", "\ud800"])("lacks %j", (character) => {
    expect(isGsm7(`plain${character}`)).toBe(false);
    expect(septetCost(character.charCodeAt(0))).toBe(0);
    expect(() => encodeGsm7(character)).toThrow(RangeError);
  });
});

describe("counting and coding", () => {
  it("case 46: counts an extension character as two septets", () => {
    expect(encodeGsm7("a{b}€")).toHaveLength(8);
    expect(encodeGsm7(extension)).toHaveLength(20);
  });

  it("takes as many octets as its characters cost septets, and decodes to the text", () => {
    fc.assert(
      fc.property(gsmText, (text) => {
        const octets = encodeGsm7(text);
        expect(isGsm7(text)).toBe(true);
        const costs = text.split("").map((unit) => septetCost(unit.charCodeAt(0)));
        expect(octets.length).toBe(costs.reduce<number>((sum, cost) => sum + cost, 0));
        expect(decodeGsm7(octets)).toBe(text);
      }),
    );
  });

  it.each([
    ["shows the default character for a code that the extension table lacks", "1b41", "A"],
    ["shows a space for an escape behind an escape", "1b1b41", " A"],
    ["shows a space for an escape at the end", "411b", "A "],
    ["reads an octet that is no septet as Latin-1", "41e9", "Aé"],
  ])("%s", (_, hex, text) => {
    expect(decodeGsm7(Buffer.from(hex, "hex"))).toBe(text);
  });
});

describe("packed septets", () => {
  it("reads what a link packs (3GPP TS 23.038 §6.1.2.1)", () => {
    const packed = Buffer.from("c8721e943ebfe52c507a0ea2a3cba0b27bfc26a7dd67d07b0d72bfef3f", "hex");
    expect(decodeGsm7(unpackSeptets(packed))).toBe("Hey igor, is the encoding ok now?");
    expect(packSeptets(encodeGsm7("hellohello")).toString("hex")).toBe("e8329bfd4697d9ec37");
  });

  it("unpacks what it packed, behind any header", () => {
    const texts = fc.string({ unit: fc.constantFrom(...Array.from("abc019 é€{")), minLength: 1, maxLength: 160 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 12 }), (text, headerOctets) => {
        const packed = packSeptets(encodeGsm7(text), headerOctets);
        expect(decodeGsm7(unpackSeptets(packed, headerOctets))).toBe(text);
      }),
    );
  });

  it("takes a last septet of 0 for padding where it fills the last octet", () => {
    expect(unpackSeptets(packSeptets(encodeGsm7("seven77")))).toHaveLength(7);
    expect(decodeGsm7(unpackSeptets(packSeptets(encodeGsm7("abc@"))))).toBe("abc@");
  });
});
