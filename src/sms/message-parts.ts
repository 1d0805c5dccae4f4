// Which parts of a message a submit_sm carries: one part, or the whole long message. Sets of parts
// are bit masks: bit n-1 stands for part n, and all bits are set for the whole message.
// src/store/part-bits.ts has the same rules in SQL.

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
  return Array.from({ length: parts }, (_, index) => index + 1).filter((part) => (partsTaken & bitsOf(part)) === 0);
}
