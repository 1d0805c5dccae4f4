// References that tell a phone which parts belong together (decisions §4 `parts`). A number is in use from the first part that is written until its
// message is at its end, or its last part was taken `lingerSeconds` ago: by then a phone has joined it, or has got all it will get. Pure.
import { isOneOfMany, missingParts } from "./message-parts.ts";

export interface ReferenceSpace {
  /** Numbers that differ on the phone: those of one octet in a user data header, of two in the sar parameters. */
  readonly size: number;
  /** How many messages to one phone may be on their way at a time. The list of them is one row, so it is bounded. */
  readonly most: number;
}

/** Of the user data header; a message that is held back gets a number of this space, which every connector can write. */
export const octet: ReferenceSpace = { size: 256, most: 256 };
const twoOctets: ReferenceSpace = { size: 65_536, most: 1024 };

export const lingerSeconds = 300;

/** The space that a message's number is to be of when its missing parts are submitted in that form; undefined: it needs none. */
export function referenceSpaceOf(
  message: { readonly parts: number; readonly partsTaken: number },
  longMessages: "udh" | "sar" | "payload",
): ReferenceSpace | undefined {
  if (message.parts === 1) return undefined;
  const parts = missingParts(message, { asOnePayload: longMessages === "payload" });
  if (!parts.some((part) => isOneOfMany(part, message.parts))) return undefined;
  return longMessages === "sar" ? twoOctets : octet;
}
