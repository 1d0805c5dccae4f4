// What is typed as recipients, and templates with the values typed so far. Pure.
import { cleanNumber, readNumberCell } from "../../../../src/sms/msisdn.ts";

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
  return readNumberCell(text) ?? cleanNumber(text, "json");
}

function isNumber(text: string): boolean {
  return readNumberCell(text) !== undefined;
}

// A template with the values typed so far; a placeholder without one stays as it is. The gateway
// makes the text that is sent. Pure.

const placeholder = /\{([\p{L}\p{Nd}_-]+)\}/gu;

export function placeholdersOf(content: string): readonly string[] {
  return [...new Set([...content.matchAll(placeholder)].map(([, name = ""]) => name))];
}

export function renderedText(content: string, values: Readonly<Record<string, string>>): string {
  return content.replace(placeholder, (whole, name: string) => values[name] || whole);
}
