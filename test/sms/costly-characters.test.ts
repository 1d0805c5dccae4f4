import { describe, expect, it } from "vitest";
import { costlyCharacters, tidyText } from "../../src/sms/segmentation.ts";

const letters = "a".repeat(159);

describe("costlyCharacters", () => {
  it.each([
    ["\t", "U+0009"],
    ["\u00a0", "U+00A0"],
    ["’", "U+2019"],
    ["\u0301", "U+0301"],
    ["😀", "U+1F600"],
  ])("names %j, for which all goes as UCS-2, with its place", (character, codePoint) => {
    expect(costlyCharacters(`é😀`.slice(0, 1) + letters + character + character)).toEqual([
      { character, codePoint, position: 161, reason: "ucs2" },
    ]);
  });

  it("names what takes two septets, and counts places in characters", () => {
    expect(costlyCharacters("ab€{€")).toEqual([
      { character: "€", codePoint: "U+20AC", position: 3, reason: "twoSeptets" },
      { character: "{", codePoint: "U+007B", position: 4, reason: "twoSeptets" },
    ]);
    expect(costlyCharacters("😀’")).toMatchObject([{ position: 1 }, { position: 2 }]);
  });

  it("names none of a text in another script, nor of a plain one, and at most 20", () => {
    for (const text of ["سلام, خوبی؟", "Привет", "Hello, é", ""]) expect(costlyCharacters(text)).toEqual([]);
    const many = String.fromCodePoint(...Array.from({ length: 30 }, (_, index) => 0x2190 + index));
    expect(costlyCharacters(many)).toHaveLength(20);
  });
});

describe("tidyText", () => {
  it.each([
    ["\t", " "],
    ["\u00a0", " "],
    ["\u202f", " "],
    ["’", "'"],
    ["“", '"'],
    ["–", "-"],
    ["\u00ad", ""],
    ["\ufeff", ""],
    ["\u200f", ""],
    ["\u202c", ""],
    ["\u2028", "\n"],
    ["‹", "'"],
    ["ʼ", "'"],
    ["e\u0301", "é"],
  ])("replaces %j where it makes the text dearer", (character, by) => {
    expect(tidyText(letters + character)).toBe(letters + by);
  });

  it("leaves alone what is no cheaper, and what no list replaces", () => {
    for (const text of ["it’s", `${letters}’😀`, `${"س".repeat(71)}’`, "…".repeat(69), `${letters}x`])
      expect(tidyText(text)).toBe(text);
  });
});
