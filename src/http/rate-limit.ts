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

function bucketCapacity(requestsPerSecond: number): number {
  return Math.max(1, requestsPerSecond);
}

/** Adds what has come since the bucket was last filled. A clock that goes back adds nothing. */
function fill(bucket: TokenBucket, perSecond: number, capacity: number, nowMs: number): void {
  const elapsedMs = Math.max(0, nowMs - bucket.filledAtMs);
  bucket.tokens = Math.min(capacity, bucket.tokens + (elapsedMs * perSecond) / 1000);
  bucket.filledAtMs = nowMs;
}

/** Takes one request from the bucket, if there is one. */
export function takeRequest(
  bucket: TokenBucket,
  requestsPerSecond: number,
  nowMs: number,
  capacity = bucketCapacity(requestsPerSecond),
): RateVerdict {
  fill(bucket, requestsPerSecond, capacity, nowMs);
  const allowed = bucket.tokens >= 1;
  if (allowed) bucket.tokens -= 1;
  const missing = allowed ? capacity - bucket.tokens : 1 - bucket.tokens;
  const waitSeconds = Math.max(allowed ? 0 : 1, Math.ceil(missing / requestsPerSecond));
  return { allowed, remaining: Math.floor(bucket.tokens), waitSeconds };
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

/**
 * Recently used buckets by key, up to a limit. The oldest is dropped first, which can only favour
 * its owner.
 */
export class RateLimiter<Key> {
  readonly #buckets = new Map<Key, TokenBucket>();
  readonly #maximumKeys: number;

  constructor(maximumKeys: number) {
    this.#maximumKeys = maximumKeys;
  }

  /** `capacity`: how many at once, where it is not those of one second. */
  take(key: Key, requestsPerSecond: number, nowMs: number, capacity = bucketCapacity(requestsPerSecond)): RateVerdict {
    return takeRequest(this.#bucketOf(key, capacity, nowMs), requestsPerSecond, nowMs, capacity);
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
