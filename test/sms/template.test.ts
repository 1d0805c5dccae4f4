import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFault } from "../../src/sms/fault.ts";
import { renderTemplate, type TemplateParameter } from "../../src/sms/template.ts";

function render(content: string, parameters: Readonly<Record<string, string | null>> | TemplateParameter[]): unknown {
  const list = Array.isArray(parameters)
    ? parameters
    : Object.entries(parameters).map(([name, value]) => ({ name, value }));
  const rendered = renderTemplate({ content }, list, 10);
  return isFault(rendered) ? [rendered.code, rendered.messageKey, rendered.field, rendered.values] : rendered.content;
}

describe("renderTemplate", () => {
  it.each([
    ["a parameter", "کد ورود شما: {code}", { code: "123" }, "کد ورود شما: 123"],
    ["a parameter twice", "{a}-{a}", { a: "1" }, "1-1"],
    ["names of letters, digits, _ and - of any script", "{نام} {a_1-B}", { نام: "x", "a_1-B": "y" }, "x y"],
    ["an empty value", "[{a}]", { a: "" }, "[]"],
    ["no placeholder", "plain", {}, "plain"],
    ["surplus parameters, however long", "plain", { other: "x".repeat(500) }, "plain"],
    ["a value that looks like a placeholder", "{a}{b}", { a: "{b}", b: "2" }, "{b}2"],
    ["a value with replacement patterns", "{a}", { a: "$& $1 $$" }, "$& $1 $$"],
    ["braces around anything else", "{} {a b} {{a}} {a", { a: "1" }, "{} {a b} {1} {a"],
    ["a name of the prototype", "{toString}", { toString: "1" }, "1"],
  ])("fills %s", (_, content, parameters, text) => {
    expect(render(content, parameters)).toBe(text);
  });

  it("takes the last of a repeated name", () => {
    const twice = [
      { name: "a", value: "1" },
      { name: "a", value: "2" },
    ];
    expect(render("{a}", twice)).toBe("2");
  });

  it("makes no text that is longer than its parts can hold", () => {
    const value = "x".repeat(100);
    const tooLong = [1001, "content.tooLong", "parameters", { maximum: 10 }];
    expect(render("{a}".repeat(16), { a: value })).toBe(value.repeat(16));
    expect(render(`${"{a}".repeat(16)}.`, { a: value })).toEqual(tooLong);
    expect(render("{a}".repeat(1_000_000), { a: value })).toEqual(tooLong);
  });

  it("refuses a value that is no text, where a placeholder needs it", () => {
    const unfit = [{ name: "a", value: undefined }];
    expect(render("{a}", unfit)).toEqual([1001, "parameters.valueNotText", "parameters", { name: "a" }]);
    expect(render("plain", unfit)).toBe("plain");
  });

  it("puts any values in and changes nothing else", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 50 }), fc.string({ maxLength: 50 }), (first, second) => {
        expect(render("<{a}|{b}>", { a: first, b: second })).toBe(`<${first}|${second}>`);
      }),
    );
  });
});
