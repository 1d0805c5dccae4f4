// Cuts a text into parts and counts them with the same function, so that the two always agree. 3GPP
// TS 23.038 §6.2.1 and 23.040 §9.2.3.24.1 with the 8-bit reference. Never
// cuts an escape pair or a surrogate pair; joined emoji may be cut between code points.
import { type Encoding, detectLanguage } from "./text-kind.ts";
import { septetCost, isGsm7 } from "./gsm7-alphabet.ts";
import { fault, type Fault, type MessageField } from "./fault.ts";

// Capacity of 140 octets of user data, without and with a concatenation header of 6 octets.
const septetsAlone = 160;
const septetsInPart = 153;
const unitsAlone = 70;
const unitsInPart = 67;

/** The texts of the parts in order; concatenated they give the text. The empty text has none. */
export function segmentText(text: string, encoding: Encoding): readonly string[] {
  const ends = partEnds(text, encoding);
  if (ends.length === 1) return [text];
  return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
}

export function countParts(text: string, encoding: Encoding): number {
  return partEnds(text, encoding).length;
}

/** Where each part ends, in UTF-16 units. */
function partEnds(text: string, encoding: Encoding): readonly number[] {
  if (text === "") return [];
  return encoding === "gsm7" ? gsm7PartEnds(text) : ucs2PartEnds(text);
}

// One pass: collects the ends of a long message before it is known whether the text fits in one
// part.
function gsm7PartEnds(text: string): readonly number[] {
  const ends: number[] = [];
  let septets = 0;
  let partStart = 0;
  for (let index = 0; index < text.length; index += 1) {
    const cost = septetCost(text.charCodeAt(index));
    if (septets + cost - partStart > septetsInPart) {
      ends.push(index);
      partStart = septets;
    }
    septets += cost;
  }
  if (septets <= septetsAlone) return [text.length];
  ends.push(text.length);
  return ends;
}

function ucs2PartEnds(text: string): readonly number[] {
  if (text.length <= unitsAlone) return [text.length];
  const ends: number[] = [];
  let end = 0;
  while (end < text.length) {
    end = Math.min(end + unitsInPart, text.length);
    if (isInsidePair(text, end)) end -= 1;
    ends.push(end);
  }
  return ends;
}

function isInsidePair(text: string, index: number): boolean {
  return (text.charCodeAt(index - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}

// What a text needs to be sent: its encoding and parts, or why it cannot be sent. Pure.

export interface MeasuredText {
  readonly content: string;
  readonly encoding: Encoding;
  readonly parts: number;
}

/** `field` is the input that a fault refers to: the text itself, or the parameters that made it. */
export function measureText(content: string, field: MessageField, maximumParts: number): MeasuredText | Fault {
  if (!visible.test(content)) return fault("content.blank", field);
  const encoding = isGsm7(content) ? "gsm7" : "ucs2";
  if (encoding === "ucs2") {
    // The GSM alphabet contains neither of the two, so only other texts are searched.
    if (content.includes("\0")) return fault("content.nullCharacter", field);
    if (loneSurrogate.test(content)) return fault("content.loneSurrogate", field);
  }
  const parts = partEnds(content, encoding).length;
  if (parts > maximumParts) return fault("content.tooManyParts", field, { parts, maximum: maximumParts });
  return { content, encoding, parts };
}

// What no phone shows does not count: blanks, controls, and what Unicode lets every font ignore, as
// zero-width and direction marks, soft hyphens and fillers. NUL is told apart. The search ends at
// the first visible character.
export const visible = /[^\s\u0001-\u001F\u007F-\u009F\u2800\uFFF9-\uFFFB\p{Default_Ignorable_Code_Point}]/u;

const loneSurrogate = /\p{Surrogate}/u;

// Which parts of a message a submit_sm carries: one part, or the whole long message. Sets of parts
// are bit masks: bit n-1 stands for part n, and all bits are set for the whole message.
// src/store/sql-texts.ts has the same rules in SQL.

/** 1 for the first part of a message; `wholeMessage` for a long message in one submit_sm. */
export type PartNumber = number;

export const wholeMessage: PartNumber = 0;

export function isWhole(part: PartNumber): boolean {
  return part === wholeMessage;
}

/**
 * The bits of the parts that it carries. For the whole message this includes bits beyond its last
 * part, because the value does not contain the number of parts.
 */
export function bitsOf(part: PartNumber): number {
  return isWhole(part) ? -1 : 1 << (part - 1);
}

/** How many segments the phone receives for it. */
export function segmentsOf(part: PartNumber, parts: number): number {
  return isWhole(part) ? parts : 1;
}

/** Whether it is one of several parts that the phone has to join. */
export function isOneOfMany(part: PartNumber, parts: number): boolean {
  return parts > 1 && !isWhole(part);
}

/**
 * What remains to be submitted: the parts that no SMSC has taken. A long message goes as one
 * payload only while none of its parts is taken, because a taken part is never submitted again.
 */
export function missingParts(
  { parts, partsTaken }: { readonly parts: number; readonly partsTaken: number },
  { asOnePayload }: { readonly asOnePayload: boolean },
): readonly PartNumber[] {
  if (asOnePayload && parts > 1 && partsTaken === 0) return [wholeMessage];
  const missing: PartNumber[] = [];
  for (let part = 1; part <= parts; part += 1)
    if (partsTaken === 0 || (partsTaken & bitsOf(part)) === 0) missing.push(part);
  return missing;
}

// Characters that make a text dearer than it looks: those outside the GSM alphabet, for which all
// of it goes as UCS-2, and those that take two septets; and their replacements. Runs in browsers.

export interface CostlyCharacter {
  readonly character: string;
  /** U+2019, because some cannot be seen. */
  readonly codePoint: string;
  /** Of its first occurrence, in characters from 1. */
  readonly position: number;
  readonly reason: "ucs2" | "twoSeptets";
}

const mostNamed = 20;

/** Each once, at most 20. A text in another script than Latin goes as UCS-2 anyway: none. */
export function costlyCharacters(text: string): readonly CostlyCharacter[] {
  const reason = isGsm7(text) ? "twoSeptets" : "ucs2";
  if (reason === "ucs2" && detectLanguage(text) !== "en") return [];
  const found = new Map<string, CostlyCharacter>();
  let position = 0;
  for (const character of text) {
    position += 1;
    const isCostly = reason === "ucs2" ? !isGsm7(character) : septetCost(character.charCodeAt(0)) === 2;
    if (!isCostly || found.has(character)) continue;
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    found.set(character, { character, codePoint: `U+${code}`, position, reason });
    if (found.size === mostNamed) break;
  }
  return [...found.values()];
}

const replacements: readonly (readonly [RegExp, string])[] = [
  // Blanks, and what is not seen at all.
  [/[\t\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " "],
  [/[\u2028\u2029]/g, "\n"],
  [/[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g, ""],
  [/[\u0060\u00b4\u02bc\u2018\u2019\u201a\u201b\u2032\u2039\u203a]/g, "'"],
  [/[\u201c-\u201f\u2033\u00ab\u00bb]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, "-"],
  [/\u2026/g, "..."],
];

/** The text with characters of a fixed list replaced. */
export function plainForm(text: string): string {
  return replacements.reduce((rest, [pattern, by]) => rest.replace(pattern, by), text.normalize("NFC"));
}

/** The plain form, where it fits the GSM alphabet and fewer parts so. */
export function tidyText(text: string): string {
  if (isGsm7(text)) return text;
  const tidied = plainForm(text);
  const isCheaper = isGsm7(tidied) && countParts(tidied, "gsm7") < countParts(text, "ucs2");
  return isCheaper ? tidied : text;
}
