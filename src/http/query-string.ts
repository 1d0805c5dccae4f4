// Reads name=value pairs of a URL's query or of an urlencoded form. Pure. Nothing is dropped or
// repaired silently: a part that is not percent-encoded UTF-8 is marked and fails the check of its
// field. No input makes the reader throw: a thousand errors with their stacks would take longer
// than a mebibyte of text.
import { isUtf8 } from "node:buffer";

/** A name with its value, which is decoded on demand. */
export interface TextPair {
  readonly name: string;
  readonly read: () => string;
}

/** The first pairs of a query or form. `hasMore`: more pairs follow that were not read. */
export interface PairList {
  readonly pairs: readonly TextPair[];
  readonly hasMore: boolean;
}

/**
 * Prefix of a text whose octets are not UTF-8 or that has a "%" without two hex digits. A lone
 * surrogate, which no number, id, key or content may contain.
 */
export const undecodableMark = "\uDC80";

/** The undecoded query of a request target; empty if it has none. */
export function rawQueryOf(target: string): string {
  const start = target.indexOf("?");
  if (start === -1) return "";
  const end = target.indexOf("#", start);
  return end === -1 ? target.slice(start + 1) : target.slice(start + 1, end);
}

/** The target up to its query. */
export function withoutQuery(target: string): string {
  const end = target.indexOf("?");
  return end === -1 ? target : target.slice(0, end);
}

const ampersand = 0x26;
const percent = 0x25;
const plus = 0x2b;
const space = 0x20;

/**
 * Pairs in their order. `raw` holds one character per octet (a request target, or a body read as
 * latin1).
 */
export function readPairs(raw: string, maximumPairs: number): PairList {
  const pairs: TextPair[] = [];
  let start = 0;
  while (start < raw.length) {
    if (raw.charCodeAt(start) === ampersand) {
      start += 1;
      continue;
    }
    if (pairs.length === maximumPairs) return { pairs, hasMore: true };
    let end = raw.indexOf("&", start);
    if (end === -1) end = raw.length;
    pairs.push(readPair(raw.slice(start, end)));
    start = end + 1;
  }
  return { pairs, hasMore: false };
}

function readPair(text: string): TextPair {
  const equals = text.indexOf("=");
  if (equals === -1) return { name: decodeComponent(text), read: () => "" };
  return { name: decodeComponent(text.slice(0, equals)), read: () => decodeComponent(text.slice(equals + 1)) };
}

// Text that needs no decoding: any ASCII except "%" and "+".
const plainText = /^[\x00-\x24\x26-\x2a\x2c-\x7f]*$/;

/** Some clients send UTF-8 octets without percent-encoding. They are accepted. */
function decodeComponent(raw: string): string {
  if (plainText.test(raw)) return raw;
  const octets = Buffer.allocUnsafe(raw.length);
  let length = 0;
  for (let index = 0; index < raw.length; index += 1) {
    let octet = raw.charCodeAt(index);
    if (octet === plus) octet = space;
    else if (octet === percent) {
      octet = readEscape(raw, index);
      if (octet < 0) return markUndecodable(raw);
      index += 2;
    }
    octets[length++] = octet;
  }
  return decodeUtf8(octets.subarray(0, length)) ?? markUndecodable(raw);
}

const hexDigits = buildHexDigits();

function buildHexDigits(): Int8Array {
  const values = new Int8Array(256).fill(-1);
  for (let value = 0; value < 16; value += 1) {
    const digit = value.toString(16);
    values[digit.charCodeAt(0)] = value;
    values[digit.toUpperCase().charCodeAt(0)] = value;
  }
  return values;
}

/** The octet of the escape at `index`; negative if two hex digits do not follow the "%". */
function readEscape(raw: string, index: number): number {
  const high = hexDigits[raw.charCodeAt(index + 1)] ?? -1;
  const low = hexDigits[raw.charCodeAt(index + 2)] ?? -1;
  return (high << 4) | low;
}

function markUndecodable(raw: string): string {
  return undecodableMark + raw.replaceAll("+", " ");
}

/** Undefined if the octets are not UTF-8. A byte order mark is kept. */
export function decodeUtf8(octets: Buffer): string | undefined {
  return isUtf8(octets) ? octets.toString("utf8") : undefined;
}

// Reads the fields of a multipart/form-data body (RFC 7578) that is complete in memory and bounded.
// Pure. Our own code, because streaming parsers repair invalid UTF-8 silently and apply their own
// size limits. File parts count as fields: the URL endpoints take no files, and some clients label
// every part as a file.

const boundaryParameter = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;",]{1,200}))/i;
const nameParameter = /;\s*name=(?:"((?:[^"\\\r\n]|\\.)*)"|([^\s;"]+))/i;

export function boundaryOf(contentType: string): string | undefined {
  const match = boundaryParameter.exec(contentType);
  return match?.[1] ?? match?.[2];
}

/** The fields in order, or undefined if the body is not a form with this boundary. */
export function readMultipart(body: Buffer, boundary: string, maximumPairs: number): PairList | undefined {
  const delimiter = Buffer.from(`--${boundary}`, "latin1");
  const pairs: TextPair[] = [];
  let start = body.indexOf(delimiter);
  while (start !== -1) {
    const begin = start + delimiter.length;
    // "--" after the delimiter closes the form.
    if (body[begin] === 0x2d && body[begin + 1] === 0x2d) return { pairs, hasMore: false };
    if (pairs.length === maximumPairs) return { pairs, hasMore: true };
    const next = body.indexOf(delimiter, begin);
    if (next === -1) return undefined;
    const pair = readPart(body.subarray(begin, next));
    if (pair === undefined) return undefined;
    pairs.push(pair);
    start = next;
  }
  return undefined;
}

/** Browsers write less than a tenth of it. */
const maximumHeadOctets = 8 << 10;

function readPart(part: Buffer): TextPair | undefined {
  const separator = part.subarray(0, maximumHeadOctets).indexOf("\r\n\r\n");
  if (separator === -1) return undefined;
  const head = decodeUtf8(part.subarray(0, separator));
  const disposition = head?.split("\r\n").find((line) => line.toLowerCase().startsWith("content-disposition:"));
  const name = nameParameter.exec(disposition ?? "");
  if (name === null) return undefined;
  // The line break before the next delimiter belongs to the delimiter.
  const end = part.at(-1) === 0x0a && part.at(-2) === 0x0d ? part.length - 2 : part.length;
  const octets = part.subarray(separator + 4, Math.max(end, separator + 4));
  return {
    name: (name[1] ?? name[2] ?? "").replace(/\\(.)/g, "$1"),
    read: () => decodeUtf8(octets) ?? undecodableMark + octets.toString("latin1"),
  };
}
