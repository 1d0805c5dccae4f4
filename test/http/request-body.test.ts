import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { ApiError } from "../../src/texts/errors.ts";
import { SharedBudget } from "../../src/http/limits/shared-budget.ts";
import { BodyReader, octetsWorthCounting } from "../../src/http/request-body.ts";

describe("BodyReader", () => {
  function request(headers: Record<string, string> = {}): PassThrough & IncomingMessage {
    const stream: unknown = Object.assign(new PassThrough(), { headers });
    return stream as PassThrough & IncomingMessage;
  }

  function read(
    reader: BodyReader,
    source: IncomingMessage,
    budget = new SharedBudget(1 << 30),
  ): Promise<Buffer | Error | undefined> {
    return new Promise((resolve) =>
      reader.read(source, {
        claim: (lose) => budget.claim({ key: "a", isBounded: true }, lose),
        done: (error, body) => resolve(error ?? body),
      }),
    );
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

  it("answers an endless body before its end, and an announced one before its first octet", async () => {
    const source = request();
    const refused = read(new BodyReader(10), source);
    source.write("x".repeat(11));
    expect(await refused).toMatchObject({ errorName: "tooLarge" });
    source.destroy();
    const announced = request({ "content-length": "11" });
    expect(await read(new BodyReader(10), announced)).toMatchObject({ errorName: "tooLarge" });
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

  it("counts what is large, until it is given back, and refuses the oldest that is not whole when there is no room", async () => {
    const budget = new SharedBudget(8 * octetsWorthCounting);
    const reader = new BodyReader(1 << 20);
    const begin = (octets: number) => {
      const source = request();
      const body = read(reader, source, budget);
      source.write(Buffer.alloc(octets));
      return { source, body };
    };
    const small = begin(octetsWorthCounting);
    expect(budget.held).toBe(0);
    const oldest = begin(2 * octetsWorthCounting);
    begin(2 * octetsWorthCounting);
    expect(budget.held).toBe(4 * octetsWorthCounting);
    begin(2 * octetsWorthCounting);
    expect(await oldest.body).toMatchObject({ errorName: "unavailable" });
    expect(budget.held).toBe(4 * octetsWorthCounting);
    small.source.end();
    expect(await small.body).toHaveLength(octetsWorthCounting);
  });

  it("keeps a body of many tiny pieces whole", async () => {
    const source = request();
    const body = read(new BodyReader(1 << 20), source);
    const text = Array.from({ length: 30_000 }, (_, index) => String.fromCharCode(97 + (index % 26))).join("");
    for (let index = 0; index < text.length; index += 7) source.write(text.slice(index, index + 7));
    source.end();
    expect(String(await body)).toBe(text);
  });

  it("ends when the caller goes away in the middle", async () => {
    const source = request();
    const refused = read(new BodyReader(10), source);
    source.write("x");
    source.destroy();
    expect(await refused).toBeInstanceOf(ApiError);
  });
});
