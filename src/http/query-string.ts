// Reads name=value pairs of a URL's query or of an urlencoded form. Pure. Nothing is dropped or repaired silently: a part
// that is no percent-encoded UTF-8 comes out marked, and fails whatever check its field has.

export interface TextPair {
  readonly name: string;
  readonly value: string;
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

/** Pairs in their order. `raw` holds one character per octet (a request target, or a body read as latin1). */
export function readPairs(raw: string): TextPair[] {
  const pairs: TextPair[] = [];
  let start = 0;
  while (start < raw.length) {
    let end = raw.indexOf("&", start);
    if (end === -1) end = raw.length;
    if (end > start) pairs.push(readPair(raw.slice(start, end)));
    start = end + 1;
  }
  return pairs;
}

function readPair(text: string): TextPair {
  const equals = text.indexOf("=");
  if (equals === -1) return { name: decodeComponent(text), value: "" };
  return { name: decodeComponent(text.slice(0, equals)), value: decodeComponent(text.slice(equals + 1)) };
}

// What needs no decoding: any ASCII but "%" and "+".
const plainText = /^[\x00-\x24\x26-\x2a\x2c-\x7f]*$/;
const asciiOnly = /^[\x00-\x7f]*$/;
const escape = /%([0-9a-fA-F]{2})/g;

function decodeComponent(raw: string): string {
  if (plainText.test(raw)) return raw;
  const text = raw.replaceAll("+", " ");
  if (asciiOnly.test(text)) {
    try {
      return decodeURIComponent(text);
    } catch {
      return undecodableMark + text;
    }
  }
  return decodeOctets(text);
}

/** Clients that send UTF-8 octets without percent-encoding them exist; they are taken at their word. */
function decodeOctets(text: string): string {
  const octets = text.replace(escape, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return decodeUtf8(Buffer.from(octets, "latin1")) ?? undecodableMark + text;
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Undefined when the octets are not UTF-8. A byte order mark stays. */
export function decodeUtf8(octets: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(octets);
  } catch {
    return undefined;
  }
}
