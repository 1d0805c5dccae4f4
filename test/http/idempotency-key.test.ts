import { describe, expect, it } from "vitest";
import { fingerprintOf, readIdempotencyKey } from "../../src/http/idempotency-key.ts";

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

describe("fingerprintOf", () => {
  it("is the same for the same endpoint and fields, else another", () => {
    const one = fingerprintOf("messages/send", ["1", "2", "x", null]);
    expect(one).toHaveLength(32);
    expect(fingerprintOf("messages/send", ["1", "2", "x", null]).equals(one)).toBe(true);
    expect(fingerprintOf("messages/send/template", ["1", "2", "x", null]).equals(one)).toBe(false);
    expect(fingerprintOf("messages/send", ["1", "2", "y", null]).equals(one)).toBe(false);
    expect(fingerprintOf("messages/send", ["12", "", "x", null]).equals(one)).toBe(false);
  });
});
