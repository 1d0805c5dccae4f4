import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { dropLongRange, softenContentType, targetForRouting } from "../../src/http/request-input.ts";

it.each([
  ["multipart/form-data; boundary=x", "multipart/form-data; boundary=x"],
  ["Application/JSON ;charset=utf-8", "Application/JSON ;charset=utf-8"],
  ["json", "text/plain"],
  ["", "text/plain"],
  ["a/b/c", "text/plain"],
  [`text/plain; x=${"x".repeat(400)}`, "text/plain"],
])("the Content-Type %s becomes %s", (label, softened) => {
  const headers = { "content-type": label };
  softenContentType({ headers } as unknown as IncomingMessage);
  expect(headers["content-type"]).toBe(softened);
});

it("passes over a Range that is too long", () => {
  const left = [40, 1000].map((count) => {
    const headers = { range: `bytes=${"0-0,".repeat(count)}` };
    dropLongRange({ headers });
    return "range" in headers;
  });
  expect(left).toEqual([true, false]);
});

describe("targetForRouting", () => {
  it.each([`/a?${"x".repeat(100_000)}`, `/${"a".repeat(8_000)}`])(
    "leaves a target with a path of usual length",
    (target) => expect(targetForRouting({ url: target })).toBe(target),
  );

  it.each([`/${"%25".repeat(10_000)}`, `/${"a/".repeat(5_000)}?a=1`])("knows no path that is too long", (target) =>
    expect(targetForRouting({ url: target })).toBe("/-"),
  );
});
