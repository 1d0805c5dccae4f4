/**
 * The time formats of SMPP 3.4 §7.1.1: `YYMMDDhhmmsstnnp`, absolute (p is + or -, nn quarter hours
 * from UTC) or relative (p is R). The specification does not fix the length of months and years in
 * the relative form; here they are 30 and 365 days. Pure.
 */

const secondsPerDay = 86_400;
const longestRelativeDays = 99 * 365;

function pairs(numbers: number[]): string {
  return numbers.map((number) => String(number).padStart(2, "0")).join("");
}

/** UTC, in whole tenths of a second. */
export function formatAbsoluteTime(at: Date): string {
  const digits = at.toISOString().replace(/\D/g, "");
  return `${digits.slice(2, 14)}${digits.slice(14, 15)}00+`;
}

/**
 * Whole seconds, rounded up, at least one. Days are carried into months of 30 days and years of
 * 365.
 */
export function formatRelativeTime(seconds: number): string {
  const total = Math.max(Math.ceil(seconds), 1);
  const totalDays = Math.min(Math.floor(total / secondsPerDay), longestRelativeDays);
  const years = Math.floor(totalDays / 365);
  const months = Math.min(Math.floor((totalDays % 365) / 30), 12);
  const days = (totalDays % 365) - months * 30;
  const rest = total % secondsPerDay;
  const fields = [years, months, days, Math.floor(rest / 3600), Math.floor((rest % 3600) / 60), rest % 60];
  return `${pairs(fields)}000R`;
}
