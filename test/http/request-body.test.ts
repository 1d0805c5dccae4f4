import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { ApiError } from "../../src/errors.ts";
import { BodyReader, looksLikeJsonObject, readJsonObject } from "../../src/http/request-body.ts";

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

describe("BodyReader", () => {
  function request(headers: Record<string, string> = {}): PassThrough & IncomingMessage {
    const stream: unknown = Object.assign(new PassThrough(), { headers });
    return stream as PassThrough & IncomingMessage;
  }

  function read(reader: BodyReader, source: IncomingMessage): Promise<Buffer | Error | undefined> {
    return new Promise((resolve) => reader.read(source, (error, body) => resolve(error ?? body)));
  }

  it("joins what comes in pieces", async () => {
    const source = request();
    const body = read(new BodyReader(10), source);
    for (const piece of ["ab", "cd", "ef"]) source.write(piece);
    source.end();
    expect(String(await body)).toBe("abcdef");
  });

  it("refuses by content-length, and by what really comes", async () => {
    const announced = request({ "content-length": "11" });
    const refused = read(new BodyReader(10), announced);
    announced.end("x".repeat(11));
    expect(await refused).toMatchObject({ errorName: "tooLarge" });

    const silent = request();
    const overlong = read(new BodyReader(10), silent);
    silent.end("x".repeat(11));
    expect(await overlong).toMatchObject({ errorName: "tooLarge" });
  });

  it("takes a body of exactly the limit", async () => {
    const source = request({ "content-length": "10" });
    const body = read(new BodyReader(10), source);
    source.end("x".repeat(10));
    expect(await body).toHaveLength(10);
  });

  it("answers an endless body before its end", async () => {
    const source = request();
    const refused = read(new BodyReader(10), source);
    for (let index = 0; index < 200; index += 1) source.write(Buffer.alloc(1 << 16));
    expect(await refused).toMatchObject({ errorName: "tooLarge" });
    source.destroy();
  });

  it("does not unpack what is packed", async () => {
    const source = request({ "content-encoding": "gzip" });
    const refused = read(new BodyReader(10), source);
    source.end("x");
    expect(await refused).toMatchObject({ errorName: "unsupportedMediaType" });
    const plain = request({ "content-encoding": "identity" });
    const body = read(new BodyReader(10), plain);
    plain.end("x");
    expect(String(await body)).toBe("x");
  });

  it("holds only so much for all callers together, until they have their answers", async () => {
    const reader = new BodyReader(64 << 20);
    const piece = Buffer.alloc(64 << 20);
    const take = async () => {
      const source = request();
      const body = read(reader, source);
      source.end(piece);
      return { source, body: await body };
    };
    const held = [];
    for (let count = 0; count < 4; count += 1) held.push(await take());
    for (const { body } of held) expect(body).toHaveLength(piece.length);
    expect((await take()).body).toMatchObject({ errorName: "unavailable" });
    const [first] = held;
    if (first !== undefined) reader.release(first.source);
    expect((await take()).body).toHaveLength(piece.length);
  });

  it("ends when the caller goes away in the middle", async () => {
    const source = request();
    const refused = read(new BodyReader(10), source);
    source.write("x");
    source.destroy();
    expect(await refused).toBeInstanceOf(ApiError);
  });
});
