import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonNumber, readExactly } from "../../src/http/exact-json.ts";
import { unicodeText } from "../support/unicode-text.ts";

/** White space that JSON allows between its parts. */
const space = fc.constantFrom("", " ", "\n", "\t\r\n ");

const numberSource = fc
  .tuple(
    fc.constantFrom("", "-"),
    fc.stringMatching(/^(?:0|[1-9][0-9]{0,30})$/),
    fc.constantFrom("", ".0", ".00", ".250", ".1234567890123456789"),
    fc.constantFrom("", "e0", "E+5", "e-7", "e400"),
  )
  .map((pieces) => pieces.join(""));

/**
 * Texts of JSON as clients write it: white space anywhere, escapes where none is needed, equal
 * names.
 */
const { json } = fc.letrec<{ json: string; list: string; object: string }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small" },
    numberSource,
    fc.constantFrom("true", "false", "null", '""', '"\\u0041\\"\\\\"', '"a\\\\"', '"[1,2]"', '"\\ud800"'),
    unicodeText().map((text) => JSON.stringify(text)),
    tie("list"),
    tie("object"),
  ),
  list: fc
    .tuple(space, fc.array(fc.tuple(space, tie("json"), space).map((pieces) => pieces.join(""))))
    .map(([lead, items]) => (items.length === 0 ? `[${lead}]` : `[${items.join(",")}]`)),
  object: fc
    .tuple(
      space,
      fc.array(
        fc
          .tuple(
            space,
            fc.constantFrom('"a"', '"b"', '"__proto__"', '"7"', '"\\u0061"', '""'),
            space,
            tie("json"),
            space,
          )
          .map(([before, name, between, value, after]) => `${before}${name}${between}:${between}${value}${after}`),
      ),
    )
    .map(([lead, members]) => (members.length === 0 ? `{${lead}}` : `{${members.join(",")}}`)),
}));

function numbersOf(value: unknown): string[] {
  if (value instanceof JsonNumber) return [value.source];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(numbersOf) : [];
}

describe("readExactly", () => {
  it("reads what JSON.parse reads", () => {
    fc.assert(
      fc.property(space, json, space, (before, text, after) => {
        const whole = before + text + after;
        expect(JSON.stringify(readExactly(whole))).toBe(JSON.stringify(JSON.parse(whole)));
      }),
      { numRuns: 2_000 },
    );
  });

  it("keeps the text of every number, in order", () => {
    fc.assert(
      fc.property(fc.array(numberSource), (sources) => {
        expect(numbersOf(readExactly(`[${sources.join(" ,")}]`))).toEqual(sources);
      }),
    );
  });

  it("takes __proto__ for a name like others", () => {
    const object = readExactly('{"__proto__":{"a":1}}');
    expect(Object.keys(object as object)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["a"]).toBeUndefined();
  });
});
