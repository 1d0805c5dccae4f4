import type { IncomingMessage } from "node:http";
import { expect, it } from "vitest";
import { softenContentType } from "../../src/http/content-type.ts";

it.each([
  ["application/json", "application/json"],
  ["multipart/form-data; boundary=x", "multipart/form-data; boundary=x"],
  ["Application/JSON ;charset=utf-8", "Application/JSON ;charset=utf-8"],
  ["json", "text/plain"],
  ["", "text/plain"],
  ["a/b/c", "text/plain"],
  [undefined, undefined],
  [`text/plain; x=${"x".repeat(400)}`, "text/plain"],
])("%s becomes %s", (label, softened) => {
  const headers: Record<string, string> = label === undefined ? {} : { "content-type": label };
  softenContentType({ headers } as unknown as IncomingMessage);
  expect(headers["content-type"]).toBe(softened);
});
