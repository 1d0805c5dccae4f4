// The bit masks of src/sms/message-parts.ts in SQL, for statements that name the message m.
import { wholeMessage } from "../sms/message-parts.ts";

/** Bits of what a submit_sm carried: of one part, or all bits where it carried the whole message. */
export function bitsOfPart(part: string): string {
  return `(case when ${part} = ${wholeMessage} then -1 else 1 << (${part} - 1) end)`;
}

/** Bits of all parts of the message. */
export const allPartBits = "((1 << m.parts) - 1)";

/** Whether what a submit_sm carried has more parts of the message than those of a mask. */
export function hasMoreThan(part: string, bits: string): string {
  return `(${bitsOfPart(part)} & ${allPartBits} & ~(${bits}) <> 0)`;
}
