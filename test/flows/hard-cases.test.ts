// The hard cases that a trustworthy gateway survives, by number: each is named by the title of a
// test that brings it about, or stands here with the reason why it waits. Reads titles, runs
// nothing.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const tests = path.join(import.meta.dirname, "..");
const numbers = Array.from({ length: 58 }, (_, index) => index + 1);

/** Cases that no title names. */
const later: ReadonlyMap<number, string> = new Map([
  [40, "there is no SMPP server for customers; the same case on the operator's side is tested"],
  [44, "a node has at most 100 rounds at a time (ADR 0041); the fault `bad-endpoints` looks at what goes on beside it"],
]);

/** `case 22 (a): …`, `case 12, 24: …`, and the column of numbers of a table of flows. */
const naming = /\bcases?:? "?(\d{1,2}(?:(?:, | and )\d{1,2})*)\b/gi;
const comment = /^\s*(?:\/\/|\/?\*)/;

/** Files whose titles name a case, by its number. */
function filesByCase(): ReadonlyMap<number, ReadonlySet<string>> {
  const files = new Map(numbers.map((number) => [number, new Set<string>()]));
  for (const name of readdirSync(tests, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".test.ts") || path.basename(name) === "hard-cases.test.ts") continue;
    for (const line of readFileSync(path.join(tests, name), "utf8").split("\n")) {
      if (comment.test(line)) continue;
      for (const [, list = ""] of line.matchAll(naming)) {
        for (const number of list.match(/\d+/g) ?? []) files.get(Number(number))?.add(name);
      }
    }
  }
  return files;
}

it("names a test, or the reason why it waits, for every hard case", () => {
  const files = filesByCase();
  const forgotten = numbers.filter((number) => files.get(number)?.size === 0 && !later.has(number));
  expect(forgotten).toEqual([]);
});

it("keeps no reason for a case that flows bring about", () => {
  const files = filesByCase();
  const outdated = [...later.keys()].filter((number) =>
    [...(files.get(number) ?? [])].some((file) => file.startsWith("flows")),
  );
  expect(outdated).toEqual([]);
});
