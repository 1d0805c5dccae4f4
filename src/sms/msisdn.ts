// Phone numbers as people write them, and the single form in which recipients are stored.
// Anything but the listed forms is rejected.
import { type Fault, fault } from "./fault.ts";

/** A recipient's number in international form without "+": `989xxxxxxxxx`. */
export type Msisdn = string & { readonly __brand: "Msisdn" };

/**
 * Where the number came from. "query": a URL query or a form, where a bare "+" arrives as a space.
 */
export type NumberSource = "json" | "query";

const plainNumber = /^\+?[0-9]*$/;
/** Source of a pattern: the country code of Iran as people write it. */
export const countryCodePattern = String.raw`(?:\+98|0098|98)`;
const recipientForm = new RegExp(`^(?:${countryCodePattern}|0)?(9[0-9]{9})$`);
const localDigit = /[\u0660-\u0669\u06F0-\u06F9]/g;
// Blanks (zero-width ones too), hyphens and dashes, parentheses, and bidirectional controls.
const decoration = /[\s\u0085\u180E\u200B-\u200D\u2060\p{Pd}\u00AD\u2212()\uFF08\uFF09\p{Bidi_Control}]/gu;

/**
 * Longer texts are no numbers and stay unchanged: cleaning a mebibyte for each message would take
 * seconds.
 */
const maximumCharacters = 200;

/**
 * Cleans a number before it is checked: converts Persian and Arabic-Indic digits to ASCII, and
 * removes separators that phones and web pages put between digits. In a query, one leading space
 * before 98 is a "+" that the client did not encode. Answers return the cleaned number.
 */
export function cleanNumber(text: string, source: NumberSource): string {
  if (text.length > maximumCharacters || plainNumber.test(text)) return text;
  const digits = withAsciiDigits(text);
  const number = source === "query" && digits.startsWith(" 98") ? `+${digits.slice(1)}` : digits;
  return number.replace(decoration, "");
}

/** Persian and Arabic-Indic digits as ASCII ones; everything else stays. */
export function withAsciiDigits(text: string): string {
  return text.replace(localDigit, asciiDigit);
}

// Both blocks of digits start at a multiple of 16, so the low four bits are the digit.
function asciiDigit(digit: string): string {
  return String(digit.charCodeAt(0) & 0xf);
}

/** As people of the country write it: 09…. */
export function nationalForm(msisdn: Msisdn): string {
  return `0${msisdn.slice(2)}`;
}

/** The recipient of a cleaned number; undefined unless it has one of the forms. */
export function parseRecipient(cleaned: string): Msisdn | undefined {
  const national = recipientForm.exec(cleaned)?.[1];
  return national === undefined ? undefined : (`98${national}` as Msisdn);
}

// Mobile numbers as spreadsheets, exports and people write them into cells: with an apostrophe, as a
// formula, as a decimal number. What the spreadsheet has cut is never completed. Pure.

/** A cell that is longer holds more than a number. */
const longestNumber = 200;

/** Undefined: it is none, or cannot be read without guessing. */
export function readNumberCell(cell: string): Msisdn | undefined {
  const number = parseMobile(cell);
  if (number !== undefined || cell.length > longestNumber) return number;
  const plain = withoutWrapping(cell);
  return parseMobile(withoutFraction(plain)) ?? parseMobile(withoutGroups(plain)) ?? ofExponent(plain, false);
}

/** Whether a mobile number stood here whose last digits the spreadsheet has not written. */
export function isCutNumber(cell: string): boolean {
  if (cell.length > longestNumber) return false;
  const plain = withoutWrapping(cell);
  // A column that is too narrow is written as it is shown.
  return /^#{3,}$/.test(plain) || ofExponent(plain, true) !== undefined;
}

/** The recipient of a message, whose number was cleaned. */
export function checkRecipient(cleaned: string): Msisdn | Fault {
  const recipient = parseRecipient(cleaned);
  if (recipient !== undefined) return recipient;
  if (cleaned === "") return fault("recipientNumber.required", "recipientNumber");
  return fault(isCutNumber(cleaned) ? "recipientNumber.cut" : "recipientNumber.form", "recipientNumber");
}

function parseMobile(text: string): Msisdn | undefined {
  return parseRecipient(cleanNumber(text, "json"));
}

const quotes = `"'\`´’‘“”«»`;
const wrapping = new RegExp(`^=?[(${quotes}]*|[)${quotes}]+$`, "g");

/** Without what makes a cell a text: `="0912…"`, `'0912…`, control characters and blanks. */
function withoutWrapping(cell: string): string {
  return withAsciiDigits(cell)
    .replace(/[\p{Cc}\p{Cf}\s]/gu, "")
    .replace(wrapping, "");
}

/** `9121234567.0`: a decimal number. Persian regions write the point as `/` or `٫`. */
function withoutFraction(plain: string): string {
  return plain.replace(/^(\+?\d+)[.,/٫]0*$/, "$1");
}

/** `9,121,234,567` */
function withoutGroups(plain: string): string {
  return /^\+?\d{1,3}([,.٬])\d{3}(?:\1\d{3})+$/.test(plain) ? plain.replace(/[,.٬]/g, "") : plain;
}

const exponential = /^\+?(\d{1,20})(?:[.,/٫](\d{1,20}))?e\+?(\d{1,4})$/i;

/** `9.89121234567E+11` has all digits of its number, `9.12123E+09` has not. */
function ofExponent(plain: string, isCut: boolean): Msisdn | undefined {
  const [, whole = "", fraction = "", power = ""] = exponential.exec(plain) ?? [];
  const places = Number(power);
  const given = fraction.slice(0, places) + fraction.slice(places).replace(/0+$/, "");
  if (given.length > places || isCut !== given.length < places) return undefined;
  return parseMobile(whole + given.padEnd(Math.min(places, longestNumber), "0"));
}
