// The user data header (3GPP TS 23.040 §9.2.3.24): written for outgoing parts, read from incoming
// ones. Reading never throws. A header that contradicts itself counts as none.
import { isOneOfMany, missingParts } from "./segmentation.ts";

export interface HeaderElement {
  /** Information element identifier. */
  readonly identifier: number;
  readonly content: Buffer;
}

export interface Concatenation {
  readonly reference: number;
  readonly total: number;
  /** 1 for the first part. */
  readonly number: number;
  /** Width of the reference. Equal numbers of different widths are different references. */
  readonly bits: 8 | 16;
}

export interface UserDataHeader {
  readonly elements: readonly HeaderElement[];
  readonly concatenation?: Concatenation;
  /** Octets before the text, including the length octet; 0 without a valid header. */
  readonly headerLength: number;
}

const concatenation8 = 0x00;
const concatenation16 = 0x08;

/** The header of one part with an 8-bit reference (IEI 00). */
export function udh8(reference: number, total: number, number: number): Buffer {
  return Buffer.from([5, concatenation8, 3, reference & 0xff, total, number]);
}

export function parseUserDataHeader(userData: Buffer): UserDataHeader {
  const headerLength = (userData[0] ?? 0) + 1;
  if (userData.length === 0 || headerLength > userData.length) return { elements: [], headerLength: 0 };
  const elements = readElements(userData.subarray(1, headerLength));
  const concatenation = findConcatenation(elements);
  return { elements, headerLength, ...(concatenation === undefined ? {} : { concatenation }) };
}

// Reading stops at an element that claims more octets than the header has. The elements before it
// count.
function readElements(header: Buffer): readonly HeaderElement[] {
  const elements: HeaderElement[] = [];
  let offset = 0;
  while (offset + 2 <= header.length) {
    const identifier = header.readUInt8(offset);
    const end = offset + 2 + header.readUInt8(offset + 1);
    if (end > header.length) break;
    elements.push({ identifier, content: header.subarray(offset + 2, end) });
    offset = end;
  }
  return elements;
}

// Of a repeated element the last one counts. One with impossible numbers is ignored (§9.2.3.24,
// §9.2.3.24.1).
function findConcatenation(elements: readonly HeaderElement[]): Concatenation | undefined {
  return elements
    .map(readConcatenation)
    .filter((concatenation) => concatenation !== undefined)
    .at(-1);
}

function readConcatenation({ identifier, content }: HeaderElement): Concatenation | undefined {
  const bits = concatenationBits(identifier, content.length);
  if (bits === undefined) return undefined;
  const reference = bits === 8 ? content.readUInt8(0) : content.readUInt16BE(0);
  const total = content.readUInt8(content.length - 2);
  const number = content.readUInt8(content.length - 1);
  return number >= 1 && number <= total ? { reference, total, number, bits } : undefined;
}

function concatenationBits(identifier: number, length: number): 8 | 16 | undefined {
  if (identifier === concatenation8 && length === 3) return 8;
  return identifier === concatenation16 && length === 4 ? 16 : undefined;
}

// Reference numbers tell a phone which parts belong together. A number is in
// use from the first part that is written until the message has ended, or until `lingerSeconds`
// after its last part was taken: by then the phone has joined the parts, or will get no more of
// them. Pure.

export interface ReferenceSpace {
  /**
   * How many numbers a phone can tell apart: one octet in a user data header, two in the sar
   * parameters.
   */
  readonly size: number;
  /**
   * How many messages may be in transit to one phone. Bounded, because the list of them is stored
   * in one row.
   */
  readonly most: number;
}

/**
 * The space of the user data header. A message that is held back gets one of these numbers, because
 * every connector can write them.
 */
export const octet: ReferenceSpace = { size: 256, most: 256 };
const twoOctets: ReferenceSpace = { size: 65_536, most: 1024 };

export const lingerSeconds = 300;

/**
 * The space for the number of a message whose missing parts are submitted in that form; undefined:
 * it needs none.
 */
export function referenceSpaceOf(
  message: { readonly parts: number; readonly partsTaken: number },
  longMessages: "udh" | "sar" | "payload",
): ReferenceSpace | undefined {
  if (message.parts === 1) return undefined;
  const parts = missingParts(message, { asOnePayload: longMessages === "payload" });
  if (!parts.some((part) => isOneOfMany(part, message.parts))) return undefined;
  return longMessages === "sar" ? twoOctets : octet;
}

// Joins the parts of a subscriber's long message, in any order, with gaps and repetitions. It
// reports what is there; the caller decides how long to wait for missing parts.

export interface InboundPartText {
  /** 1 for the first. */
  readonly number: number;
  readonly total: number;
  readonly text: string;
}

export interface JoinedParts {
  readonly complete: boolean;
  readonly text: string;
}

const loneSurrogate = /\p{Surrogate}/gu;
/** Octets of UTF-8 at the ends of parts (data-coding.ts). */
const keptOctets = /[\u{DC80}-\u{DCFF}]+/gu;

/**
 * The text in the order of the part numbers. Of a repeated part the first received counts.
 * Halves of a character that meet at a seam become one again; one without the other becomes U+FFFD.
 */
export function joinParts(parts: readonly InboundPartText[]): JoinedParts {
  const byNumber = new Map<number, string>();
  let total = 1;
  for (const part of parts) {
    total = Math.max(total, part.total);
    if (!byNumber.has(part.number)) byNumber.set(part.number, part.text);
  }
  const ordered = [...byNumber].sort(([left], [right]) => left - right);
  const text = ordered
    .map(([, partText]) => partText)
    .join("")
    .replace(keptOctets, (kept) => new TextDecoder().decode(Uint8Array.from(kept, (half) => half.charCodeAt(0))));
  return { complete: hasAll(byNumber, total), text: text.replace(loneSurrogate, "\uFFFD") };
}

/**
 * Splits the open parts of one reference, in order of arrival, into the messages they belong to. A
 * different text under a number that is taken begins a new message, to which all later parts
 * belong.
 */
export function splitMessages<Part extends InboundPartText>(parts: readonly Part[]): [Part, ...Part[]][] {
  const messages: [Part, ...Part[]][] = [];
  let texts = new Map<number, string>();
  for (const part of parts) {
    const current = messages.at(-1);
    const known = texts.get(part.number);
    if (current === undefined || (known !== undefined && known !== part.text)) {
      messages.push([part]);
      texts = new Map([[part.number, part.text]]);
    } else {
      current.push(part);
      texts.set(part.number, part.text);
    }
  }
  return messages;
}

function hasAll(byNumber: ReadonlyMap<number, string>, total: number): boolean {
  for (let number = 1; number <= total; number += 1) {
    if (!byNumber.has(number)) return false;
  }
  return true;
}

// Decides whether an equal deliver_sm repeats the previous one or is another message with the same
// text. Pure.

/**
 * SMSCs send a deliver_sm again, under a new sequence number, when it was not answered for this
 * long.
 */
const repeatedAfterMs = 5000;

/** What is known about an unconfirmed part when an equal one arrives. */
export interface UnconfirmedPart {
  /** The session that brought it has ended, so its answer can no longer be sent. */
  readonly hasSessionEnded: boolean;
  /** It arrived on the same session with the same sequence number. */
  readonly isSameRequest: boolean;
  readonly owedForMs: number;
}

export function isRepetition({ hasSessionEnded, isSameRequest, owedForMs }: UnconfirmedPart): boolean {
  return hasSessionEnded || isSameRequest || owedForMs >= repeatedAfterMs;
}
