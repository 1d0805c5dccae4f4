import { describe, expect, it } from "vitest";
import {
  choice,
  nameText,
  numberBetween,
  ObjectReader,
  operatorName,
  orNone,
  rials,
  ValueFault,
  wholeNumber,
  yesOrNo,
  type ValueReader,
} from "../../src/setup/read-values.ts";
import type { SetupFault } from "../../src/setup/fault.ts";

describe("readers of single values", () => {
  it.each<[string, ValueReader<unknown>, unknown, unknown]>([
    ["a name", nameText, "نام ۱", "نام ۱"],
    ["a name of digits", nameText, 12, "12"],
    ["a Persian name with a half-space", nameText, "شرط\u200cبندی", "شرط\u200cبندی"],
    ["yes or no", yesOrNo, false, false],
    ["a choice", choice(["a", "b"]), "b", "b"],
    ["a whole number", wholeNumber(1, 5), 5, 5],
    ["a whole number as text", wholeNumber(1, 5), "05", 5],
    ["a number", numberBetween(0, 1), 0.5, 0.5],
    ["rials", rials, 1390, 1390n],
    ["rials as text", rials, "0010", 10n],
    ["none", orNone(nameText), null, null],
    ["an empty text as none", orNone(nameText), "", null],
    ["some", orNone(nameText), "x", "x"],
  ])("take %s", (_, read, value, expected) => {
    expect(read(value)).toEqual(expected);
  });

  it.each<[string, ValueReader<unknown>, unknown]>([
    ["a name with blanks around", nameText, " x"],
    ["a name over two lines", nameText, "a\nb"],
    ["an endless name", nameText, "x".repeat(101)],
    ["a list for a name", nameText, ["x"]],
    ["* for an operator", operatorName, "*"],
    ["a word for yes or no", yesOrNo, "yes"],
    ["another word", choice(["a", "b"]), "c"],
    ["a fraction", wholeNumber(1, 5), 1.5],
    ["too much", wholeNumber(1, 5), 6],
    ["an exponent", wholeNumber(1, 5), "1e0"],
    ["not a number", numberBetween(0, 1), "x"],
    ["a part of a rial", rials, 1.5],
    ["a negative amount", rials, -1],
    ["more than there is", rials, "1000000000000001"],
  ])("refuse %s", (_, read, value) => {
    expect(read(value)).toBeInstanceOf(ValueFault);
  });
});

describe("the reader of an object", () => {
  it("notes what is wrong at its place, and goes on", () => {
    const faults: SetupFault[] = [];
    const reader = new ObjectReader({ a: 1, list: ["x", 5, []], objects: [{ b: 1 }, 7], nam: 1 }, ["top"], faults);
    reader.expectKeys(["a", "list", "objects", "name"]);
    expect(reader.required("name", nameText)).toBeUndefined();
    expect(reader.optional("absent", nameText)).toBeUndefined();
    expect(reader.optional("a", yesOrNo)).toBeUndefined();
    expect(reader.list("list", nameText)).toEqual(["x", "5"]);
    expect(reader.list("a", nameText)).toBeUndefined();
    expect(reader.objects("objects", (object) => object.optional("b", nameText))).toEqual(["1"]);
    expect(faults.map(({ path }) => path.join("."))).toEqual([
      ...["top.nam", "top.name", "top.a", "top.list.2", "top.a", "top.objects.1"],
    ]);
    expect(faults[0]?.hint).toBe("did you mean name?");
  });
});
