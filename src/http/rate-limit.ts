// The rate limit of an account: one token bucket each. Pure given the time. The header fields are
// those of the RateLimit draft and the three older ones that most clients read.

/** A bucket that holds one second's requests, at least one. */
export interface TokenBucket {
  tokens: number;
  filledAtMs: number;
}

export interface RateVerdict {
  readonly allowed: boolean;
  /** Whole requests left. */
  readonly remaining: number;
  /**
   * Until the bucket holds one request again (when refused) or is full (when allowed); at least 1
   * when refused.
   */
  readonly waitSeconds: number;
}

export function bucketCapacity(requestsPerSecond: number): number {
  return Math.max(1, requestsPerSecond);
}

/** Takes one request from the bucket, if there is one. A clock that goes back adds nothing. */
export function takeRequest(
  bucket: TokenBucket,
  requestsPerSecond: number,
  nowMs: number,
  capacity = bucketCapacity(requestsPerSecond),
): RateVerdict {
  const elapsedMs = Math.max(0, nowMs - bucket.filledAtMs);
  bucket.tokens = Math.min(capacity, bucket.tokens + (elapsedMs * requestsPerSecond) / 1000);
  bucket.filledAtMs = nowMs;
  const allowed = bucket.tokens >= 1;
  if (allowed) bucket.tokens -= 1;
  // A bucket that owes to other workers has none left.
  const missing = allowed ? capacity - bucket.tokens : 1 - bucket.tokens;
  const waitSeconds = Math.max(allowed ? 0 : 1, Math.ceil(missing / requestsPerSecond));
  return { allowed, remaining: Math.max(0, Math.floor(bucket.tokens)), waitSeconds };
}

/** `name` is the name of the policy, such as "account". */
export function rateLimitFields(
  name: string,
  requestsPerSecond: number,
  { allowed, remaining, waitSeconds }: RateVerdict,
): Record<string, string> {
  const quota = Math.floor(bucketCapacity(requestsPerSecond));
  const windowSeconds = Math.max(1, Math.ceil(1 / requestsPerSecond));
  const fields = {
    "ratelimit-policy": `"${name}";q=${quota};w=${windowSeconds}`,
    ratelimit: `"${name}";r=${remaining};t=${waitSeconds}`,
    "x-ratelimit-limit": String(quota),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(waitSeconds),
  };
  return allowed ? fields : { ...fields, "retry-after": String(waitSeconds) };
}

/** Takes what others have taken from the same bucket. It may owe as much as it holds. */
export function spend(
  bucket: TokenBucket,
  { perSecond, capacity, count }: { perSecond: number; capacity: number; count: number },
  nowMs: number,
): void {
  const elapsedMs = Math.max(0, nowMs - bucket.filledAtMs);
  const filled = Math.min(capacity, bucket.tokens + (elapsedMs * perSecond) / 1000);
  bucket.tokens = Math.max(-capacity, filled - count);
  bucket.filledAtMs = nowMs;
}

/** One bucket of several workers: each tells the others what it took. */
export type TellTaken<Key> = (taken: { key: Key; perSecond: number; capacity: number; count: number }) => void;

/**
 * Recently used buckets by key, up to a limit. The oldest is dropped first, which can only favour
 * its owner.
 */
export class RateLimiter<Key> {
  readonly #buckets = new Map<Key, TokenBucket>();
  readonly #maximumKeys: number;

  readonly #tell: TellTaken<Key> | undefined;

  constructor(maximumKeys: number, tell?: TellTaken<Key>) {
    this.#maximumKeys = maximumKeys;
    this.#tell = tell;
  }

  /** `capacity`: how many at once, where it is not those of one second. */
  take(key: Key, requestsPerSecond: number, nowMs: number, capacity = bucketCapacity(requestsPerSecond)): RateVerdict {
    const verdict = takeRequest(this.#bucketOf(key, capacity, nowMs), requestsPerSecond, nowMs, capacity);
    if (verdict.allowed) this.#tell?.({ key, perSecond: requestsPerSecond, capacity, count: 1 });
    return verdict;
  }

  /** Another worker took so many. */
  hear(taken: { key: Key; perSecond: number; capacity: number; count: number }, nowMs: number): void {
    spend(this.#bucketOf(taken.key, taken.capacity, nowMs), taken, nowMs);
  }

  #bucketOf(key: Key, capacity: number, nowMs: number): TokenBucket {
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      bucket = { tokens: capacity, filledAtMs: nowMs };
      const oldest = this.#buckets.keys().next();
      if (this.#buckets.size >= this.#maximumKeys && oldest.done !== true) this.#buckets.delete(oldest.value);
      this.#buckets.set(key, bucket);
    }
    return bucket;
  }
}
