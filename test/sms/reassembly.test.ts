import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contentOf, decodeText, encodeText } from "../../src/sms/data-coding.ts";
import { chooseEncoding } from "../../src/sms/text-kind.ts";
import { joinParts, splitMessages, type InboundPartText } from "../../src/sms/concatenation.ts";
import { segmentText } from "../../src/sms/segmentation.ts";

const [first, second, third] = ["one ", "two ", "three"].map((text, index) => ({
  number: index + 1,
  total: 3,
  text,
})) as [InboundPartText, InboundPartText, InboundPartText];

describe("joinParts", () => {
  it.each<[string, readonly InboundPartText[], boolean, string]>([
    ["parts in order", [first, second, third], true, "one two three"],
    ["case 52: parts out of order", [third, first, second], true, "one two three"],
    ["case 52: repeated parts", [second, first, second, third, first], true, "one two three"],
    ["case 52: the highest part first and one missing", [third, first], false, "one three"],
    ["a message of one part", [{ number: 1, total: 1, text: "whole" }], true, "whole"],
    ["nothing", [], false, ""],
  ])("joins %s", (_, parts, complete, text) => {
    expect(joinParts(parts)).toEqual({ complete, text });
  });

  it("case 52: takes the first of two different texts with one number", () => {
    expect(joinParts([first, { ...first, text: "other" }, second, third]).text).toBe("one two three");
  });

  it("case 47: mends a surrogate pair that a phone cut between its parts", () => {
    const parts = [
      { number: 2, total: 2, text: "\ude00!" },
      { number: 1, total: 2, text: "hi \ud83d" },
    ];
    expect(joinParts(parts)).toEqual({ complete: true, text: "hi 😀!" });
  });

  it("replaces a surrogate half whose partner never came", () => {
    expect(joinParts([{ number: 1, total: 2, text: "hi \ud83d" }])).toEqual({ complete: false, text: "hi \ufffd" });
  });

  it("gives back every text that was cut, sent, read and shuffled", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 400, size: "max" });
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { minLength: 20, maxLength: 20 }), (whole, ranks) => {
        const encoding = chooseEncoding(whole);
        const segments = segmentText(whole, encoding);
        const parts = segments.map((segment, index) => {
          const decoded = decodeText(encodeText(segment, encoding), encoding === "gsm7" ? 0 : 8, "gsm7");
          return { number: index + 1, total: segments.length, text: "text" in decoded ? decoded.text : "" };
        });
        const shuffled = parts
          .map((part, index) => ({ part, rank: ranks[index % ranks.length] ?? 0 }))
          .sort((left, right) => left.rank - right.rank)
          .map(({ part }) => part);
        expect(joinParts(shuffled)).toEqual({ complete: true, text: whole });
      }),
      { numRuns: 1000 },
    );
  });
});

describe("splitMessages", () => {
  const texts = (parts: readonly InboundPartText[]): string[][] =>
    splitMessages(parts).map((message) => message.map(({ text }) => text));
  const other = { ...first, text: "other " };

  it.each<[string, readonly InboundPartText[], string[][]]>([
    ["nothing", [], []],
    ["one message in any order", [third, first, second], [["three", "one ", "two "]]],
    ["a repeated part", [first, first, second], [["one ", "one ", "two "]]],
    ["another text under a number that is taken", [first, other, second], [["one "], ["other ", "two "]]],
    ["a text that an older message had", [first, other, first], [["one "], ["other "], ["one "]]],
  ])("tells apart %s", (_title, parts, messages) => {
    expect(texts(parts)).toEqual(messages);
  });
});

it("joins the octets of UTF-8 that parts divide", () => {
  const text = "سلام 😀 دنیا، one two";
  const octets = Buffer.from(text);
  for (let at = 0; at <= octets.length; at += 1)
    for (const step of [1, 2, 5]) {
      const pieces = [octets.subarray(0, at), octets.subarray(at, at + step), octets.subarray(at + step)];
      const parts = pieces.map((piece, index) => ({
        ...{ number: index + 1, total: 3 },
        text: contentOf(decodeText(piece, 0, "utf8")),
      }));
      expect(joinParts(parts)).toEqual({ complete: true, text });
    }
  const half = (hex: string) =>
    joinParts([{ number: 1, total: 1, text: contentOf(decodeText(Buffer.from(hex, "hex"), 0, "utf8")) }]).text;
  expect([half("61d8"), half("b361"), half("61ff62"), half("f09f98")]).toEqual(["a�", "�a", "a�b", "�"]);
});
