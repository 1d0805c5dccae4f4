// Which parts of a message a submit_sm carries: one of them, or the whole long message at once. Sets of parts are bit masks: bit n-1 stands for
// part n, and all bits are set for the whole message. src/store/part-bits.ts says the same in SQL.

/** 1 for the first part of a message; `wholeMessage` for all of a long one in one submit_sm. */
export type PartNumber = number;

export const wholeMessage: PartNumber = 0;

export function isWhole(part: PartNumber): boolean {
  return part === wholeMessage;
}

/** Bits of the parts that it carries. Of the whole message also bits beyond its last part, for it does not say how many it has. */
export function bitsOf(part: PartNumber): number {
  return isWhole(part) ? -1 : 1 << (part - 1);
}

/** How many segments a phone gets of it. */
export function segmentsOf(part: PartNumber, parts: number): number {
  return isWhole(part) ? parts : 1;
}

/** Whether it carries one part among others, which the phone has to join. */
export function isOneOfMany(part: PartNumber, parts: number): boolean {
  return parts > 1 && !isWhole(part);
}

/**
 * What is to be submitted of a message: the parts that no SMSC has taken. A long message goes as one payload only while none of its parts is
 * taken, for a part that was taken is never submitted again.
 */
export function missingParts(
  { parts, partsTaken }: { readonly parts: number; readonly partsTaken: number },
  { asOnePayload }: { readonly asOnePayload: boolean },
): readonly PartNumber[] {
  if (asOnePayload && parts > 1 && partsTaken === 0) return [wholeMessage];
  return Array.from({ length: parts }, (_, index) => index + 1).filter((part) => (partsTaken & bitsOf(part)) === 0);
}
