// Mobile numbers as spreadsheets, exports and people write them into cells: with an apostrophe, as a
// formula, as a decimal number. What the spreadsheet has cut is never completed. Pure.
import { type Fault, fault } from "./fault.ts";
import { cleanNumber, type Msisdn, parseRecipient, withAsciiDigits } from "./msisdn.ts";

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
export function judgeRecipient(cleaned: string): Msisdn | Fault {
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
