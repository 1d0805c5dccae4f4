// What every endpoint can use: the parts of the service that the HTTP server needs, and its own
// limits.
import type { FastifyRequest } from "fastify";
import { requestAddress } from "./client-address.ts";
import { LimitedDatabase } from "../store/limited-database.ts";
import { RateLimiter } from "./rate-limit.ts";
import type { ServerParts } from "./server-parts.ts";

const maximumAccounts = 100_000;

/**
 * How many sessions of the pool a kind of slow work may take: two, so that one long call does not
 * make all others wait, but only one of a small pool.
 */
export function sessionsForSlowWork({ poolSize }: { readonly poolSize: number }): 1 | 2 {
  return poolSize < 8 ? 1 : 2;
}

export class ApiContext {
  readonly parts: ServerParts;
  /** For lists of endpoints, which read the log of events: sending and accepting keep the rest. */
  readonly lists: LimitedDatabase;
  /** For the counting of replays, a million events at most: others keep the rest, and the lists. */
  readonly replays: LimitedDatabase;
  readonly #accountLimiter = new RateLimiter<number>(maximumAccounts);

  constructor(parts: ServerParts) {
    this.parts = parts;
    this.lists = new LimitedDatabase(parts.db, { total: sessionsForSlowWork(parts.db) });
    this.replays = new LimitedDatabase(parts.db, { total: 1 });
  }

  addressOf(request: FastifyRequest): string {
    return requestAddress(request.raw, this.parts.config.trustProxy);
  }

  takeRequest(accountId: number, requestsPerSecond: number) {
    const here = this.parts.rateShares?.take(accountId, requestsPerSecond) ?? requestsPerSecond;
    return this.#accountLimiter.take(accountId, here, performance.now());
  }
}

// One look at the database for many calls: it runs once at a time, and calls that come while it
// runs or shortly after get its answer.

/** A look that took long is kept for longer: it takes at most this share of the time. */
const mostShare = 0.25;

/**
 * `keptMs`: how long an answer is good, from its beginning. A failed look is shared by those who
 * wait for it, and not kept.
 */
export function sharedLook<Answer>(look: () => Promise<Answer>, keptMs: number): () => Promise<Answer> {
  let latest: Promise<Answer> | undefined;
  let goodUntil = Infinity;
  return () => {
    if (latest !== undefined && performance.now() < goodUntil) return latest;
    const begunAt = performance.now();
    goodUntil = Infinity;
    latest = look().then(
      (answer) => {
        goodUntil = begunAt + Math.max(keptMs, (performance.now() - begunAt) / mostShare);
        return answer;
      },
      (error: unknown) => {
        goodUntil = 0;
        throw error;
      },
    );
    return latest;
  };
}
