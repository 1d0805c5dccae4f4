import { expect, it } from "vitest";
import { toJson } from "../../src/cli/output.ts";

it("escapes in JSON what moves the cursor or the direction of a terminal, and changes no value", () => {
  const value = {
    text: "\u009b2J\u0085\u007f\u202eabc\u2066\u200f\u061c\u2028\u001b[0m",
    "\u202ekey": [1n, 2n ** 60n],
  };
  const json = toJson(value);
  expect(json).not.toMatch(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|[\u0000-\u001f]/);
  expect(json).toContain("\\u009b2J\\u0085");
  expect(JSON.parse(json)).toEqual({ ...value, "\u202ekey": [1, String(2n ** 60n)] });
});

it("leaves Persian text as it is, with its zero-width non-joiners", () => {
  expect(toJson("می\u200cشود")).toBe('"می\u200cشود"');
});
