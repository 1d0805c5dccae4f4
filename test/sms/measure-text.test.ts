import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFault } from "../../src/sms/fault.ts";
import { measureText, segmentText } from "../../src/sms/segmentation.ts";

describe("a text", () => {
  it.each([
    ["Salaam", "gsm7", 1],
    ["a".repeat(161), "gsm7", 2],
    ["سلام", "ucs2", 1],
    ["س".repeat(71), "ucs2", 2],
    ["\u200Cس", "ucs2", 1],
  ] as const)("%j has its encoding and parts", (content, encoding, parts) => {
    expect(measureText(content, "content", 10)).toEqual({ content, encoding, parts });
  });

  it.each([
    ["", "content.blank"],
    [" \n\u200C\u180E", "content.blank"],
    ["س\0", "content.nullCharacter"],
    ["س\uD800", "content.loneSurrogate"],
    ["س\uDC00\uD800", "content.loneSurrogate"],
    ["a".repeat(321), "content.tooManyParts"],
  ])("%j cannot be sent", (content, messageKey) => {
    expect(measureText(content, "parameters", 2)).toMatchObject({ code: 1001, messageKey, field: "parameters" });
  });

  it("is refused, or has as many parts as it is cut into", () => {
    const unit = fc.constantFrom("a", "[", "ی", "😀", "\uD83D", "\0", " ", "\u200C");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 200 }), (content) => {
        const found = measureText(content, "content", 255);
        if (isFault(found)) return;
        expect(segmentText(content, found.encoding)).toHaveLength(found.parts);
      }),
    );
  });
});
