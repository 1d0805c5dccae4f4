// How values go to PostgreSQL and come back where the driver's own way is not ours.
//
// Array parameters go in the binary format, which is cheaper to write here and to parse there than
// '{"a","b"}'. The driver sends a Buffer in format code 1, and the server reads it as the array type
// that the statement casts it to. Format: array_recv in src/backend/utils/adt/arrayfuncs.c; for the
// elements, the receive function of their type.
import pg from "pg";

interface ElementType<T> {
  /** Must be exactly the parameter's element type: the server refuses `text[]` for `varchar[]`. */
  readonly oid: number;
  /** Octets that `write` fills at most: of each value, or of this one. */
  readonly size: number | ((value: T) => number);
  /** Returns the offset after the written octets. */
  readonly write: (buffer: Buffer, value: T, offset: number) => number;
}

const { builtins } = pg.types;
const emptyHeaderLength = 12;
const headerLength = 20;

/** Encodes values as an array of the type. */
function arrayOf<T>(type: ElementType<T>) {
  return (values: readonly (T | null | undefined)[]): Buffer => {
    let length = values.length === 0 ? emptyHeaderLength : headerLength;
    let hasNull = 0;
    for (const value of values) {
      length += 4;
      if (value === null || value === undefined) hasNull = 1;
      else length += typeof type.size === "number" ? type.size : type.size(value);
    }
    const buffer = Buffer.allocUnsafe(length);
    // An array without elements has no dimension; all others here have one, with lower bound 1.
    buffer.writeInt32BE(values.length === 0 ? 0 : 1, 0);
    buffer.writeInt32BE(hasNull, 4);
    buffer.writeUInt32BE(type.oid, 8);
    if (values.length === 0) return buffer;
    buffer.writeInt32BE(values.length, 12);
    buffer.writeInt32BE(1, 16);
    let offset = headerLength;
    for (const value of values) {
      if (value === null || value === undefined) {
        offset = buffer.writeInt32BE(-1, offset);
      } else {
        const end = type.write(buffer, value, offset + 4);
        buffer.writeInt32BE(end - offset - 4, offset);
        offset = end;
      }
    }
    return buffer.subarray(0, offset);
  };
}

/** The buffer's own write methods truncate a fraction silently and check only the range. */
function requireInteger(value: number): number {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not an exact whole number: ${value}`);
  return value;
}

const int2: ElementType<number> = {
  oid: builtins.INT2,
  size: 2,
  write: (buffer, value, offset) => buffer.writeInt16BE(requireInteger(value), offset),
};

const int4: ElementType<number> = {
  oid: builtins.INT4,
  size: 4,
  write: (buffer, value, offset) => buffer.writeInt32BE(requireInteger(value), offset),
};

const int8: ElementType<bigint | number> = {
  oid: builtins.INT8,
  size: 8,
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
  size: 8,
  write: (buffer, value, offset) => buffer.writeDoubleBE(value, offset),
};

const bool: ElementType<boolean> = {
  oid: builtins.BOOL,
  size: 1,
  write: (buffer, value, offset) => buffer.writeUInt8(value ? 1 : 0, offset),
};

const text: ElementType<string> = {
  oid: builtins.TEXT,
  // An upper bound: no UTF-16 unit takes more than 3 octets. An exact measure would cost a second
  // pass over the text.
  size: (value) => value.length * 3,
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
  size: (value) => value.length,
  write: (buffer, value, offset) => {
    buffer.set(value, offset);
    return offset + value.length;
  },
};

/** Octets as hexadecimal digits. The buffer's own method would leave out what follows a fault. */
const hexBytea: ElementType<string> = {
  oid: builtins.BYTEA,
  size: (value) => value.length / 2,
  write: (buffer, value, offset) => {
    const end = offset + buffer.write(value, offset, "hex");
    if ((end - offset) * 2 !== value.length) throw new RangeError("not an even number of hexadecimal digits");
    return end;
  },
};

const year2000 = Date.UTC(2000, 0, 1);

const timestamptz: ElementType<Date> = {
  oid: builtins.TIMESTAMPTZ,
  size: 8,
  write: (buffer, value, offset) => {
    const milliseconds = requireInteger(value.getTime() - year2000);
    const microseconds = milliseconds * 1000;
    return Number.isSafeInteger(microseconds)
      ? writeInt64(buffer, microseconds, offset)
      : buffer.writeBigInt64BE(BigInt(milliseconds) * 1000n, offset);
  },
};

const uuid: ElementType<string> = { oid: builtins.UUID, size: 16, write: writeUuid };

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

/**
 * For a parameter cast to `int2[]`. Throws RangeError for a value that is not an integer of its
 * range.
 */
export const int2Array = arrayOf(int2);

/**
 * For a parameter cast to `int4[]`. Throws RangeError for a value that is not an integer of its
 * range.
 */
export const int4Array = arrayOf(int4);

/**
 * For a parameter cast to `int8[]`. Throws RangeError outside its range, and for a number that is
 * not exact.
 */
export const int8Array = arrayOf(int8);

/** For a parameter cast to `float8[]`. */
export const float8Array = arrayOf(float8);

/** For a parameter cast to `bool[]`. */
export const boolArray = arrayOf(bool);

/**
 * For a parameter cast to `text[]`. A lone surrogate becomes U+FFFD; U+0000 is refused by the
 * server (SQLSTATE 22021).
 */
export const textArray = arrayOf(text);

/** For a parameter cast to `json[]`: texts of JSON, which the server checks. */
export const jsonArray = arrayOf(json);

/**
 * For a parameter cast to `uuid[]`. Throws RangeError for text that is not in the form 8-4-4-4-12.
 */
export const uuidArray = arrayOf(uuid);

/** For a parameter cast to `timestamptz[]`. Throws RangeError for an invalid date. */
export const timestamptzArray = arrayOf(timestamptz);

/** For a parameter cast to `bytea[]`. */
export const byteaArray = arrayOf(bytea);

/**
 * For a parameter cast to `bytea[]`, of hexadecimal digits. Throws RangeError for other text.
 */
export const hexByteaArray = arrayOf(hexBytea);

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
