/**
 * Ways in which an SMSC may write the same message id. Real ones answer submit_sm in one form and
 * send the receipt in another.
 */

export type WrittenIdFormat = "decimal" | "leading-zeros" | "hex" | "upper-case-hex" | "uuid" | "upper-case-uuid";

/** More digits than a safe integer has. */
const leadingZerosDigits = 20;

/** `number` is a positive safe integer. */
export function writeMessageId(number: number, format: WrittenIdFormat): string {
  switch (format) {
    case "decimal":
      return String(number);
    case "leading-zeros":
      return String(number).padStart(leadingZerosDigits, "0");
    case "hex":
      return number.toString(16);
    case "upper-case-hex":
      return number.toString(16).toUpperCase();
    case "uuid":
      return uuidOf(number);
    case "upper-case-uuid":
      return uuidOf(number).toUpperCase();
  }
}

/** Looks like a version 4 UUID and contains the number. */
function uuidOf(number: number): string {
  const low = number.toString(16).padStart(14, "0");
  const mixed = (Math.imul(number | 0, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0");
  return `${mixed}-${low.slice(0, 4)}-4${low.slice(4, 7)}-a${low.slice(7, 10)}-${low.slice(10)}${mixed}`;
}
