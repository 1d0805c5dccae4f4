import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPairs } from "../../src/http/query-string.ts";
import {
  foldNames,
  GivenParameters,
  isAbsent,
  readContents,
  readInteger,
  readNumbers,
  scalarText,
  type JsonObject,
} from "../../src/http/read-parameters.ts";

function given({ query = "", json }: { query?: string; json?: JsonObject }): GivenParameters {
  const parameters = new GivenParameters();
  parameters.addPairs(readPairs(query, parameters.room), "query");
  if (json !== undefined) parameters.addJson(foldNames(json));
  return parameters;
}

const numbers = (parameters: GivenParameters, name = "a") => readNumbers(parameters.list(name)).map(({ text }) => text);
const contents = (parameters: GivenParameters, name = "a") => readContents(parameters.list(name));

describe("names", () => {
  it("match whatever their case; of equal ones the last counts", () => {
    const fields = foldNames(JSON.parse('{"SenderNumber":"1","SENDERNUMBER":"2","senderNumber":"3"}') as JsonObject);
    expect([...fields]).toEqual([["sendernumber", "3"]]);
    expect(numbers(given({ query: "A=1&a=2" }))).toEqual(["1", "2"]);
  });

  it("like __proto__ and constructor are names like others", () => {
    const fields = foldNames(JSON.parse('{"__proto__":{"a":1},"constructor":2}') as JsonObject);
    expect(fields.get("__proto__")).toEqual({ a: 1 });
    expect(fields.get("a")).toBeUndefined();
    expect(numbers(given({ query: "__proto__=1&__proto__[]=2" }), "__proto__")).toEqual(["1", "2"]);
    expect(({} as Record<string, unknown>)["a"]).toBeUndefined();
  });
});

describe("values", () => {
  it.each([
    [null, true],
    ["", true],
    [undefined, true],
    [0, false],
    [false, false],
    [" ", false],
  ])("%j is absent: %s", (value, absent) => expect(isAbsent(value)).toBe(absent));

  it.each([
    ["x", "x"],
    [12, "12"],
    [1.5, undefined],
    [2 ** 53 - 1, "9007199254740991"],
    [2 ** 53, undefined],
    [true, "true"],
    [null, undefined],
    [[1], undefined],
    [{}, undefined],
  ])("the text of %j is %s", (value, text) => expect(scalarText(value)).toBe(text));

  it.each([
    [5, 5],
    ["5", 5],
    ["۱۲۳", 123],
    ["١٢٣", 123],
    [1e15, 1e15],
    [1.5, undefined],
    ["1.5", undefined],
    ["-1", undefined],
    ["+1", undefined],
    [" 1", undefined],
    ["1e3", undefined],
    ["0x10", undefined],
    ["", undefined],
    ["9999999999999999", undefined],
    [true, undefined],
    [Number.NaN, undefined],
    [[1], undefined],
  ])("%j is read as the whole number %s", (value, number) => expect(readInteger(value)).toBe(number));
});

describe("repeated values", () => {
  it.each([
    ["a=1&a=2", ["1", "2"]],
    ["a[]=1&a[]=2", ["1", "2"]],
    ["a%5B%5D=1&a%5B%5D=2", ["1", "2"]],
    ["a[0]=1&a[1]=2", ["1", "2"]],
    ["a[1]=2&a[0]=1", ["1", "2"]],
    ["a[10]=3&a[9]=2&a[0]=1", ["1", "2", "3"]],
    ["a[5]=1&a[7]=2", ["1", "2"]],
    ["a[0]=1&a[0]=2", ["1", "2"]],
    ["a=1,2", ["1", "2"]],
    ["a=1%2C2", ["1", "2"]],
    ["a=1,2&a=3", ["1", "2", "3"]],
    ["a=1,2,", ["1", "2"]],
    ["a=1,,2", ["1", "", "2"]],
    ["a=", [""]],
    ["b=1", []],
    ["a[x]=1", []],
    ["a[0]=1&a=2", ["1", "2"]],
  ])("numbers of %s", (query, expected) => expect(numbers(given({ query }))).toEqual(expected));

  it.each([
    ["a=1,2", ["1,2"]],
    ["a=x&a=y", ["x", "y"]],
    ["a[1]=y&a[0]=x", ["x", "y"]],
    ["a=", [""]],
  ])("texts of %s", (query, expected) => expect(contents(given({ query }))).toEqual(expected));

  it.each([
    [{ a: ["1", "2"] }, ["1", "2"]],
    [{ A: "1" }, ["1"]],
    [{ a: 9121234567 }, ["9121234567"]],
    [{ a: [1, true, null, ""] }, ["1", "true", "", ""]],
    [{ a: "1,2" }, ["1", "2"]],
    [{ a: ["1,2"] }, ["1,2"]],
    [{ a: [] }, []],
    [{ a: null }, []],
    [{ a: [{ b: 1 }] }, ['{"b":1}']],
  ])("numbers of %j", (json, expected) => expect(numbers(given({ json }))).toEqual(expected));

  it.each([
    [{ a: ["x", "y"] }, ["x", "y"]],
    [{ a: "x" }, ["x"]],
    [{ a: ["x", 5, null, ["y"], {}] }, ["x", undefined, undefined, undefined, undefined]],
    [{ a: 5 }, [undefined]],
  ])("texts of %j: only JSON strings are texts", (json, expected) =>
    expect(contents(given({ json }))).toEqual(expected),
  );

  it("come together from query and body, the query's first", () => {
    expect(numbers(given({ query: "a=1", json: { a: ["2", "3"] } }))).toEqual(["1", "2", "3"]);
  });

  it("know where they came from", () => {
    const list = readNumbers(given({ query: "a=1", json: { a: "2" } }).list("a"));
    expect(list.map(({ source }) => source)).toEqual(["query", "json"]);
  });

  it("of one list read the same in every form", () => {
    const item = fc
      .string({ unit: "grapheme", minLength: 1 })
      .filter((text) => !text.includes(",") && !/\p{Surrogate}/u.test(text));
    const list = fc.array(item, { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(list, (items) => {
        const encode = (name: (index: number) => string) =>
          items.map((value, index) => `${name(index)}=${encodeURIComponent(value)}`).join("&");
        const forms = [
          { query: encode(() => "a") },
          { query: encode(() => "a[]") },
          { query: encode((index) => `a[${index}]`) },
          { query: `a=${items.map(encodeURIComponent).join(",")}` },
          { json: { a: items } },
        ];
        for (const form of forms) {
          // A trailing blank piece of a comma list is dropped on purpose.
          if ("query" in form && form === forms[3] && items.at(-1)?.trim() === "") continue;
          expect(numbers(given(form))).toEqual(items);
        }
      }),
    );
  });
});

describe("single parameters", () => {
  it.each([
    ["a=1", "1"],
    ["A=1", "1"],
    ["a=1&a=2", "2"],
    ["a=1&a=", "1"],
    ["a=", undefined],
    ["a[]=1", "1"],
    ["b=1", undefined],
  ])("%s", (query, text) => expect(given({ query }).text("a")).toBe(text));

  it("are read from JSON, numbers as text", () => {
    expect(given({ json: { a: 5 } }).text("a")).toBe("5");
    expect(given({ json: { a: ["x"] } }).text("a")).toBe("x");
    expect(given({ json: { a: {} } }).text("a")).toBeUndefined();
  });
});
