// Cuts a text into parts and counts them with the same function, so that the two always agree. 3GPP
// TS 23.038 §6.2.1 and 23.040 §9.2.3.24.1 with the 8-bit reference; decisions §4 `parts`. Never
// cuts an escape pair or a surrogate pair; joined emoji may be cut between code points.
import type { Encoding } from "./text-kind.ts";
import { septetCost } from "./gsm7-alphabet.ts";

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
