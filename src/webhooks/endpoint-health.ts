// The health of an endpoint: how many requests at a time it may get, when it pauses, and when it is
// disabled. Pure: a new value for each outcome, the time is an argument, by the database's clock.
import { retryDelaysMs } from "./retry-times.ts";

export interface EndpointHealth {
  readonly failuresInRow: number;
  /** Unix ms; until then nothing is sent. 0: it does not pause. */
  readonly pausedUntilMs: number;
  /** Of the next pause whose length the endpoint does not name. */
  readonly nextPauseMs: number;
  /** From the beginning of a pause to the first success after it: one request at a time. */
  readonly isProbing: boolean;
  /** Requests at a time while it does not probe. */
  readonly limit: number;
  readonly successesAtLimit: number;
  /** Unix ms of the first failure since the last success; undefined: none. */
  readonly failingSinceMs: number | undefined;
}

const mostRequestsAtOnce = 8;
const successesForOneMore = 10;
const failuresBeforePause = 10;
const firstPauseMs = retryDelaysMs[0] ?? 5_000;
const longestPauseMs = 5 * 60_000;
const failingAfterMs = 5 * 86_400_000;
const goneStatus = 410;
/** The endpoint, or what stands before it, asks for a pause. */
const busyStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export const healthy: EndpointHealth = {
  failuresInRow: 0,
  pausedUntilMs: 0,
  nextPauseMs: firstPauseMs,
  isProbing: false,
  limit: mostRequestsAtOnce,
  successesAtLimit: 0,
  failingSinceMs: undefined,
};

/** How many requests may be under way now. */
export function requestsAllowed({ pausedUntilMs, isProbing, limit }: EndpointHealth, nowMs: number): number {
  if (nowMs < pausedUntilMs) return 0;
  return isProbing ? 1 : limit;
}

/** `endsPause`: it is the first success after a pause, and all that waits becomes due. */
export function afterSuccess(
  health: EndpointHealth,
  nowMs: number,
): { readonly health: EndpointHealth; readonly endsPause: boolean } {
  const well = { ...health, failuresInRow: 0, failingSinceMs: undefined };
  // The request began before the pause: the pause stays.
  if (nowMs < health.pausedUntilMs) return { health: well, endsPause: false };
  if (health.isProbing) return { health: { ...healthy, limit: 1 }, endsPause: true };
  return { health: { ...well, nextPauseMs: firstPauseMs, ...grown(health) }, endsPause: false };
}

function grown({ limit, successesAtLimit }: EndpointHealth): Pick<EndpointHealth, "limit" | "successesAtLimit"> {
  if (limit >= mostRequestsAtOnce) return { limit, successesAtLimit: 0 };
  const successes = successesAtLimit + 1;
  return successes < successesForOneMore
    ? { limit, successesAtLimit: successes }
    : { limit: limit + 1, successesAtLimit: 0 };
}

export type DisabledReason = "gone" | "failing";

export interface Failure {
  /** Absent: there was no answer. */
  readonly httpStatus?: number | undefined;
  /** What Retry-After names. */
  readonly retryAfterMs?: number | undefined;
}

export function afterFailure(
  health: EndpointHealth,
  { httpStatus, retryAfterMs }: Failure,
  nowMs: number,
): { readonly health: EndpointHealth; readonly disabled: DisabledReason | undefined } {
  const failed = {
    ...health,
    failuresInRow: health.failuresInRow + 1,
    successesAtLimit: 0,
    failingSinceMs: health.failingSinceMs ?? nowMs,
  };
  const isFailing = nowMs - failed.failingSinceMs >= failingAfterMs;
  const disabled = httpStatus === goneStatus ? "gone" : isFailing ? "failing" : undefined;
  return { health: paused(failed, { httpStatus, retryAfterMs }, nowMs), disabled };
}

function paused(health: EndpointHealth, { httpStatus, retryAfterMs }: Failure, nowMs: number): EndpointHealth {
  if (retryAfterMs !== undefined)
    return { ...health, isProbing: true, pausedUntilMs: Math.max(health.pausedUntilMs, nowMs + retryAfterMs) };
  const isBusy = httpStatus !== undefined && busyStatuses.has(httpStatus);
  if (!isBusy && !health.isProbing && health.failuresInRow < failuresBeforePause) return health;
  // The request began before the pause, which one failure more does not make longer.
  if (nowMs < health.pausedUntilMs) return health;
  return {
    ...health,
    isProbing: true,
    pausedUntilMs: nowMs + health.nextPauseMs,
    nextPauseMs: Math.min(health.nextPauseMs * 2, longestPauseMs),
  };
}
