// What a text needs to be sent: its encoding and parts, or why it cannot be sent. Pure.
import { fault, type Fault, type MessageField } from "./fault.ts";
import { countParts } from "./segmentation.ts";
import { chooseEncoding, type Encoding } from "./text-kind.ts";

export interface MeasuredText {
  readonly content: string;
  readonly encoding: Encoding;
  readonly parts: number;
}

export type MeasureText = (content: string, field: MessageField, maximumParts: number) => MeasuredText | Fault;

/** `field` is the input that a fault refers to: the text itself, or the parameters that made it. */
export function measureText(content: string, field: MessageField, maximumParts: number): MeasuredText | Fault {
  if (!visible.test(content)) return fault("content.blank", field);
  const encoding = chooseEncoding(content);
  if (encoding === "ucs2") {
    // The GSM alphabet contains neither of the two, so only other texts are searched.
    if (content.includes("\0")) return fault("content.nullCharacter", field);
    if (hasLoneSurrogate(content)) return fault("content.loneSurrogate", field);
  }
  const parts = countParts(content, encoding);
  if (parts > maximumParts) return fault("content.tooManyParts", field, { parts, maximum: maximumParts });
  return { content, encoding, parts };
}

// What no phone shows does not count: blanks, controls, and what Unicode lets every font ignore, as
// zero-width and direction marks, soft hyphens and fillers. NUL is told apart. The search ends at
// the first visible character.
export const visible = /[^\s\u0001-\u001F\u007F-\u009F\u2800\p{Default_Ignorable_Code_Point}]/u;

function hasLoneSurrogate(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const kind = text.charCodeAt(index) & 0xfc00;
    if (kind === 0xdc00) return true;
    if (kind === 0xd800) {
      index += 1;
      if ((text.charCodeAt(index) & 0xfc00) !== 0xdc00) return true;
    }
  }
  return false;
}
