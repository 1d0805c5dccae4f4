import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { ApiError } from "../../src/errors.ts";
import { BodyReader } from "../../src/http/request-body.ts";

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
