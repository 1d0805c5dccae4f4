// The first sheet of an Excel workbook as rows of texts. Numbers come as their digits, so that a phone
// number that Excel took for a number keeps them all; dates and codes come as they are shown, and
// formulas as their last result.
import { type CellValue, readXlsx, type Sheet } from "hucre/xlsx";
import { FileProblem, maximumColumns, maximumUnpackedBytes, type TableRow } from "./table.ts";

export async function readWorkbook(bytes: Uint8Array): Promise<readonly TableRow[]> {
  const sheet = await readSheet(bytes).catch((error: unknown) => {
    throw error instanceof FileProblem ? error : new FileProblem("notReadable");
  });
  if (sheet === undefined) throw new FileProblem("notReadable");
  return sheet.rows
    .map((values, row) => ({
      number: row + 1,
      cells: values
        .slice(0, maximumColumns)
        .map((value, column) => shown(value, sheet.cells?.get(`${row},${column}`)?.style?.numFmt)),
    }))
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ""));
}

async function readSheet(bytes: Uint8Array): Promise<Sheet | undefined> {
  if (unpackedBytes(bytes) > maximumUnpackedBytes) throw new FileProblem("unpackedTooLarge");
  return (await readXlsx(bytes, { sheets: [0], readStyles: true })).sheets[0];
}

/**
 * As the directory of the ZIP archive declares it. The library reads no more of an entry, except where
 * none is declared.
 */
function unpackedBytes(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (view.getUint32(end, true) !== 0x06054b50) end -= 1;
  let total = 0;
  let entry = view.getUint32(end + 16, true);
  while (view.getUint32(entry, true) === 0x02014b50) {
    const afterName = entry + 46 + view.getUint16(entry + 28, true);
    const size = view.getUint32(entry + 24, true);
    // ZIP64: some writers give each size in 64 bits, in the first extra field.
    total += size === 0xffffffff ? Number(view.getBigUint64(afterName + 4, true)) : size;
    entry = afterName + view.getUint16(entry + 30, true) + view.getUint16(entry + 32, true);
  }
  return total;
}

/** `format`: the code of the cell's number format. */
function shown(value: CellValue, format = ""): string {
  if (value === null) return "";
  if (value instanceof Date) return shownDate(value, format);
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  if (typeof value === "string") return value;
  // A code such as 0042.
  if (/^0{2,}$/.test(format) && Number.isInteger(value) && value >= 0)
    return String(value).padStart(format.length, "0");
  // Excel shows 15 digits: 0.1 + 0.2 is 0.3.
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? value.toFixed(0) : String(Number(value.toPrecision(15)));
}

/** The language as a name or a number; before it, or after it, the calendar, and first of all the kind of digits. */
const persianCalendar = /\[\$-(?:[^\]]*,[\da-f]{0,2}16|[\da-f]{0,2}16[\da-f]{4})\]/i;
const persianDay = new Intl.DateTimeFormat("en-u-ca-persian", {
  ...{ timeZone: "UTC", year: "numeric", month: "2-digit", day: "2-digit" },
});

/** Days as 2026-11-28, or 1405/09/07 in the Persian calendar, as far as the format (ECMA-376 §18.8.30) shows them. */
function shownDate(given: Date, format: string): string {
  // A number of Excel is exact to half a second.
  const at = new Date(Math.round(given.getTime() / 1000) * 1000);
  const letters = format.replace(/"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, "");
  const hasTime = /[hs]/i.test(letters);
  const hasDay = !hasTime || /[yd]/i.test(letters);
  const [day = "", clock = ""] = at.toISOString().split("T");
  const time = clock.replace(/(:00)?\.000Z$/, "");
  if (!hasDay) return time;
  const shownDay = persianCalendar.test(format) ? persianDate(at) : day;
  return hasTime && time !== "00:00" ? `${shownDay} ${time}` : shownDay;
}

function persianDate(at: Date): string {
  const parts = new Map(persianDay.formatToParts(at).map(({ type, value }) => [type, value]));
  return `${parts.get("year") ?? ""}/${parts.get("month") ?? ""}/${parts.get("day") ?? ""}`;
}
