// Amounts of money: whole rials in a bigint, never a floating-point number, and their text with
// thousands separators.

export type Rials = bigint;

const thousandsBoundary = /\B(?=(?:[0-9]{3})+$)/g;
const amountForm = /^[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)$/;

// A PostgreSQL bigint can hold any number of 18 digits.
const maximumDigits = 18;

/** "1,390" */
export function formatRials(amount: Rials): string {
  const digits = amount.toString();
  return amount > -1000n && amount < 1000n ? digits : digits.replace(thousandsBoundary, ",");
}

/** Parses digits with or without thousands separators and sign; undefined for anything else. */
export function parseRials(text: string): Rials | undefined {
  if (!amountForm.test(text)) return undefined;
  const digits = text.replaceAll(",", "").replace("+", "");
  return digits.replace("-", "").length > maximumDigits ? undefined : BigInt(digits);
}
