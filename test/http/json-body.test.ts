import { describe, expect, it } from "vitest";
import { findingText } from "../../src/texts/errors.ts";
import { looksLikeJsonObject, readJsonBody } from "../../src/http/json-body.ts";

const octets = (text: string) => Buffer.from(text);

/** The fields by their names, or the key of what is wrong. */
function read(body: unknown): unknown {
  const reading = readJsonBody(body);
  return "fields" in reading ? Object.fromEntries(reading.fields) : reading.finding.messageKey;
}

describe("readJsonBody", () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['\ufeff{"a":1}', { a: 1 }],
    [' \r\n\t{"a":"سلام"}  ', { a: "سلام" }],
    ["{}", {}],
  ])("reads %s", (text, value) => expect(read(octets(text))).toEqual(value));

  it.each([
    "",
    "[]",
    '"a"',
    "null",
    "5",
    "a=1",
    '{"a":',
    '{"a":1}x',
    "{'a':1}",
    '\ufeff\ufeff{"a":1}',
    '\uff21{"a":1}',
  ])("refuses %j", (text) => expect(read(octets(text))).toBe("body.notObject"));

  it("refuses what is not UTF-8", () => {
    expect(read(Buffer.concat([octets('{"a":"'), Buffer.from([0xff]), octets('"}')]))).toBe("body.notObject");
    expect(read(Buffer.from('{"a":1}', "utf16le"))).toBe("body.notObject");
  });

  it("says where JSON is wrong", () => {
    const reading = readJsonBody(octets('{"a":1,}'));
    expect("finding" in reading && findingText(reading.finding, "en")).toMatch(/ in UTF-8 \(.* at position 7.*\)\.$/);
  });

  it("refuses no body", () => expect(read(undefined)).toBe("body.notObject"));

  it("lets __proto__ be a field like others", () => {
    for (const batchId of ['"a"', "1"]) {
      const reading = readJsonBody(octets(`{"__proto__":{"admin":true},"batchId":${batchId}}`));
      expect("fields" in reading && [...reading.fields.keys()]).toEqual(["__proto__", "batchid"]);
      expect(({} as Record<string, unknown>)["admin"]).toBeUndefined();
    }
  });

  const nested = (depth: number) => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
  const list = (count: number) => `{"a":[${new Array(count).fill('""').join(",")}]}`;

  it("takes a thousand levels and refuses the next one", () => {
    expect(read(octets(nested(1000)))).toHaveProperty("a");
    expect(read(octets(nested(1001)))).toBe("body.tooMuch");
    expect(read(octets(nested(200_000)))).toBe("body.tooMuch");
    expect(read(octets(`{"a":${"[".repeat(1 << 20)}`))).toBe("body.tooMuch");
  });

  it("takes ten thousand values and refuses more", () => {
    expect(read(octets(list(9_000)))).toHaveProperty("a");
    expect(read(octets(list(10_001)))).toBe("body.tooMuch");
  });

  it("counts nothing inside texts", () => {
    const text = '[[{{,\\"'.repeat(20_000);
    expect(read(octets(JSON.stringify({ a: text, b: "\\" })))).toEqual({ a: text, b: "\\" });
  });
});

it("looksLikeJsonObject looks at the first character only", () => {
  expect(looksLikeJsonObject(octets("  {x"))).toBe(true);
  expect(looksLikeJsonObject(octets("a={"))).toBe(false);
});
