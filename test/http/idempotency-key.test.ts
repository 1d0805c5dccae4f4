import { describe, expect, it } from "vitest";
import { readIdempotencyKey } from "../../src/http/messages/accept-send.ts";

describe("readIdempotencyKey", () => {
  it.each([
    [undefined, undefined, {}],
    ["abc", undefined, { key: "abc" }],
    ['"abc"', undefined, { key: "abc" }],
    [' "abc" ', undefined, { key: "abc" }],
    ['"a\\"b\\\\c"', undefined, { key: 'a"b\\c' }],
    ['"abc', undefined, { key: '"abc' }],
    [undefined, "abc", { key: "abc" }],
    [undefined, '"abc"', { key: "abc" }],
    ["abc", '"abc"', { key: "abc" }],
    ["a".repeat(255), undefined, { key: "a".repeat(255) }],
    [`"${"a".repeat(255)}"`, undefined, { key: "a".repeat(255) }],
  ])("header %s, parameter %s", (header, parameter, expected) => {
    expect(readIdempotencyKey(header, parameter)).toEqual(expected);
  });

  it.each([
    ["empty", "", undefined, "Idempotency-Key"],
    ["empty in quotes", '""', undefined, "Idempotency-Key"],
    ["only spaces", "  ", undefined, "Idempotency-Key"],
    ["256 characters", "a".repeat(256), undefined, "Idempotency-Key"],
    ["2 MiB in quotes", `"${"\\\\".repeat(1 << 20)}"`, undefined, "Idempotency-Key"],
    ["not ASCII", "کلید", undefined, "Idempotency-Key"],
    ["a control character", "a\tb", undefined, "Idempotency-Key"],
    ["a bad parameter", undefined, "a\u0000b", "idempotencyKey"],
    ["two different keys", "a", "b", "idempotencyKey"],
  ])("refuses %s", (_, header, parameter, field) => {
    expect(readIdempotencyKey(header, parameter)).toMatchObject({ finding: { field } });
  });
});
