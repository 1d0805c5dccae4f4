// The octets of outgoing texts, and the text of incoming messages. Reading is tolerant: it never
// throws and drops no octets; what cannot be read as text stays binary.
import { decodeGsm7, encodeGsm7, unpackSeptets } from "./gsm7.ts";
import type { Encoding } from "./text-kind.ts";
import { segmentText } from "./segmentation.ts";

/** The meaning of data_coding 0 (the SMSC's default alphabet) on a link. */
export type DefaultAlphabet = "gsm7" | "latin1" | "ascii" | "utf8";

export type DecodedText = { readonly text: string } | { readonly binary: Buffer };

/**
 * The octets of a text: one per septet for gsm7 (unpacked), UTF-16 big-endian without byte order
 * mark for ucs2.
 */
export function encodeText(text: string, encoding: Encoding): Buffer {
  return encoding === "gsm7" ? encodeGsm7(text) : Buffer.from(text, "utf16le").swap16();
}

type Alphabet = DefaultAlphabet | "ucs2" | "binary" | "default" | IsoAlphabet;
type IsoAlphabet = "shift_jis" | "iso-8859-5" | "iso-8859-8" | "iso-2022-jp" | "euc-jp" | "euc-kr";

// SMPP 3.4 §5.2.19. Values missing here are reserved.
const smppAlphabets: Readonly<Record<number, Alphabet>> = {
  0: "default",
  1: "ascii",
  2: "binary",
  3: "latin1",
  4: "binary",
  5: "shift_jis",
  6: "iso-8859-5",
  7: "iso-8859-8",
  8: "ucs2",
  9: "binary",
  10: "iso-2022-jp",
  13: "euc-jp",
  14: "euc-kr",
};

/**
 * The alphabet of a data_coding: SMPP's own values below 0x10, the groups of 3GPP TS 23.038 §4
 * above.
 */
function alphabetOf(dataCoding: number): Alphabet {
  if (dataCoding < 0x10) return smppAlphabets[dataCoding] ?? "default";
  if (dataCoding < 0x80) return generalGroupAlphabet(dataCoding);
  const group = dataCoding & 0xf0;
  if (group === 0xe0) return "ucs2";
  if (group === 0xf0) return (dataCoding & 0x04) === 0 ? "default" : "binary";
  return "default"; // message waiting, or reserved: read as the default alphabet
}

// Groups 00xx and 01xx: bit 5 compressed, bits 3..2 the alphabet (3 is reserved: default alphabet).
function generalGroupAlphabet(dataCoding: number): Alphabet {
  if ((dataCoding & 0x20) !== 0) return "binary";
  const alphabet = (dataCoding >> 2) & 0x03;
  if (alphabet === 1) return "binary";
  return alphabet === 2 ? "ucs2" : "default";
}

/**
 * The text of received user data, without its header. Drops byte order marks, and NUL characters,
 * which are padding that PostgreSQL cannot store. Keeps a character that the sender cut, so that
 * joining the parts repairs it. Returns 8-bit data, compressed text and unknown alphabets
 * unchanged.
 *
 * `packedBehind`: septets are packed, behind a header of so many octets.
 */
export function decodeText(
  octets: Buffer,
  dataCoding: number,
  defaultAlphabet: DefaultAlphabet,
  packedBehind?: number,
): DecodedText {
  const named = alphabetOf(dataCoding & 0xff);
  const alphabet = named === "default" ? defaultAlphabet : named;
  switch (alphabet) {
    case "binary":
      return { binary: octets };
    case "gsm7":
      return { text: decodeGsm7(packedBehind === undefined ? octets : unpackSeptets(octets, packedBehind)) };
    case "ucs2":
      return { text: withoutNul(decodeUcs2(octets)) };
    case "utf8":
      return { text: withoutNul(decodeUtf8(octets)) };
    case "ascii": // peers that declare ASCII but set the high bit mean Latin-1
    case "latin1":
      return { text: withoutNul(octets.toString("latin1")) };
    default:
      return { text: withoutNul(new TextDecoder(alphabet).decode(octets)) };
  }
}

/**
 * The content shown for received user data: the text, or lower-case hexadecimal for binary data.
 */
export function contentOf(decoded: DecodedText): string {
  return "text" in decoded ? decoded.text : decoded.binary.toString("hex");
}

// Big-endian unless a byte order mark says otherwise. An odd last octet is ignored.
function decodeUcs2(octets: Buffer): string {
  const whole = octets.subarray(0, octets.length & ~1);
  const mark = whole.length < 2 ? 0 : whole.readUInt16BE(0);
  if (mark === 0xfffe) return whole.toString("utf16le", 2);
  const units = Buffer.from(mark === 0xfeff ? whole.subarray(2) : whole).swap16();
  return units.toString("utf16le");
}

/**
 * A part may begin and end within a character. The octets of its ends stay as lone surrogates from
 * U+DC80 to U+DCFF, until the parts are joined (concatenation.ts).
 */
function decodeUtf8(octets: Buffer): string {
  const isWithin = (index: number): boolean => ((octets[index] ?? 0) & 0xc0) === 0x80;
  let start = 0;
  while (start < 3 && isWithin(start)) start += 1;
  let lead = octets.length - 1;
  while (lead > start && octets.length - lead < 4 && isWithin(lead)) lead -= 1;
  const first = octets[lead] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  const end = lead >= start && lead + length > octets.length ? lead : octets.length;
  const kept = (part: Buffer): string => String.fromCharCode(...Array.from(part, (octet) => 0xdc00 + octet));
  const whole = new TextDecoder().decode(octets.subarray(start, end));
  return kept(octets.subarray(0, start)) + whole + kept(octets.subarray(end));
}

function withoutNul(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "") : text;
}

// Which links can carry a text. The default alphabet of an SMSC may lack characters that were
// counted and charged as GSM 03.38; such a text takes another link of its route. Building a
// submit_sm and choosing a link both use this rule. Pure.

export interface Carrier {
  readonly defaultAlphabet: DefaultAlphabet;
  readonly longMessages: "udh" | "sar" | "payload";
}

/** Of what a GSM text may hold, each alphabet carries what those before it do. */
const alphabets = ["ascii", "latin1", "gsm7"] as const;
const everything = alphabets.indexOf("gsm7");

/** In UTF-8 only the characters of ASCII take the one octet that was counted. */
function rankOf(alphabet: DefaultAlphabet): number {
  return alphabets.indexOf(alphabet === "utf8" ? "ascii" : alphabet);
}

/** 140 octets, less six for the user data header of a part (3GPP TS 23.040 §9.2.3.24). */
const roomAlone = 140;
const roomInPart = 134;

/**
 * How a link carries the text of one submit_sm. The GSM alphabet has letters (€, Greek) that other
 * default alphabets lack. UCS-2 is used instead if the text still fits in the one part that was
 * counted. Undefined: the link cannot carry the text.
 */
export function codingFor(
  { text, encoding, parts }: { readonly text: string; readonly encoding: Encoding; readonly parts: number },
  defaultAlphabet: DefaultAlphabet,
): "default" | "ucs2" | undefined {
  if (encoding === "ucs2") return "ucs2";
  if (defaultAlphabet === "gsm7") return "default";
  if (hasOnlyBelow(text, defaultAlphabet === "latin1" ? 0xff : 0x7f)) return "default";
  return 2 * text.length <= (parts > 1 ? roomInPart : roomAlone) ? "ucs2" : undefined;
}

function hasOnlyBelow(text: string, highest: number): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > highest) return false;
  return true;
}

/**
 * What a message requires of a link: the index of the smallest alphabet that carries its parts, and
 * of the smallest that carries all of it in one submit_sm.
 */
export interface TextDemand {
  readonly inParts: number;
  readonly asWhole: number;
}

/** Demands that not every link meets. */
export const specialDemands: readonly TextDemand[] = [
  { inParts: 0, asWhole: 1 },
  { inParts: 0, asWhole: 2 },
  { inParts: 1, asWhole: 1 },
  { inParts: 1, asWhole: 2 },
  { inParts: 2, asWhole: 2 },
];

export function demandOf(message: {
  readonly content: string;
  readonly encoding: Encoding;
  readonly parts: number;
}): TextDemand {
  const { content, encoding, parts } = message;
  const least = (text: string): number =>
    alphabets.findIndex((alphabet) => codingFor({ text, encoding, parts }, alphabet) !== undefined);
  return { inParts: Math.max(...segmentText(content, encoding).map(least)), asWhole: least(content) };
}

export function canCarry({ defaultAlphabet, longMessages }: Carrier, { inParts, asWhole }: TextDemand): boolean {
  return rankOf(defaultAlphabet) >= (longMessages === "payload" ? asWhole : inParts);
}

/** Whether the link carries any text that the gateway accepts. */
export function carriesAll({ defaultAlphabet }: Carrier): boolean {
  return rankOf(defaultAlphabet) === everything;
}

/** The demand of the message if the link does not meet it; undefined if it does. */
export function unmetDemand(carrier: Carrier, message: Parameters<typeof demandOf>[0]): TextDemand | undefined {
  const demand = demandOf(message);
  return canCarry(carrier, demand) ? undefined : demand;
}
