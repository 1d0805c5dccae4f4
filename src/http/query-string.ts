// Reads name=value pairs of a URL's query or of an urlencoded form. Pure. Nothing is dropped or repaired silently: a part
// that is no percent-encoded UTF-8 comes out marked, and fails whatever check its field has. No input makes it throw: a
// thousand errors with their stacks would take longer than a mebibyte of text.
import { isUtf8 } from "node:buffer";

/** A name with its value, which is decoded only when somebody asks for it. */
export interface TextPair {
  readonly name: string;
  readonly read: () => string;
}

/** The first pairs of a query or form. `hasMore`: others follow, which were not read. */
export interface PairList {
  readonly pairs: readonly TextPair[];
  readonly hasMore: boolean;
}

/**
 * Put in front of a text whose octets are no UTF-8 or whose "%" stands before no two hex digits. A lone surrogate: no
 * number, id, key or content may hold one (decisions §1 "Text").
 */
export const undecodableMark = "\uDC80";

/** The query of a request target, undecoded; empty when it has none. */
export function rawQueryOf(target: string): string {
  const start = target.indexOf("?");
  if (start === -1) return "";
  const end = target.indexOf("#", start);
  return end === -1 ? target.slice(start + 1) : target.slice(start + 1, end);
}

/** No path of ours is half as long, its parameters included. */
const maximumPathOctets = 8 << 10;

/** The target for the router. A mebibyte of escapes would take it 130 ms; what is too long becomes a path that nothing has. */
export function targetForRouting(target: string): string {
  if (target.length <= maximumPathOctets) return target;
  const end = target.indexOf("?");
  return (end === -1 ? target.length : end) > maximumPathOctets ? "/-" : target;
}

const ampersand = 0x26;
const percent = 0x25;
const plus = 0x2b;
const space = 0x20;

/** Pairs in their order. `raw` holds one character per octet (a request target, or a body read as latin1). */
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

// What needs no decoding: any ASCII but "%" and "+".
const plainText = /^[\x00-\x24\x26-\x2a\x2c-\x7f]*$/;

/** Clients that send UTF-8 octets without percent-encoding them exist; they are taken at their word. */
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

/** The octet of the escape at `index`; negative when no two hex digits follow the "%". */
function readEscape(raw: string, index: number): number {
  const high = hexDigits[raw.charCodeAt(index + 1)] ?? -1;
  const low = hexDigits[raw.charCodeAt(index + 2)] ?? -1;
  return (high << 4) | low;
}

function markUndecodable(raw: string): string {
  return undecodableMark + raw.replaceAll("+", " ");
}

/** Undefined when the octets are not UTF-8. A byte order mark stays. */
export function decodeUtf8(octets: Buffer): string | undefined {
  return isUtf8(octets) ? octets.toString("utf8") : undefined;
}
