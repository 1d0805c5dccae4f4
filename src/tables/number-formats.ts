// What a spreadsheet shows for the number in a cell (ECMA-376 §18.8.30), as far as it is another text
// than the number: dates and times, and codes with leading zeros. Pure.

/** Formats that a workbook does not describe: those of dates and times. */
const builtIn: ReadonlyMap<number, string> = new Map([
  ...[14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58].map((id) => [id, "yyyy-mm-dd"] as const),
  ...[18, 19, 20, 21, 32, 33, 34, 35, 45, 46, 47, 55, 56].map((id) => [id, "hh:mm"] as const),
  [22, "yyyy-mm-dd hh:mm"],
]);

/** The language as a name or a number; before it, or after it, the calendar, and first of all the kind of digits. */
const persianCalendar = /\[\$-(?:[^\]]*,[\da-f]{0,2}16|[\da-f]{0,2}16[\da-f]{4})\]/i;

export interface NumberFormat {
  readonly hasDay: boolean;
  readonly hasTime: boolean;
  /** The Persian calendar. */
  readonly isPersian: boolean;
  /** Of a code such as 0042. */
  readonly digits: number;
}

/** Undefined: what is shown is the number. */
export function numberFormat(id: number, codes: ReadonlyMap<number, string>): NumberFormat | undefined {
  const code = codes.get(id) ?? builtIn.get(id) ?? "";
  if (/^0{2,}$/.test(code)) return { hasDay: false, hasTime: false, isPersian: false, digits: code.length };
  const [letters = ""] = code
    .replace(/"[^"]*"|\\.|_.|\*./g, "")
    .replace(/\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, "")
    .split(";");
  const hasTime = /[hs]/i.test(letters);
  const hasDay = /[yd]/i.test(letters) || (/m/i.test(letters) && !hasTime);
  if (!hasTime && !hasDay) return undefined;
  return { hasDay, hasTime, isPersian: persianCalendar.test(code), digits: 0 };
}

const dayMs = 86_400_000;
const epochMs = Date.UTC(1899, 11, 30);
/** Days of a workbook that counts from 1904. */
const daysTo1904 = 1462;
const longestSerial = 2_958_466;
const persianDay = new Intl.DateTimeFormat("en-u-ca-persian", {
  ...{ timeZone: "UTC", year: "numeric", month: "2-digit", day: "2-digit" },
});

/** `value`: the number as the file has it. Days as 2026-11-28, or 1405/09/07 in the Persian calendar. */
export function shownNumber(
  value: string,
  { hasDay, hasTime, isPersian, digits }: NumberFormat,
  { from1904 }: { readonly from1904: boolean },
): string {
  if (digits > 0) return /^\d+$/.test(value) ? value.padStart(digits, "0") : value;
  const serial = Number(value);
  if (!(serial >= 0 && serial < longestSerial)) return value;
  // A number of Excel is exact to half a second.
  const at = new Date(epochMs + Math.round((serial + (from1904 ? daysTo1904 : 0)) * 86_400) * 1000);
  const [day = "", clock = ""] = at.toISOString().split("T");
  const time = clock.endsWith(":00.000Z") ? clock.slice(0, 5) : clock.slice(0, 8);
  const shownDay = isPersian ? persianDate(at) : day;
  const isMidnight = at.getTime() % dayMs === 0;
  if (!hasDay) return time;
  return hasTime && !isMidnight ? `${shownDay} ${time}` : shownDay;
}

function persianDate(at: Date): string {
  const parts = new Map(persianDay.formatToParts(at).map(({ type, value }) => [type, value]));
  return `${parts.get("year") ?? ""}/${parts.get("month") ?? ""}/${parts.get("day") ?? ""}`;
}
