import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import {
  CompiledContentRule,
  type ContentRule,
  findContentRule,
  isWordPattern,
  readText,
} from "../../src/sms/content-rules.ts";

function rule(given: Partial<ContentRule>): CompiledContentRule {
  return new CompiledContentRule({
    name: "rule",
    lines: ["*"],
    accounts: ["*"],
    words: [],
    links: "any",
    domains: [],
    action: "refuse",
    ...given,
  });
}

function applies(given: Partial<ContentRule>, text: string): boolean {
  return rule(given).appliesTo(readText(text));
}

const zeroWidthNonJoiner = "\u200C";

describe("words of content rules", () => {
  it.each([
    [["casino"], "Our CASINO opens", true],
    [["casino"], "casinos", false],
    [["casino"], "the-casino!", true],
    [["casino*"], "casinos", true],
    [["casino*"], "casino", true],
    [["casino*"], "mycasino", false],
    [["win money"], "You WIN,  money now", true],
    [["win money"], "win more money", false],
    [["win mon*"], "win monday", true],
    [["شرط‌بندی"], "سایت شرط بندی", false],
    [["شرط بندی", "شرط‌بندی"], "سایت شرط بندی", true],
    [["شرط‌بندی"], `سايت شرط${zeroWidthNonJoiner}بندي`, true],
    [["کازینو"], "كازينو", true],
    [["قرعه*"], "قرعه‌کشی", true],
    [["100"], "۱۰۰ تومان", true],
    [["100"], "1000", false],
    [["$$"], "win $$ now", true],
    [["a", "b", "a c"], "a c", true],
    [["a b c"], "a b a b c", true],
    [["a* b"], "a b", true],
    [["ab* d", "abc e"], "abc d", true],
  ])("%j in %j: %j", (words, text, expected) => {
    expect(applies({ words }, text)).toBe(expected);
  });

  it("that can match nothing are told", () => {
    expect(["*", "!!", " ", ""].map(isWordPattern)).toEqual([false, false, false, false]);
    expect(["a*", "۱۱", "$"].map(isWordPattern)).toEqual([true, true, true]);
    expect(applies({ words: ["*", "!"] }, "any text")).toBe(false);
  });
});

describe("links of content rules", () => {
  it("are allowed, forbidden, or allowed to some domains and below", () => {
    const listed = { links: "listed", domains: ["Example.com", "my-site.ir"] } as const;
    expect(applies({ links: "any" }, "evil.com")).toBe(false);
    expect(applies({ links: "none" }, "example.com")).toBe(true);
    expect(applies({ links: "none" }, "hello")).toBe(false);
    expect(applies(listed, "example.com and shop.example.com and my-site.ir/x")).toBe(false);
    expect(applies(listed, "notexample.com")).toBe(true);
    expect(applies(listed, "example.com.evil.ir")).toBe(true);
    expect(applies(listed, "example.com evil.ir")).toBe(true);
    expect(applies({ links: "listed", domains: [] }, "1.1.1.1")).toBe(true);
  });
});

describe("several content rules", () => {
  it("refuse before they ask for a review", () => {
    const review = rule({ name: "first", words: ["loan"], action: "review" });
    const refuse = rule({ name: "second", words: ["casino"] });
    expect(findContentRule([review, refuse], ["loan casino"])?.name).toBe("second");
    expect(findContentRule([review, refuse], ["loan"])?.name).toBe("first");
    expect(findContentRule([review, refuse], ["hello"])).toBeUndefined();
    expect(findContentRule([review, refuse], ["hello", "casino"])?.name).toBe("second");
    expect(findContentRule([], ["casino"])).toBeUndefined();
  });
});

it("the worked example of docs/rules.fa.md is kept for review by the rules above it", () => {
  const page = readFileSync("docs/rules.fa.md", "utf8");
  const [, file = ""] = /```yaml\n(contentRules:[^`]*)```/.exec(page) ?? [];
  const { contentRules } = parse(file) as { contentRules: readonly Partial<ContentRule>[] };
  const [link = ""] = /offers[.a-z/]+/.exec(page) ?? [];
  expect(findContentRule(contentRules.map(rule), [`یلدا مبارک: ${link}`])).toMatchObject({ action: "review" });
});

describe("a text of a mebibyte", () => {
  const half = 1 << 20;
  it.each([
    ["letters without a blank", "a".repeat(half)],
    ["dots", ".".repeat(half)],
    ["labels", "a.".repeat(half / 2)],
    ["labels under top-level domains", "com.".repeat(half / 4)],
    ["numbers", "1.".repeat(half / 2)],
    ["hyphens", "a-".repeat(half / 2)],
    ["scripts in turn", "aس.".repeat(half / 3)],
    ["hosts glued together", "a.comس.".repeat(half / 7)],
    ["schemes", "://".repeat(half / 3)],
    ["paths", "a.com/".repeat(half / 6)],
    ["ports", "a.com:1".repeat(half / 7)],
    ["brackets", "://[".repeat(half / 4)],
    ["words of a phrase", "a b ".repeat(half / 4)],
    ["blanks", " ".repeat(half)],
    ["marks", "\u0301".repeat(half)],
  ])("of %s is judged in seconds", (_, text) => {
    const rules = [
      rule({ words: ["a b a b c", "aaaa* b", ...Array.from({ length: 200 }, (_, place) => `word${String(place)}*`)] }),
      rule({ links: "listed", domains: ["example.com"], action: "review" }),
    ];
    const begun = performance.now();
    findContentRule(rules, [text]);
    // A quadratic search takes minutes.
    expect(performance.now() - begun).toBeLessThan(60_000);
  });
});
