// Comma-separated values as spreadsheets read them (RFC 4180). Pure.

export type CsvValue = string | number | bigint | boolean | Date | null | undefined;

/** Excel takes a file without it for one in the code page of the machine. */
export const byteOrderMark = "\uFEFF";

/** What a spreadsheet would take for a formula, whatever blanks or controls stand before it. */
const formula = /^[\s\u0000-\u001f]*[=+\-@＝＋－＠]|^[\t\r\n]/;
/** Semicolons and tabs, too: LibreOffice divides at them as well as at commas. */
const needsQuotes = /[",;\t\r\n]|^\s|\s$/;

/** One line with its end. */
export function csvRecord(values: readonly CsvValue[]): string {
  return `${values.map(csvField).join(",")}\r\n`;
}

function csvField(value: CsvValue): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== "string") return String(value);
  // An apostrophe makes it text.
  const text = formula.test(value) ? `'${value}` : value;
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
