import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundaryOf, readMultipart, undecodableMark } from "../../src/http/query-string.ts";

async function encode(pairs: readonly (readonly [string, string])[]): Promise<{ body: Buffer; boundary: string }> {
  const form = new FormData();
  for (const [name, value] of pairs) form.append(name, value);
  const response = new Response(form);
  const boundary = boundaryOf(response.headers.get("content-type") ?? "") ?? "";
  return { body: Buffer.from(await response.arrayBuffer()), boundary };
}

function read(body: Buffer, boundary: string) {
  return readMultipart(body, boundary, Infinity)?.pairs.map((pair) => ({ name: pair.name, value: pair.read() }));
}

const part = (head: string, value: string | Buffer) =>
  Buffer.concat([Buffer.from(`--b\r\n${head}\r\n\r\n`), Buffer.from(value), Buffer.from("\r\n")]);
const closed = (...parts: Buffer[]) => Buffer.concat([...parts, Buffer.from("--b--\r\n")]);

describe("boundaryOf", () => {
  it.each([
    ["multipart/form-data; boundary=abc", "abc"],
    ['multipart/form-data; boundary="a b;c"', "a b;c"],
    ["Multipart/Form-Data;charset=utf-8;Boundary=----x", "----x"],
    ["multipart/form-data", undefined],
    ["multipart/form-data; boundary=", undefined],
  ])("%s → %s", (label, boundary) => expect(boundaryOf(label)).toBe(boundary));
});

describe("readMultipart", () => {
  it("reads the fields of a browser's form in order", async () => {
    const pairs = [
      ["senderNumber", "10001234"],
      ["recipientNumber[]", "09121234567"],
      ["content", "سلام\r\nدنیا 😀"],
      ["content", ""],
    ] as const;
    const { body, boundary } = await encode(pairs);
    expect(read(body, boundary)?.map(({ name, value }) => [name, value])).toEqual(pairs);
  });

  it.each([
    ["a name without quotes", part("Content-Disposition: form-data; name=a", "1")],
    ["a header in lower case", part('content-disposition: form-data; name="a"', "1")],
    [
      "a file part",
      part('Content-Disposition: form-data; name="a"; filename="x.txt"\r\nContent-Type: text/plain', "1"),
    ],
  ])("takes %s", (_, field) => {
    expect(read(closed(field), "b")).toEqual([{ name: "a", value: "1" }]);
  });

  it("takes a preamble and an epilogue", () => {
    const body = Buffer.concat([Buffer.from("hello\r\n"), closed(part("Content-Disposition: form-data; name=a", "1"))]);
    expect(read(Buffer.concat([body, Buffer.from("bye")]), "b")).toEqual([{ name: "a", value: "1" }]);
  });

  it("marks a value that is not UTF-8", () => {
    const field = part("Content-Disposition: form-data; name=a", Buffer.from([0xff, 0xfe]));
    expect(read(closed(field), "b")?.[0]?.value.startsWith(undecodableMark)).toBe(true);
  });

  it.each([
    ["nothing", Buffer.alloc(0)],
    ["a body without the boundary", Buffer.from("a=1")],
    ["a form that is not closed", part("Content-Disposition: form-data; name=a", "1")],
    ["a part without a name", closed(part("Content-Type: text/plain", "1"))],
    ["a part without an empty line", Buffer.from("--b\r\nContent-Disposition: form-data; name=a\r\n--b--")],
  ])("refuses %s", (_, body) => expect(read(body, "b")).toBeUndefined());

  it("stops behind the last part that is wanted", () => {
    const field = part("Content-Disposition: form-data; name=a", "1");
    expect(readMultipart(Buffer.concat([field, field, field]), "b", 2)).toMatchObject({ hasMore: true });
    expect(readMultipart(closed(field, field), "b", 2)).toMatchObject({ hasMore: false });
  });

  it("refuses a part whose head does not end", () => {
    const field = part(`Content-Disposition: form-data; name=a\r\nX: ${"x".repeat(10_000)}`, "1");
    expect(read(closed(field), "b")).toBeUndefined();
  });

  it("never throws on any octets", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (octets) => {
        const body = Buffer.concat([Buffer.from("--b"), octets, Buffer.from("--b--")]);
        expect(() => read(body, "b")).not.toThrow();
      }),
    );
  });
});
