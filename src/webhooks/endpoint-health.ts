// How an endpoint stands: how many requests at a time it may get, when it rests, and when it is
// disabled. Pure: a new value for each outcome, the time is an argument.
import { retryDelaysMs } from "./schedule.ts";

export interface EndpointHealth {
  readonly failuresInRow: number;
  /** Unix ms; until then nothing is sent. 0: it does not rest. */
  readonly restUntilMs: number;
  /** Of the next rest whose length the endpoint does not name. */
  readonly nextRestMs: number;
  /** From the beginning of a rest to the first success after it: one request at a time. */
  readonly isProbing: boolean;
  /** Requests at a time while it does not probe. */
  readonly limit: number;
  readonly successesAtLimit: number;
  /** Unix ms of the first failure since the last success; undefined: none. */
  readonly failingSinceMs: number | undefined;
}

export const mostRequestsAtOnce = 8;
const successesForOneMore = 10;
const failuresBeforeRest = 10;
const firstRestMs = retryDelaysMs[0] ?? 5_000;
const longestRestMs = 5 * 60_000;
const failingAfterMs = 5 * 86_400_000;
const goneStatus = 410;
/** The endpoint, or what stands before it, asks for a pause. */
const busyStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export const healthy: EndpointHealth = {
  failuresInRow: 0,
  restUntilMs: 0,
  nextRestMs: firstRestMs,
  isProbing: false,
  limit: mostRequestsAtOnce,
  successesAtLimit: 0,
  failingSinceMs: undefined,
};

/** How many requests may be under way now. */
export function requestsAllowed({ restUntilMs, isProbing, limit }: EndpointHealth, nowMs: number): number {
  if (nowMs < restUntilMs) return 0;
  return isProbing ? 1 : limit;
}

/** `endsRest`: it is the first success after a rest, and all that waits becomes due. */
export function afterSuccess(
  health: EndpointHealth,
  nowMs: number,
): { readonly health: EndpointHealth; readonly endsRest: boolean } {
  // One object for all who are well: thousands are, and each success would make another one.
  if (isWell(health, nowMs)) return { health: healthy, endsRest: false };
  const well = { ...health, failuresInRow: 0, failingSinceMs: undefined };
  // The request began before the rest: the rest stays.
  if (nowMs < health.restUntilMs) return { health: well, endsRest: false };
  if (health.isProbing) return { health: { ...healthy, limit: 1 }, endsRest: true };
  return { health: { ...well, nextRestMs: firstRestMs, ...grown(health) }, endsRest: false };
}

function isWell({ failuresInRow, restUntilMs, isProbing, limit, nextRestMs }: EndpointHealth, nowMs: number): boolean {
  const isAtEase = failuresInRow === 0 && !isProbing && nowMs >= restUntilMs;
  return isAtEase && limit >= mostRequestsAtOnce && nextRestMs === firstRestMs;
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
  return { health: rested(failed, { httpStatus, retryAfterMs }, nowMs), disabled };
}

function rested(health: EndpointHealth, { httpStatus, retryAfterMs }: Failure, nowMs: number): EndpointHealth {
  if (retryAfterMs !== undefined)
    return { ...health, isProbing: true, restUntilMs: Math.max(health.restUntilMs, nowMs + retryAfterMs) };
  const isBusy = httpStatus !== undefined && busyStatuses.has(httpStatus);
  if (!isBusy && !health.isProbing && health.failuresInRow < failuresBeforeRest) return health;
  // The request began before the rest, which one failure more does not make longer.
  if (nowMs < health.restUntilMs) return health;
  return {
    ...health,
    isProbing: true,
    restUntilMs: nowMs + health.nextRestMs,
    nextRestMs: Math.min(health.nextRestMs * 2, longestRestMs),
  };
}
