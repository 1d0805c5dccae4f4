import { expect, it } from "vitest";
import { languageOf, readWeightedList } from "../../src/http/accept-headers.ts";

it.each([
  [undefined, "en"],
  ["", "en"],
  ["fa", "fa"],
  ["FA", "fa"],
  ["fa-IR", "fa"],
  ["fa-IR,fa;q=0.9,en;q=0.8", "fa"],
  ["en,fa", "en"],
  ["fa,en", "fa"],
  ["en;q=0.5,fa;q=0.9", "fa"],
  ["en;q=0.9,fa;q=0.5", "en"],
  ["fa;q=0", "en"],
  ["fa;q=0,en", "en"],
  ["de,fa;q=0.3", "fa"],
  ["*", "en"],
  ["de", "en"],
  ["fan", "en"],
  ["x-fa", "en"],
  ["fa;q=abc", "fa"],
  [";;,fa", "fa"],
])("%s → %s", (header, language) => expect(languageOf(header)).toBe(language));

it("does not read a header of unreasonable length", () => expect(languageOf(`fa${",x".repeat(1000)}`)).toBe("en"));

it.each([
  [
    "fa-IR, EN;q=0.8",
    [
      ["fa-ir", 1],
      ["en", 0.8],
    ],
  ],
  ["br; q=0.000", [["br", 0]]],
  ["a/b;x=q=1;Q = 0.5", [["a/b", 0.5]]],
  ["fa;q=1.2.3", [["fa", NaN]]],
  [
    ";;,q=0",
    [
      ["", 1],
      ["q=0", 1],
    ],
  ],
] as const)("%j names with weights", (header, items) => {
  expect(readWeightedList(header)).toEqual(items.map(([name, weight]) => ({ name, weight })));
});
