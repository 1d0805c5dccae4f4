// The encoding and the language of a text. Hodhod sends only GSM 7 bit and UCS-2. Runs in browsers,
// too: the console counts as the gateway does.
import { isGsm7 } from "./gsm7-alphabet.ts";

export type Encoding = "gsm7" | "ucs2";

/** `language` of API spec 2.2, as defined in decisions §4. */
export const textLanguages = ["fa", "en", "other"] as const;
export type Language = (typeof textLanguages)[number];

export function chooseEncoding(text: string): Encoding {
  return isGsm7(text) ? "gsm7" : "ucs2";
}

// Uses script extensions because Arabic shares the tatweel with other scripts.
const arabicLetterOrDigit = /(?=[\p{L}\p{Nd}])\p{Script_Extensions=Arabic}/u;
const letterNotLatin = /(?!\p{Script=Latin})\p{L}/u;

/**
 * fa: contains a letter or digit of the Arabic script. en: all letters are Latin, or there are
 * none. other: everything else (decisions §4).
 */
export function detectLanguage(text: string): Language {
  if (isAscii(text)) return "en";
  if (arabicLetterOrDigit.test(text)) return "fa";
  return letterNotLatin.test(text) ? "other" : "en";
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) > 0x7f) return false;
  }
  return true;
}
