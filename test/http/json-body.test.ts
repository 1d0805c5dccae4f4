import { describe, expect, it } from "vitest";
import { looksLikeJsonObject, readJsonObject } from "../../src/http/json-body.ts";

const octets = (text: string) => Buffer.from(text);

describe("readJsonObject", () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['\ufeff{"a":1}', { a: 1 }],
    [' \r\n\t{"a":"سلام"}  ', { a: "سلام" }],
    ["{}", {}],
  ])("reads %s", (text, value) => expect(readJsonObject(octets(text))).toEqual(value));

  it.each(["", "[]", '"a"', "null", "5", "a=1", '{"a":', '{"a":1}x', "{'a':1}", '\ufeff\ufeff{"a":1}'])(
    "refuses %j",
    (text) => expect(readJsonObject(octets(text))).toBeUndefined(),
  );

  it("refuses what is not UTF-8", () => {
    expect(readJsonObject(Buffer.concat([octets('{"a":"'), Buffer.from([0xff]), octets('"}')]))).toBeUndefined();
    expect(readJsonObject(Buffer.from('{"a":1}', "utf16le"))).toBeUndefined();
  });

  it("refuses no body", () => expect(readJsonObject(undefined)).toBeUndefined());

  it("lets __proto__ be a field like others", () => {
    const value = readJsonObject(octets('{"__proto__":{"admin":true}}'));
    expect(Object.keys(value ?? {})).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["admin"]).toBeUndefined();
  });

  it("stands a mebibyte of brackets", () => {
    expect(readJsonObject(octets(`{"a":${"[".repeat(1 << 20)}`))).toBeUndefined();
  });
});

it("looksLikeJsonObject looks at the first character only", () => {
  expect(looksLikeJsonObject(octets("  {x"))).toBe(true);
  expect(looksLikeJsonObject(octets("a={"))).toBe(false);
});
