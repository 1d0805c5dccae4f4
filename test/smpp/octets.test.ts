import { expect, it } from "vitest";
import { OctetReader, OctetWriter } from "../../src/smpp/octets.ts";

it("reads to the end and says so, without leaving its bounds", () => {
  const octets = Buffer.from([0xff, 1, 2, 3, 0x41, 0x42, 0, 9, 0xff]);
  const reader = new OctetReader(octets, 1, 8);
  expect(reader.integer1()).toBe(1);
  expect(reader.integer2()).toBe(0x0203);
  expect(reader.take(4)).toEqual(Buffer.from("AB\0\t"));
  expect([reader.remaining, reader.integer1(), reader.integer2()]).toEqual([0, -1, -1]);
  expect(reader.take(1)).toBeUndefined();
  expect(reader.cOctetString(5)).toBeUndefined();
});

it("wants the NUL of a C-Octet string within its size", () => {
  const octets = Buffer.from("AB\0");
  expect(new OctetReader(octets, 0, 3).cOctetString(2)).toBeUndefined();
  expect(new OctetReader(octets, 0, 3).cOctetString(3)).toBe("AB");
  expect(new OctetReader(octets, 0, 2).cOctetString(3)).toBeUndefined();
});

it("grows, and starts anew after a copy was taken", () => {
  const writer = new OctetWriter(1);
  writer.octets(Buffer.alloc(5000, 7));
  writer.integer2(0x0102, "n");
  writer.cOctetString("é", 3, "t");
  expect(writer.takeCopy().subarray(5000)).toEqual(Buffer.from([1, 2, 0xe9, 0]));
  expect(writer.length).toBe(0);
  expect(writer.takeCopy()).toHaveLength(0);
});

it("refuses what a C-Octet string cannot hold, a NUL inside above all", () => {
  for (const text of ["a\0b", "آ"]) {
    expect(() => new OctetWriter().cOctetString(text, 10, "t")).toThrow(RangeError);
  }
  expect(() => new OctetWriter().cOctetString("abc", 3, "t")).toThrow(RangeError);
});
