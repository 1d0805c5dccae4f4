// How values go to PostgreSQL and come back where the driver's own way is not ours.
//
// Array parameters go in the binary format, which is cheaper to write here and to parse there than
// '{"a","b"}'. The driver sends a Buffer in format code 1, and the server reads it as the array type
// that the statement casts it to. Format: array_recv in src/backend/utils/adt/arrayfuncs.c; for the
// elements, the receive function of their type.
import pg from "pg";

export interface ElementType<T> {
  /** Must be exactly the parameter's element type: the server refuses `text[]` for `varchar[]`. */
  readonly oid: number;
  /** Returns the offset after the written octets. */
  readonly write: (buffer: Buffer, value: T, offset: number) => number;
}

const { builtins } = pg.types;
/** Octets of whatever is neither text nor octets. */
const widestNumber = 8;
const emptyHeaderLength = 12;
const headerLength = 20;

/** Arrays are written here, and copied when their length is known: thousands a second. */
const usualCapacity = 1 << 16;
let scratch = Buffer.allocUnsafeSlow(usualCapacity);

/** Makes room for so many octets. */
function grow(length: number): void {
  const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * scratch.length));
  scratch.copy(larger);
  scratch = larger;
}

/** As the buffer's own method, which checks what is right already. */
function putInt32(value: number, offset: number): void {
  scratch[offset] = value >>> 24;
  scratch[offset + 1] = value >>> 16;
  scratch[offset + 2] = value >>> 8;
  scratch[offset + 3] = value;
}

/** What each row has, as an array of the type. Throws RangeError for a value that the type cannot hold. */
export function encodeArray<T, Row>(
  { oid, write }: ElementType<T>,
  rows: readonly Row[],
  valueOf: (row: Row) => T | null | undefined,
): Buffer {
  // An array without elements has no dimension; all others here have one, with lower bound 1.
  const isEmpty = rows.length === 0;
  let end = isEmpty ? emptyHeaderLength : headerLength;
  let hasNull = 0;
  for (const row of rows) {
    const value = valueOf(row);
    const start = end + 4;
    if (value === null || value === undefined) {
      if (start > scratch.length) grow(start);
      hasNull = 1;
      putInt32(-1, end);
      end = start;
    } else {
      // No UTF-16 unit takes more than 3 octets. An exact measure would cost a second pass over the text.
      const isOctets = value instanceof Uint8Array;
      const most = start + (typeof value === "string" ? value.length * 3 : isOctets ? value.length : widestNumber);
      if (most > scratch.length) grow(most);
      const next = write(scratch, value, start);
      putInt32(next - start, end);
      end = next;
    }
  }
  putInt32(isEmpty ? 0 : 1, 0);
  putInt32(hasNull, 4);
  putInt32(oid, 8);
  if (!isEmpty) {
    putInt32(rows.length, 12);
    putInt32(1, 16);
  }
  const array = Buffer.from(scratch.subarray(0, end));
  // One long list must not keep its memory.
  if (scratch.length > usualCapacity) scratch = Buffer.allocUnsafeSlow(usualCapacity);
  return array;
}

/** The buffer's own write methods truncate a fraction silently and check only the range. */
function requireInteger(value: number): number {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not an exact whole number: ${value}`);
  return value;
}

const int2: ElementType<number> = {
  oid: builtins.INT2,
  write: (buffer, value, offset) => {
    if ((value << 16) >> 16 !== value) throw new RangeError(`not a whole number of 16 bits: ${value}`);
    return buffer.writeInt16BE(value, offset);
  },
};

const int4: ElementType<number> = {
  oid: builtins.INT4,
  write: (_buffer, value, offset) => {
    if ((value | 0) !== value) throw new RangeError(`not a whole number of 32 bits: ${value}`);
    putInt32(value, offset);
    return offset + 4;
  },
};

const int8: ElementType<bigint | number> = {
  oid: builtins.INT8,
  write: (buffer, value, offset) => {
    if (typeof value === "number") return writeInt64(buffer, requireInteger(value), offset);
    // A value that a double holds exactly is written in two halves: several times faster than bigint
    // arithmetic.
    const number = Number(value);
    return Number.isSafeInteger(number) ? writeInt64(buffer, number, offset) : buffer.writeBigInt64BE(value, offset);
  },
};

function writeInt64(buffer: Buffer, value: number, offset: number): number {
  const high = Math.floor(value / 2 ** 32);
  buffer.writeInt32BE(high, offset);
  return buffer.writeUInt32BE(value - high * 2 ** 32, offset + 4);
}

const float8: ElementType<number> = {
  oid: builtins.FLOAT8,
  write: (buffer, value, offset) => buffer.writeDoubleBE(value, offset),
};

const bool: ElementType<boolean> = {
  oid: builtins.BOOL,
  write: (buffer, value, offset) => buffer.writeUInt8(value ? 1 : 0, offset),
};

/** A lone surrogate becomes U+FFFD; U+0000 is refused by the server (SQLSTATE 22021). */
const text: ElementType<string> = {
  oid: builtins.TEXT,
  write: writeText,
};

/** Up to this length a loop over plain characters is faster than the call into native code. */
const shortText = 40;

function writeText(buffer: Buffer, value: string, offset: number): number {
  if (value.length > shortText) return offset + buffer.write(value, offset);
  for (let index = 0; index < value.length; index += 1) {
    const code = value.charCodeAt(index);
    if (code > 127) return offset + buffer.write(value, offset);
    buffer[offset + index] = code;
  }
  return offset + value.length;
}

/** Arrives as text, which the server parses. */
const json: ElementType<string> = { ...text, oid: builtins.JSON };

const bytea: ElementType<Uint8Array> = {
  oid: builtins.BYTEA,
  write: (buffer, value, offset) => {
    buffer.set(value, offset);
    return offset + value.length;
  },
};

/** Octets as hexadecimal digits. The buffer's own method would leave out what follows a fault. */
const hexBytea: ElementType<string> = {
  oid: builtins.BYTEA,
  write: (buffer, value, offset) => {
    const end = offset + buffer.write(value, offset, "hex");
    if ((end - offset) * 2 !== value.length) throw new RangeError("not an even number of hexadecimal digits");
    return end;
  },
};

const year2000 = Date.UTC(2000, 0, 1);

const timestamptz: ElementType<Date> = {
  oid: builtins.TIMESTAMPTZ,
  write: (buffer, value, offset) => {
    const milliseconds = requireInteger(value.getTime() - year2000);
    const microseconds = milliseconds * 1000;
    return Number.isSafeInteger(microseconds)
      ? writeInt64(buffer, microseconds, offset)
      : buffer.writeBigInt64BE(BigInt(milliseconds) * 1000n, offset);
  },
};

/** In the form 8-4-4-4-12. */
const uuid: ElementType<string> = { oid: builtins.UUID, write: writeUuid };

const noDigit = 255;
/** Character code → value of the hexadecimal digit. */
const hexDigits = new Uint8Array(128).fill(noDigit);
for (let value = 0; value < 16; value += 1) {
  const digit = value.toString(16);
  hexDigits[digit.charCodeAt(0)] = value;
  hexDigits[digit.toUpperCase().charCodeAt(0)] = value;
}

/** Positions of the octets' digits between the dashes. */
const uuidDigits = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

function writeUuid(buffer: Buffer, value: string, offset: number): number {
  let seen = 0;
  for (let index = 0; index < 16; index += 1) {
    const place = uuidDigits[index] ?? 0;
    const high = hexDigits[value.charCodeAt(place)] ?? noDigit;
    const low = hexDigits[value.charCodeAt(place + 1)] ?? noDigit;
    seen |= high | low;
    buffer[offset + index] = high * 16 + low;
  }
  const hasDashes = value[8] === "-" && value[13] === "-" && value[18] === "-" && value[23] === "-";
  if (seen > 15 || value.length !== 36 || !hasDashes) throw new RangeError(`not a UUID: ${JSON.stringify(value)}`);
  return offset + 16;
}

/** By the names of the casts that a parameter needs, but for `hexBytea`. */
export const elementTypes = { bool, bytea, float8, hexBytea, int2, int4, int8, json, text, timestamptz, uuid };

/** Rows that are their values. */
const itself = <T>(value: T): T => value;

export function byteaArray(values: readonly Uint8Array[]): Buffer {
  return encodeArray(bytea, values, itself);
}

export function textArray(values: readonly string[]): Buffer {
  return encodeArray(text, values, itself);
}

const readTimestampByDriver = pg.types.getTypeParser(builtins.TIMESTAMPTZ) as (text: string) => Date | number;

/**
 * A timestamptz as sessions write it (`2026-11-25 18:47:33.123456+00`). What has another form is
 * read by the driver: other zones, years before 1000 or after 9999, infinity. It takes a tenth of
 * the driver's time, which a page of events with five times a row is made of.
 */
export function readTimestamp(text: string): Date | number {
  const isUsual = text.length >= usualLength && text.endsWith("+00") && text.charAt(4) === "-";
  return isUsual ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`) : readTimestampByDriver(text);
}

const usualLength = "2026-11-25 18:47:33+00".length;

export const columnTypes = new pg.TypeOverrides();
columnTypes.setTypeParser(builtins.TIMESTAMPTZ, readTimestamp);
columnTypes.setTypeParser(builtins.INT8, (text) => BigInt(text));
// int8[], which has no name in the driver.
columnTypes.setTypeParser(1016, (text) =>
  text === "{}"
    ? []
    : text
        .slice(1, -1)
        .split(",")
        .map((item) => (item === "NULL" ? null : BigInt(item))),
);
