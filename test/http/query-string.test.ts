import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeUtf8, rawQueryOf, readPairs, undecodableMark } from "../../src/http/query-string.ts";
import { unicodeText } from "../support/unicode-text.ts";

const all = Infinity;

const read = (raw: string) => readPairs(raw, all).pairs.map((pair) => ({ name: pair.name, value: pair.read() }));

const bad = (value: string | undefined) => value?.startsWith(undecodableMark) === true;

describe("rawQueryOf", () => {
  it.each([
    ["/a", ""],
    ["/a?", ""],
    ["/a?b=c", "b=c"],
    ["/a?b=c?d", "b=c?d"],
    ["/a?b=c#d", "b=c"],
  ])("%s → %s", (target, query) => expect(rawQueryOf(target)).toBe(query));
});

describe("readPairs", () => {
  it.each([
    ["", []],
    ["a=1", [["a", "1"]]],
    [
      "a=1&a=2",
      [
        ["a", "1"],
        ["a", "2"],
      ],
    ],
    ["a", [["a", ""]]],
    ["a=", [["a", ""]]],
    ["=1", [["", "1"]]],
    ["&&a=1&&", [["a", "1"]]],
    ["a=b=c", [["a", "b=c"]]],
    ["a=1+2", [["a", "1 2"]]],
    ["a=1%2B2", [["a", "1+2"]]],
    ["a%5B%5D=1", [["a[]", "1"]]],
    ["a[0]=1", [["a[0]", "1"]]],
    ["content=%D8%B3%D9%84%D8%A7%D9%85", [["content", "سلام"]]],
    ["content=%F0%9F%98%80", [["content", "😀"]]],
    ["a=;b", [["a", ";b"]]],
    ["__proto__=1", [["__proto__", "1"]]],
  ])("%s", (raw, pairs) => {
    expect(read(raw).map(({ name, value }) => [name, value])).toEqual(pairs);
  });

  it("takes UTF-8 octets that were not percent-encoded at their word", () => {
    const raw = Buffer.from("content=سلام دنیا&x=%D8%B3س").toString("latin1");
    expect(read(raw)).toEqual([
      { name: "content", value: "سلام دنیا" },
      { name: "x", value: "سس" },
    ]);
  });

  it.each(["%", "%4", "%zz", "50%25%", "%E0%A4%A", "%FF", "%C3", "%ED%A0%80", "%C0%80", "%F8%88%80%80%80"])(
    "marks %s, which is no percent-encoded UTF-8",
    (value) => expect(bad(read(`a=${value}`)[0]?.value)).toBe(true),
  );

  it("marks octets beyond ASCII that are no UTF-8", () => {
    expect(bad(read("a=\xff")[0]?.value)).toBe(true);
    expect(bad(read("a=%D8\xb3")[0]?.value)).toBe(false); // half escaped, half not: still one letter
  });

  it("reads back what URLSearchParams writes", () => {
    const text = unicodeText().filter((value) => !/\p{Surrogate}/u.test(value));
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { maxLength: 8 }), (pairs) => {
        const written = new URLSearchParams(pairs).toString();
        expect(read(written).map(({ name, value }) => [name, value])).toEqual(pairs);
      }),
    );
  });

  it("never throws and never yields more pairs than separators allow", () => {
    fc.assert(
      fc.property(unicodeText(), (text) => {
        const raw = Buffer.from(text, "latin1").toString("latin1");
        expect(read(raw).length).toBeLessThanOrEqual(raw.split("&").length);
      }),
    );
  });

  it("stops behind the last pair that is wanted, and says whether others follow", () => {
    const names = (raw: string) => readPairs(raw, 2).pairs.map(({ name }) => name);
    expect(names("a&b&c")).toEqual(["a", "b"]);
    expect(readPairs("a&b&c", 2).hasMore).toBe(true);
    expect(readPairs("a&b&&", 2).hasMore).toBe(false);
    expect(readPairs("&", 0).hasMore).toBe(false);
  });
});

it("decodeUtf8 keeps a byte order mark and refuses what is not UTF-8", () => {
  expect(decodeUtf8(Buffer.from("\ufeffa"))).toBe("\ufeffa");
  expect(decodeUtf8(Buffer.from([0xc3, 0x28]))).toBeUndefined();
});
