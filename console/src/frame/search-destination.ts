// What was typed into the search box, as the address of the page that answers it. Pure.
import { asciiDigits } from "../format/numbers.ts";

const uuid = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;
const phone = /^\+?\d{7,15}$/;

/** Undefined where nothing was typed. */
export function destinationOf(typed: string, seesAccounts: boolean): string | undefined {
  const text = typed.trim();
  if (text === "") return undefined;
  const digits = asciiDigits(text).replace(/[\s()-]/g, "");
  if (uuid.test(text)) return `/messages/${text.toLowerCase()}`;
  if (phone.test(digits)) return `/messages?recipient=${encodeURIComponent(digits)}`;
  return seesAccounts ? `/accounts/${encodeURIComponent(text)}` : `/messages?batch=${encodeURIComponent(text)}`;
}
