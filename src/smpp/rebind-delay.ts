/** The delay before the next attempt to connect and bind. Pure: randomness is an argument. */

const usual = { firstMs: 1000, longestMs: 10_000 };
/** Some SMSCs lock an account after a number of wrong passwords. */
const afterWrongCredentials = { firstMs: 60_000, longestMs: 900_000 };

/**
 * 1 s, doubling up to 10 s; after wrong credentials a minute, doubling up to 15. `attempt` counts
 * consecutive failures from 1. `random` is in [0, 1) and decides the last quarter of the delay, so
 * that many gateways do not bind again in step after an outage.
 */
export function rebindDelayMs(attempt: number, random: number, { wrongCredentials = false } = {}): number {
  const { firstMs, longestMs } = wrongCredentials ? afterWrongCredentials : usual;
  const delay = Math.min(firstMs * 2 ** Math.max(attempt - 1, 0), longestMs);
  return Math.round(delay * (0.75 + random * 0.25));
}
