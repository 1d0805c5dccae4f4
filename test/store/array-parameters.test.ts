// The server is the judge of the binary form: what it reads out of a Buffer is compared with the
// values, and with what it reads out of the driver's text form of the same values.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { elementTypes, type ElementType, encodeArray } from "../../src/store/array-parameters.ts";
import { createEmptyDatabase, type TestDatabase } from "../support/database.ts";
import { unicodeText } from "../support/unicode-text.ts";

function encoderOf<T>(type: ElementType<T>): (values: readonly (T | null | undefined)[]) => Buffer {
  return (values) => encodeArray(type, values, (value) => value);
}

const bool = encoderOf(elementTypes.bool);
const bytea = encoderOf(elementTypes.bytea);
const float8 = encoderOf(elementTypes.float8);
const hexBytea = encoderOf(elementTypes.hexBytea);
const int2 = encoderOf(elementTypes.int2);
const int4 = encoderOf(elementTypes.int4);
const int8 = encoderOf(elementTypes.int8);
const text = encoderOf(elementTypes.text);
const timestamptz = encoderOf(elementTypes.timestamptz);
const uuid = encoderOf(elementTypes.uuid);

let test: TestDatabase;
beforeAll(async () => {
  test = await createEmptyDatabase();
});
afterAll(async () => {
  await test.drop();
});

/** The elements as the server tells them, of the parameter sent as it is given. */
async function readBack(type: string, parameter: unknown): Promise<unknown[]> {
  const rows = await test.rows<{ element: unknown }>(
    `select element from unnest($1::${type}[]) with ordinality as a (element, place) order by place`,
    [parameter],
  );
  return rows.map((row) => row.element);
}

/** Whether the server finds the two forms of one array equal, dimensions, bounds and nulls too. */
async function sameForServer(type: string, binary: Buffer, text: unknown): Promise<boolean | undefined> {
  const rows = await test.rows<{ same: boolean }>(
    `select $1::${type}[] is not distinct from $2::${type}[]
              and array_dims($1::${type}[]) is not distinct from array_dims($2::${type}[]) as same`,
    [binary, text],
  );
  return rows[0]?.same;
}

function arrayOf<T>(element: fc.Arbitrary<T>): fc.Arbitrary<(T | null)[]> {
  return fc.array(fc.option(element, { freq: 4 }), { maxLength: 40 });
}

/** What the UTF-8 form of a text leaves of it: a lone surrogate becomes U+FFFD. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

interface Case<T> {
  readonly type: string;
  readonly encode: (values: readonly (T | null)[]) => Buffer;
  readonly element: fc.Arbitrary<T>;
  /** What is read back for a value, where it is not the value. */
  readonly read?: (value: T) => unknown;
  /** Values that must not be left to chance. */
  readonly edges: readonly T[];
}

const pieces = fc.constantFrom(
  ...[
    "a",
    "Z",
    "0",
    " ",
    ",",
    "{",
    "}",
    '"',
    "'",
    "\\",
    "\n",
    "\u0001",
    "\u007f",
    "NULL",
    "é",
    "€",
    "\u0080",
    "\u07ff",
    "\u0800",
    "\uffff",
  ],
  ...["آ", "پ", "ژ", "گ", "ي", "ك", "\u200c", "۱", "٣", "😀", "👨‍👩‍👧", "\ud83d", "\udc00"],
);
const texts = fc.oneof(
  fc.array(pieces, { maxLength: 60 }).map((some) => some.join("")),
  unicodeText({ maxLength: 90 }).map((some) => some.replaceAll("\0", "")),
);
const longPersian = "مشتری گرامی، سفارش شما می‌رسد 😀 ".repeat(400);

const bigints: Case<bigint | number> = {
  type: "int8",
  encode: int8,
  element: fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.bigInt({ min: -(2n ** 54n), max: 2n ** 54n }),
    fc.maxSafeInteger(),
  ),
  read: (value) => BigInt(value),
  edges: [
    -(2n ** 63n),
    2n ** 63n - 1n,
    2n ** 53n,
    2n ** 53n - 1n,
    -(2n ** 53n),
    1n - 2n ** 53n,
    2n ** 53n + 1n,
    0n,
    -1n,
    2n ** 32n,
    2n ** 32n - 1n,
    -(2n ** 32n),
    -(2n ** 32n) - 1n,
    2n ** 31n,
    -(2n ** 31n),
    0,
    -1,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
    2 ** 32,
    -(2 ** 32) - 1,
  ],
};

const integers = (type: string, encode: Case<number>["encode"], bits: number): Case<number> => ({
  type,
  encode,
  element: fc.integer({ min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 }),
  edges: [0, 1, -1, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1],
});

const booleans: Case<boolean> = { type: "bool", encode: bool, element: fc.boolean(), edges: [true, false] };

const doubles: Case<number> = {
  type: "float8",
  encode: float8,
  element: fc.double({ noNaN: true }).filter((value) => !Object.is(value, -0)),
  edges: [0, 0.1, -1.5, 1e300, 5e-324, Number.MAX_VALUE, Infinity, -Infinity],
};

const strings: Case<string> = {
  type: "text",
  encode: text,
  element: texts,
  read: wellFormed,
  edges: [
    "",
    "NULL",
    "null",
    "{}",
    '"',
    "\\",
    ",",
    "سلام ‌دنیا",
    "😀",
    "\ufeff",
    "\ud83d",
    "\udc00x",
    "\ude00\ud83d",
    "a\ud83d",
    // About the length from which texts are written in another way, and far beyond the buffer pool.
    ...[39, 40, 41].flatMap((length) => ["x".repeat(length), "x".repeat(length - 1) + "ی", "ی".repeat(length)]),
    longPersian,
    "x".repeat(20_000),
  ],
};

const identifiers: Case<string> = {
  type: "uuid",
  encode: uuid,
  element: fc.oneof(
    fc.uuid(),
    fc.uuid().map((id) => id.toUpperCase()),
  ),
  read: (value) => value.toLowerCase(),
  edges: [
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "01234567-89ab-cdef-0123-456789abcdef",
    "ABCDEF01-2345-6789-ABCD-EF0123456789",
  ],
};

const octets: Case<Uint8Array> = {
  type: "bytea",
  encode: bytea,
  element: fc.uint8Array({ maxLength: 80 }),
  read: (value) => Buffer.from(value),
  edges: [Buffer.alloc(0), Buffer.from([0, 255, 92, 34]), Buffer.alloc(9000, 1), new Uint8Array([1, 0]).subarray(1)],
};

const dates: Case<Date> = {
  type: "timestamptz",
  encode: timestamptz,
  // In older times the driver's text form is off wherever the local offset was no whole minute.
  element: fc.date({ min: new Date("1970-01-01"), max: new Date("9999-12-31"), noInvalidDate: true }),
  edges: [
    "1970-01-01T00:00:00.001Z",
    "1999-12-31T23:59:59.999Z",
    "2000-01-01T00:00:00.000Z",
    "2026-11-20T10:00:00.123Z",
    // The last and the first millisecond whose microseconds a double holds exactly, and one
    // further.
    "2285-06-05T23:47:34.740Z",
    "2285-06-05T23:47:34.741Z",
    "9999-12-31T23:59:59.999Z",
  ].map((text) => new Date(text)),
};

function describeType<T>({ type, encode, element, read = (value) => value, edges }: Case<T>): void {
  async function holds(values: readonly (T | null)[]): Promise<void> {
    const told = values.map((value) => (value === null ? null : read(value)));
    expect(await readBack(type, encode(values))).toEqual(told);
    expect(await sameForServer(type, encode(values), values)).toBe(true);
  }

  describe(`binary ${type}[]`, () => {
    it("is read as the values, and as their text form is", async () => {
      await fc.assert(fc.asyncProperty(arrayOf(element), holds), { numRuns: 60 });
    });

    it("holds the edges of the type, with nulls at either end and without", async () => {
      await holds(edges);
      await holds([null, ...edges, null]);
      for (const edge of edges) await holds([edge]);
    });

    it("holds none, and nothing but nulls", async () => {
      await holds([]);
      await holds([null]);
      await holds([null, null, null]);
    });
  });
}

describeType(integers("int2", int2, 16));
describeType(integers("int4", int4, 32));
describeType(bigints);
describeType(booleans);
describeType(doubles);
describeType(strings);
describeType(identifiers);
describeType(octets);
describeType(dates);

describe("binary arrays", () => {
  it("of hexadecimal digits are those of their octets", () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.uint8Array({ maxLength: 80 })), { maxLength: 40 }), (values) => {
        const digits = values.map((value) => value && Buffer.from(value).toString("hex"));
        expect(hexBytea(digits)).toEqual(bytea(values));
        expect(hexBytea(digits.map((some) => some && some.toUpperCase()))).toEqual(bytea(values));
      }),
    );
  });
});
