// Parts of messages as the statements see them: one part, and the bit masks of
// src/sms/segmentation.ts in SQL (parts as bits), for statements that call the message m.
import { type PartNumber, wholeMessage } from "../sms/segmentation.ts";

/** One part of a message. */
export interface PartOfMessage {
  readonly accountId: number;
  readonly messageId: string;
  readonly part: PartNumber;
}

/** Bits of what a submit_sm carried: of one part, or all bits when it carried the whole message. */
export function bitsOfPart(part: string): string {
  return `(case when ${part} = ${wholeMessage} then -1 else 1 << (${part} - 1) end)`;
}

/** Bits of all parts of the message. */
export const allPartBits = "((1 << m.parts) - 1)";

/** Whether a submit_sm carried parts of the message that a mask does not contain. */
export function hasMoreThan(part: string, bits: string): string {
  return `(${bitsOfPart(part)} & ${allPartBits} & ~(${bits}) <> 0)`;
}

/** Bits of the parts that are held: submitted, never answered, and not to be submitted again. */
export const heldBits = `coalesce((select bit_or(${bitsOfPart("h.part")}) from held_message h where h.account_id = m.account_id and h.message_id = m.id), 0)`;

/** Whether the message has a part that is neither taken nor held. */
export const hasMoreToSubmit = hasMoreThan(`${wholeMessage}`, `m.parts_taken | ${heldBits}`);
