import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const root = new URL("../../", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), "utf8");

/** Words that the glossary replaces. */
const replaced = [...read("docs/glossary.md").matchAll(/^\|([^|]*)\|[^|]*\|[^|]*\|([^|\n]+)\|$/gm)].flatMap(
  ([, term = "", words = ""]) =>
    /^\s*(?:not|-+|)\s*$/.test(words) ? [] : words.split("،").map((word) => ({ term: term.trim(), word: word.trim() })),
);
/** Roundabout phrases that stood in the console. */
const stilted = ["Nothing needs you", "has told nothing", "what became of it", "goes on by itself", "what waits"];

const documents = readdirSync(new URL("docs/", root), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".md") && file !== "glossary.md" && !file.startsWith("decisions"))
  .map((file) => `docs/${file}`);
const catalogues = readdirSync(new URL("src/texts/", root)).map((file) => `src/texts/${file}`);
const files = [
  "README.md",
  "README.fa.md",
  "console/src/texts/fa.ts",
  "console/src/texts/en.ts",
  "src/tables/file-faults.ts",
  ...catalogues,
  ...documents,
];

it("knows some words that are replaced", () => {
  expect(replaced.length).toBeGreaterThan(10);
  expect(replaced).toContainEqual({ term: "character", word: "نویسه" });
});

it.each(files)("%s uses the words of the glossary", (file) => {
  const text = read(file);
  expect(replaced.filter(({ word }) => text.includes(word))).toEqual([]);
  expect(stilted.filter((phrase) => text.includes(phrase))).toEqual([]);
  // «پیام» is the older word for a text message.
  expect(text.match(/پیام(?!ک)[^\s]*/g) ?? []).toEqual([]);
});
