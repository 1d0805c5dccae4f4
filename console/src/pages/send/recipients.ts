// Numbers as people paste them: one a line, between commas or semicolons, or with blanks within.
// Pure.
import { cleanNumber, parseRecipient } from "../../../../src/sms/msisdn.ts";

export function readRecipients(pasted: string): readonly string[] {
  return pasted.split(/[\n\r,;،؛\t|]+/).flatMap((piece) => {
    const whole = piece.trim();
    if (whole === "") return [];
    // Blanks stand within a number, or between several.
    if (isNumber(whole) || !/\s/.test(whole)) return [cleaned(whole)];
    const pieces = whole.split(/\s+/);
    return pieces.every(isNumber) ? pieces.map(cleaned) : [cleaned(whole)];
  });
}

function cleaned(text: string): string {
  return cleanNumber(text, "json");
}

function isNumber(text: string): boolean {
  return parseRecipient(cleaned(text)) !== undefined;
}
