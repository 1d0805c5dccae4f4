// When a request that failed is tried again. Pure: randomness is an argument.
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** From one try to the next. */
export const retryDelaysMs: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** Of each delay, up and down, so that what failed together does not come back together. */
const spread = 0.1;

/** The delay after that many tries; undefined: it is given up. `random`: 0 to 1. */
export function retryDelayMs(tries: number, random: number): number | undefined {
  const delay = retryDelaysMs[tries - 1];
  return delay === undefined ? undefined : Math.round(delay * (1 - spread + 2 * spread * random));
}

const longestRetryAfterMs = 24 * hour;

/** The header Retry-After, seconds or a date, in milliseconds from now; undefined: not usable. */
export function readRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^[0-9]{1,15}$/.test(text)) return Math.min(Number(text) * second, longestRetryAfterMs);
  // Of dates, those of HTTP alone (RFC 9110 §5.6.7): Date.parse takes much more.
  if (!/^[A-Z][a-z]+,? .*(GMT|\d{4})$/.test(text)) return undefined;
  // One of C's asctime names no zone: it is GMT, and not that of this machine.
  const at = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - nowMs), longestRetryAfterMs);
}
