/** The delay before the next attempt to connect and bind. Pure: randomness is an argument. */

const firstDelayMs = 1000;
const longestDelayMs = 10_000;

/**
 * 1 s, doubling up to 10 s. `attempt` counts consecutive failures from 1. `random` is in [0, 1) and
 * decides the last quarter of the delay, so that many gateways do not bind again in step after an
 * outage.
 */
export function rebindDelayMs(attempt: number, random: number): number {
  const delay = Math.min(firstDelayMs * 2 ** Math.max(attempt - 1, 0), longestDelayMs);
  return Math.round(delay * (0.75 + random * 0.25));
}
