// An account's requestsPerSecond limits all gateways of a database together. Each gateway grants a
// part of it, which depends on the calls that it and the others get. Once a second a gateway writes
// how many calls it gets, and reads the numbers of the others. No call waits for that.
import { PeriodicService, type Service } from "../../platform/service.ts";
import type { Queryable } from "../../store/database.ts";
import type { Telemetry } from "../../platform/telemetry.ts";
import { uuidv7 } from "../../platform/uuid.ts";
import { type AccountDemand, reportRateDemand } from "../../store/account-usage.ts";

/** Calls a second of one account: at this gateway, and at all others that have any. */
export interface Demand {
  readonly own: number;
  readonly others: number;
  readonly otherGateways: number;
}

/**
 * Requests a second that this gateway may grant. The parts of all gateways add up to the limit.
 * With too many calls, the parts are in proportion to the calls. Otherwise each gateway gets as
 * much as it is asked for, and an equal part of the rest.
 */
export function partOfRate(requestsPerSecond: number, { own, others, otherGateways }: Demand): number {
  const all = own + others;
  if (all >= requestsPerSecond) return (requestsPerSecond * own) / all;
  return own + (requestsPerSecond - all) / (otherGateways + 1);
}

export interface RateSharesOptions {
  readonly db: Queryable;
  readonly telemetry: Telemetry;
  /** No other gateway works on this database, so each limit is this one's. */
  readonly alone: boolean;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

const everyMs = 1_000;
/** The weight of the previous average in the new one, after a second. */
const kept = 0.3;
/** Calls a second. Less is nothing. */
const leastDemand = 0.01;
/**
 * How many accounts are shared, those with the most calls. All others have their whole limit here.
 */
const mostAccounts = 10_000;

export class RateShares implements Service {
  readonly name = "rate-shares";
  readonly #options: RateSharesOptions;
  readonly #now: () => number;
  readonly #processId = uuidv7();
  readonly #reporting: PeriodicService;
  /** Since the last round. */
  #calls = new Map<number, number>();
  /** Calls a second of this process. */
  #averages: ReadonlyMap<number, number> = new Map();
  #demands: ReadonlyMap<number, Demand> = new Map();
  #roundAt: number;
  #hasReported = false;

  constructor(options: RateSharesOptions) {
    this.#options = options;
    const { telemetry, now = () => performance.now() } = options;
    this.#now = now;
    this.#roundAt = now();
    this.#reporting = new PeriodicService({ name: this.name, everyMs, runOnce: () => this.#report(), telemetry });
  }

  async start(): Promise<void> {
    if (!this.#options.alone) await this.#reporting.start();
  }

  async stop(): Promise<void> {
    await this.#reporting.stop();
    if (!this.#hasReported) return;
    this.#hasReported = false;
    await reportRateDemand(this.#options.db, { processId: this.#processId, demands: [] }).catch(() => undefined);
  }

  /** Tells and reads now, for tests. */
  async runNow(): Promise<void> {
    await this.#reporting.runNow();
  }

  /** One call has come. Answers how many requests a second may be granted here. */
  take(accountId: number, requestsPerSecond: number): number {
    if (this.#options.alone) return requestsPerSecond;
    this.#calls.set(accountId, (this.#calls.get(accountId) ?? 0) + 1);
    const demand = this.#demands.get(accountId);
    return demand === undefined ? requestsPerSecond : partOfRate(requestsPerSecond, demand);
  }

  async #report(): Promise<void> {
    const demands = this.#average();
    if (demands.length === 0 && !this.#hasReported) return;
    const known = await reportRateDemand(this.#options.db, { processId: this.#processId, demands });
    this.#hasReported = demands.length > 0;
    this.#demands = new Map(known.map(({ accountId, ...demand }) => [accountId, demand]));
  }

  #average(): AccountDemand[] {
    const now = this.#now();
    const seconds = Math.max(0.001, (now - this.#roundAt) / 1000);
    const calls = this.#calls;
    this.#calls = new Map();
    this.#roundAt = now;
    const before = this.#averages;
    const part = kept ** seconds;
    const averages = new Map<number, number>();
    for (const accountId of new Set([...before.keys(), ...calls.keys()])) {
      const perSecond = (calls.get(accountId) ?? 0) / seconds;
      const average = (before.get(accountId) ?? perSecond) * part + perSecond * (1 - part);
      if (average >= leastDemand) averages.set(accountId, average);
    }
    this.#averages = averages;
    const demands = [...averages].map(([accountId, perSecond]) => ({ accountId, perSecond }));
    if (demands.length <= mostAccounts) return demands;
    return demands.sort((one, other) => other.perSecond - one.perSecond).slice(0, mostAccounts);
  }
}
