/**
 * How long to wait before the next attempt to connect and bind. Pure: randomness comes in as an argument.
 */

const firstDelayMs = 1000;
const longestDelayMs = 10_000;

/**
 * 1 s, doubling to 10 s. `attempt` counts failures in a row from 1, `random` is in [0, 1): the last quarter of the delay is
 * left to it, so that the binds of many gateways do not return in step after an outage.
 */
export function rebindDelayMs(attempt: number, random: number): number {
  const delay = Math.min(firstDelayMs * 2 ** Math.max(attempt - 1, 0), longestDelayMs);
  return Math.round(delay * (0.75 + random * 0.25));
}
