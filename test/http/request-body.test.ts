import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { octetsToCount, readBody } from "../../src/http/request-input.ts";

/** What is read of a body that comes in pieces; at most 10 octets. */
function read(pieces: readonly string[], headers: Record<string, string> = {}, maximum = 10): Promise<unknown> {
  const stream = Object.assign(new PassThrough(), { headers });
  return new Promise((resolve) => {
    readBody(stream as unknown as IncomingMessage, maximum, (error, body) => resolve(error ?? String(body)));
    for (const piece of pieces) stream.write(piece);
    stream.end();
  });
}

it.each([
  ["in pieces", ["ab", "cd", "ef"], {}],
  ["of exactly the limit", ["0123456789"], { "content-length": "10" }],
  ["without octets", [], {}],
  ["that is not packed", ["x"], { "content-encoding": "identity" }],
])("joins a body %s", async (_, pieces, headers) => expect(await read(pieces, headers)).toBe(pieces.join("")));

it("keeps a body of many tiny pieces whole", async () => {
  const pieces = Array.from({ length: 30_000 }, (_, index) => String.fromCharCode(97 + (index % 26)));
  expect(await read(pieces, {}, 1 << 20)).toBe(pieces.join(""));
});

it.each([
  ["by its announced length", ["x"], { "content-length": "11" }, "tooLarge"],
  ["by what comes", ["x".repeat(6), "x".repeat(5)], {}, "tooLarge"],
  ["that is packed", ["x"], { "content-encoding": "gzip" }, "unsupportedMediaType"],
])("refuses a body %s", async (_, pieces, headers, errorName) =>
  expect(await read(pieces, headers)).toMatchObject({ errorName }),
);

it("refuses a body that breaks off", async () => {
  const stream = Object.assign(new PassThrough(), { headers: {} });
  const outcome = new Promise((resolve) => readBody(stream as unknown as IncomingMessage, 10, resolve));
  stream.destroy();
  expect(await outcome).toMatchObject({ errorName: "malformedRequest" });
});

it("neither reads nor counts a body whose caller left while he was looked up", async () => {
  const stream = Object.assign(new PassThrough(), { headers: { "content-length": "20000" } });
  stream.destroy();
  await once(stream, "close");
  const request = stream as unknown as IncomingMessage;
  expect(octetsToCount(request, 1 << 20)).toBe(0);
  const outcome = new Promise((resolve) => readBody(request, 1 << 20, resolve));
  expect(await outcome).toMatchObject({ errorName: "malformedRequest" });
});

it.each([
  [{ "content-length": "16384" }, 0],
  [{ "content-length": "16385" }, 16_385],
  [{ "content-length": "9999999" }, 1 << 20],
  [{ "transfer-encoding": "chunked" }, 1 << 20],
  [{}, 0],
])("counts what %j announces as %i octets", (headers, octets) => {
  expect(octetsToCount({ headers, destroyed: false }, 1 << 20)).toBe(octets);
});
