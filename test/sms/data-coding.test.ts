import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contentOf, decodeText, encodeText, type DefaultAlphabet } from "../../src/sms/data-coding.ts";
import { chooseEncoding } from "../../src/sms/text-kind.ts";
import { unicodeText } from "../support/unicode-text.ts";

function read(hex: string, dataCoding: number, defaultAlphabet: DefaultAlphabet = "gsm7"): string {
  const decoded = decodeText(Buffer.from(hex, "hex"), dataCoding, defaultAlphabet);
  return "text" in decoded ? decoded.text : `binary ${decoded.binary.toString("hex")}`;
}

describe("encodeText and decodeText", () => {
  it("case 49: sends Persian as UTF-16 big-endian without a byte order mark", () => {
    expect(encodeText("سلام", "ucs2").toString("hex")).toBe("0633064406270645");
  });

  it("sends the extension characters behind an escape, unpacked", () => {
    expect(encodeText("a€", "gsm7").toString("hex")).toBe("611b65");
  });

  it.each([
    ["case 49: drops a byte order mark", "feff06330644", 8, "سل"],
    ["case 49: obeys a little-endian mark", "fffe33064406", 8, "سل"],
    ["drops half a unit at the end", "0633064406", 8, "سل"],
    ["drops NUL padding", "00410000", 8, "A"],
    ["reads a lone byte order mark as nothing", "feff", 8, ""],
    ["keeps a surrogate half for its other part", "d83d", 8, "\ud83d"],
    ["case 51: reads é in the default alphabet", "05", 0, "é"],
    ["reads @ in the default alphabet, which is octet 0", "0041", 0, "@A"],
    ["reads ASCII", "5b7d", 1, "[}"],
    ["reads Latin-1", "e9", 3, "é"],
    ["reads Cyrillic", "bfe0", 6, "Пр"],
    ["reads Hebrew", "f9", 7, "ש"],
    ["reads Korean", "b0a1", 14, "가"],
    ["reads a reserved SMPP value as the default alphabet", "05", 11, "é"],
    ["reads class 0 text of the general group", "05", 0x10, "é"],
    ["reads UCS-2 of the general group", "0633", 0x18, "س"],
    ["reads UCS-2 marked for deletion", "0633", 0x48, "س"],
    ["keeps 8-bit data of the general group", "0005", 0x14, "binary 0005"],
    ["keeps compressed text", "0633", 0x28, "binary 0633"],
    ["reads a reserved group as the default alphabet", "05", 0x90, "é"],
    ["reads a message waiting note", "05", 0xc8, "é"],
    ["reads a message waiting note in UCS-2", "0633", 0xe0, "س"],
    ["reads a flash message", "05", 0xf0, "é"],
    ["keeps 8-bit data of a class", "05f5", 0xf5, "binary 05f5"],
    ["keeps unspecified octets", "ff00", 4, "binary ff00"],
    ["keeps unspecified octets of value 2", "ff00", 2, "binary ff00"],
  ])("%s", (_, hex, dataCoding, text) => {
    expect(read(hex, dataCoding)).toBe(text);
  });

  it.each<[DefaultAlphabet, string]>([
    ["gsm7", "@"],
    ["latin1", ""],
    ["ascii", ""],
  ])("case 48: reads data_coding 0 as %s where the link says so", (alphabet, nul) => {
    expect(read("00", 0, alphabet)).toBe(nul);
    expect(read("24", 0, alphabet)).toBe(alphabet === "gsm7" ? "¤" : "$");
  });

  it("shows binary data in hexadecimal", () => {
    expect(contentOf(decodeText(Buffer.from("00FF", "hex"), 4, "gsm7"))).toBe("00ff");
    expect(contentOf(decodeText(Buffer.from("A"), 0, "gsm7"))).toBe("A");
  });

  it("never throws and never gives a NUL character, whatever comes", () => {
    const alphabet = fc.constantFrom<DefaultAlphabet>("gsm7", "latin1", "ascii");
    fc.assert(
      fc.property(fc.uint8Array(), fc.integer({ min: 0, max: 255 }), alphabet, (octets, dataCoding, fallback) => {
        const decoded = decodeText(Buffer.from(octets), dataCoding, fallback);
        if ("text" in decoded) expect(decoded.text).not.toContain("\0");
        else expect(decoded.binary.equals(octets)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("leaves the caller's octets as they were", () => {
    const octets = Buffer.from("06330644", "hex");
    decodeText(octets, 8, "gsm7");
    expect(octets.toString("hex")).toBe("06330644");
  });

  it("reads back what it sent", () => {
    fc.assert(
      fc.property(unicodeText(), (text) => {
        const encoding = chooseEncoding(text);
        const decoded = decodeText(encodeText(text, encoding), encoding === "gsm7" ? 0 : 8, "gsm7");
        const plain = text.replaceAll("\0", "");
        fc.pre(!plain.startsWith("\ufeff") && !plain.startsWith("\ufffe"));
        expect(decoded).toEqual({ text: plain });
      }),
    );
  });
});
