// The encoding and the language of a text. Hodhod sends only GSM 7 bit and UCS-2. Runs in browsers,
// too: the console counts as the gateway does.
import { isGsm7 } from "./gsm7-alphabet.ts";

export type Encoding = "gsm7" | "ucs2";

/** `language` of a message, as `detectLanguage` finds it. */
export const textLanguages = ["fa", "en", "other"] as const;
export type Language = (typeof textLanguages)[number];

export function chooseEncoding(text: string): Encoding {
  return isGsm7(text) ? "gsm7" : "ucs2";
}

// Uses script extensions because Arabic shares the tatweel with other scripts.
const arabicLetterOrDigit = /(?=[\p{L}\p{Nd}])\p{Script_Extensions=Arabic}/u;
const ascii = /^[\x00-\x7f]*$/;
const letterNotLatin = /(?!\p{Script=Latin})\p{L}/u;

/**
 * fa: contains a letter or digit of the Arabic script. en: all letters are Latin, or there are
 * none. other: everything else.
 */
export function detectLanguage(text: string): Language {
  if (ascii.test(text)) return "en";
  if (arabicLetterOrDigit.test(text)) return "fa";
  return letterNotLatin.test(text) ? "other" : "en";
}

// Names and references: text on one line, without what nobody sees; and how what nobody sees is
// shown. Pure.

/** Most names, and several times faster to see. */
const plain = /^[!-~]+$/;

/**
 * No blank at either end, and no control or format characters, except the half-space between two
 * letters of the Arabic script: Persian words are written with it, and elsewhere nobody sees it.
 */
export function isOneLine(text: string): boolean {
  return (
    plain.test(text) ||
    /^[^\s\p{C}](?:(?:[^\p{C}]|(?<=\p{scx=Arab})\u200c(?=\p{scx=Arab})(?=\p{L}))*[^\s\p{C}])?$/u.test(text)
  );
}

/**
 * Text from outside must neither move the cursor of a terminal nor turn the direction of what
 * follows it: control and format characters become escapes.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`);
}

// What is kept and shown of the text of a delivery receipt. It may repeat the text of the message,
// which is erased at its time, and which staff see only where it is audited. Pure.

const fieldsAtFirst =
  /^\s*id\s*:(?:\s*[^\s,;:]+(?![^\s,;]*\s*:))?(?:[\s,;]+(?:sub|dlvrd|submit date|done date|stat|err)\s*:\s*[^\s,;:]*)*/i;

/**
 * The fields that a receipt begins with (SMPP 3.4 appendix B). In any other form nobody knows where
 * the text of the message stands: "".
 */
export function receiptFields(whole: string): string {
  return fieldsAtFirst.exec(whole)?.[0].trim() ?? "";
}
