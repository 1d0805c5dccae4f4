// Reference numbers tell a phone which parts belong together (decisions §4 `parts`). A number is in
// use from the first part that is written until the message has ended, or until `lingerSeconds`
// after its last part was taken: by then the phone has joined the parts, or will get no more of
// them. Pure.
import { isOneOfMany, missingParts } from "./message-parts.ts";

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
