// What every endpoint can use: the parts of the service that the HTTP server needs, and its own
// limits.
import type { FastifyRequest } from "fastify";
import { sourceNetwork } from "../credentials/source-network.ts";
import { requestAddress } from "./client-address.ts";
import type { SharedLimiter } from "../workers/siblings.ts";
import { DatabaseShare } from "../store/database-share.ts";
import { RateLimiter } from "./rate-limit.ts";
import type { ServerParts } from "./server-parts.ts";

/**
 * Limit of login attempts from one address, or one /64 of IPv6. Far more than a client needs; wrong
 * attempts are also slowed down.
 */
export const loginsPerSecond = 50;
const maximumAddresses = 10_000;
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
  readonly lists: DatabaseShare;
  /** For the counting of replays, a million events at most: others keep the rest, and the lists. */
  readonly replays: DatabaseShare;
  readonly #accountLimiter: RateLimiter<number>;
  readonly #loginLimiter: RateLimiter<string>;

  constructor(parts: ServerParts) {
    this.parts = parts;
    this.lists = new DatabaseShare(parts.db, { sessions: sessionsForSlowWork(parts.db) });
    this.replays = new DatabaseShare(parts.db, { sessions: 1 });
    this.#accountLimiter = this.limiterFor("account", maximumAccounts, Number);
    this.#loginLimiter = this.limiterFor("login", maximumAddresses, String);
  }

  /** Its buckets are shared with other workers, if there are any. `keyOf`: of what they tell. */
  limiterFor<Key extends string | number>(
    limiter: SharedLimiter,
    maximumKeys: number,
    keyOf: (told: string | number) => Key,
  ): RateLimiter<Key> {
    const { siblings } = this.parts;
    if (siblings === undefined) return new RateLimiter(maximumKeys);
    const made = new RateLimiter<Key>(maximumKeys, (taken) => siblings.tell({ kind: "taken", limiter, ...taken }));
    siblings.onNews((news) => {
      if (news.kind !== "taken" || news.limiter !== limiter) return;
      made.hear({ ...news, key: keyOf(news.key) }, performance.now());
    });
    return made;
  }

  addressOf(request: FastifyRequest): string {
    return requestAddress(request.raw, this.parts.config.trustProxy);
  }

  /** The origin of a password, and whether its caller is still waiting for the result. */
  originOf(request: FastifyRequest): { readonly address: string; readonly isGone: () => boolean } {
    return { address: this.addressOf(request), isGone: () => request.raw.socket.destroyed };
  }

  takeRequest(accountId: number, requestsPerSecond: number) {
    const here = this.parts.rateShares?.take(accountId, requestsPerSecond) ?? requestsPerSecond;
    return this.#accountLimiter.take(accountId, here, performance.now());
  }

  takeLogin(address: string) {
    return this.#loginLimiter.take(sourceNetwork(address), loginsPerSecond, performance.now());
  }
}
