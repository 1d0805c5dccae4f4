import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseUserDataHeader, udh8 } from "../../src/sms/concatenation.ts";

function parse(hex: string): ReturnType<typeof parseUserDataHeader> {
  return parseUserDataHeader(Buffer.from(hex, "hex"));
}

describe("udh8", () => {
  it("writes the header of 3GPP TS 23.040 §9.2.3.24.1", () => {
    expect(udh8(0xab, 3, 2).toString("hex")).toBe("050003ab0302");
  });

  it("keeps the reference in one octet", () => {
    expect(udh8(0x1ff, 2, 1).toString("hex")).toBe("050003ff0201");
  });
});

describe("parseUserDataHeader", () => {
  it("reads the 8-bit reference", () => {
    const header = parse("050003ab0302616263");
    expect(header.concatenation).toEqual({ reference: 0xab, total: 3, number: 2, bits: 8 });
    expect(header.headerLength).toBe(6);
  });

  it("reads the 16-bit reference", () => {
    expect(parse("060804abcd0302").concatenation).toEqual({ reference: 0xabcd, total: 3, number: 2, bits: 16 });
  });

  it("reads it among other elements and keeps those", () => {
    const header = parse("0b050415811581000307020161");
    expect(header.concatenation).toEqual({ reference: 7, total: 2, number: 1, bits: 8 });
    expect(header.elements.map(({ identifier, content }) => [identifier, content.toString("hex")])).toEqual([
      [5, "15811581"],
      [0, "070201"],
    ]);
    expect(header.headerLength).toBe(12);
  });

  it("takes the last of two", () => {
    expect(parse("0a00030102010003020302").concatenation?.reference).toBe(2);
  });

  it.each([
    ["part 0", "050003ab0300"],
    ["a part beyond the total", "050003ab0304"],
    ["a total of 0", "050003ab0000"],
    ["a wrong length", "040002ab03"],
    ["no concatenation at all", "06050415811581"],
  ])("finds no concatenation in %s", (_, hex) => {
    expect(parse(hex)).not.toHaveProperty("concatenation");
  });

  it.each([
    ["empty user data", ""],
    ["a header longer than the user data", "ff000301"],
  ])("finds no header in %s", (_, hex) => {
    expect(parse(hex)).toEqual({ elements: [], headerLength: 0 });
  });

  it("keeps the sound elements before one that is cut off", () => {
    const header = parse("070003ab030224ff");
    expect(header.concatenation?.number).toBe(2);
    expect(header.elements).toHaveLength(1);
    expect(header.headerLength).toBe(8);
  });

  it("never throws, and never reaches beyond the user data", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 160 }), (octets) => {
        expect(parseUserDataHeader(Buffer.from(octets)).headerLength).toBeLessThanOrEqual(octets.length);
      }),
      { numRuns: 2000 },
    );
  });
});
