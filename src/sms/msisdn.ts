// Phone numbers as people write them, and the one form in which a recipient is kept inside.
// API spec 2.5 and decisions §1 "Phone numbers". Never guesses: what is not one of the listed forms is no number.

/** A recipient's number in international form without "+": `989xxxxxxxxx`. */
export type Msisdn = string & { readonly __brand: "Msisdn" };

/** Where a number was read: "query" stands for URL queries and forms, where a bare "+" arrives as a space. */
export type NumberSource = "json" | "query";

const plainNumber = /^\+?[0-9]*$/;
const recipientForm = /^(?:0098|\+98|98|0)?(9[0-9]{9})$/;
const localDigit = /[\u0660-\u0669\u06F0-\u06F9]/g;
// Blanks of any kind (those of no width too), hyphens and dashes, parentheses, and the controls of writing direction.
const decoration = /[\s\u0085\u180E\u200B-\u200D\u2060\p{Pd}\u00AD\u2212()\uFF08\uFF09\p{Bidi_Control}]/gu;

/** What is longer is no number in any writing, and is left as it came: cleaning a mebibyte for each message would take seconds. */
const maximumCharacters = 200;

/**
 * Clean-up before a number is judged: Persian and Arabic-Indic digits become ASCII digits; what phones and pages put between digits goes.
 * In a query one leading space before 98 is a "+" that the client forgot to encode.
 * The result is what answers repeat.
 */
export function cleanNumber(text: string, source: NumberSource): string {
  if (text.length > maximumCharacters || plainNumber.test(text)) return text;
  const digits = text.replace(localDigit, asciiDigit);
  const number = source === "query" && digits.startsWith(" 98") ? `+${digits.slice(1)}` : digits;
  return number.replace(decoration, "");
}

// Both blocks of digits begin at a multiple of 16, so the low four bits are the digit.
function asciiDigit(digit: string): string {
  return String(digit.charCodeAt(0) & 0xf);
}

/** The recipient in a cleaned number, or undefined when it has none of the forms of API spec 2.5. */
export function parseRecipient(cleaned: string): Msisdn | undefined {
  const national = recipientForm.exec(cleaned)?.[1];
  return national === undefined ? undefined : (`98${national}` as Msisdn);
}
