import { expect, it } from "vitest";
import { readWeightedList } from "../../src/http/weighted-list.ts";

it.each<[string, readonly (readonly [name: string, weight: number])[]]>([
  ["", [["", 1]]],
  [
    "fa-IR, EN;q=0.8",
    [
      ["fa-ir", 1],
      ["en", 0.8],
    ],
  ],
  ["br; q=0.000", [["br", 0]]],
  ["a/b;x=q=1;Q = 0.5", [["a/b", 0.5]]],
  ["text/html;charset=utf-8", [["text/html", 1]]],
  ["fa;q=abc", [["fa", NaN]]],
  ["fa;q=", [["fa", NaN]]],
  ["fa;q=1.2.3", [["fa", NaN]]],
  [
    ";;,q=0",
    [
      ["", 1],
      ["q=0", 1],
    ],
  ],
])("%j", (header, items) => {
  expect(readWeightedList(header)).toEqual(items.map(([name, weight]) => ({ name, weight })));
});
