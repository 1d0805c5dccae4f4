// The limits of what callers may hold, and the budgets that count it. One address may hold half of
// each.
import type { Telemetry } from "../../platform/telemetry.ts";
import { SharedBudget } from "./shared-budget.ts";

export interface RequestLimits {
  readonly connections: number;
  /** Octets of request heads that are incomplete, not parsed yet, or large and not answered yet. */
  readonly headOctets: number;
  /** Requests in progress. */
  readonly requestsUnderWay: number;
  readonly requestsUnderWayOfConnection: number;
  /** Requests that wait for earlier ones of their connection, which is not read meanwhile. */
  readonly requestsWaiting: number;
  /** Of those that arrived together with them, further ones stay octets. */
  readonly requestsWaitingOfConnection: number;
  /** Octets of bodies without a known key. */
  readonly strangersOctets: number;
  /** Octets of bodies with a known key, and of all answers that are not received yet. */
  readonly callersOctets: number;
  /** A connection that receives nothing of an answer for this long is destroyed. */
  readonly untakenMs: number;
  /**
   * How long input is discarded after a refusal, so that a caller that goes on writing can read the
   * answer.
   */
  readonly lingerMs: number;
  readonly lookEveryMs: number;
  /** What an address may hold of heads, and of each kind of bodies, even if it is over half. */
  readonly leastHeadOctets: number;
  readonly leastBodyOctets: number;
}

/** The longest query (decisions §1 "Limits"). */
export const maximumQueryOctets = 1 << 20;
/**
 * The longest query plus room for the rest. Not larger, because Node.js copies an unfinished head
 * with each piece that arrives.
 */
export const maximumHeaderOctets = maximumQueryOctets + (64 << 10);

export const requestLimits: RequestLimits = {
  connections: 20_000,
  // Node.js copies an unfinished head with each piece that arrives, so the process holds several
  // times as much.
  headOctets: 32 << 20,
  requestsUnderWay: 10_000,
  requestsUnderWayOfConnection: 50,
  requestsWaiting: 20_000,
  requestsWaitingOfConnection: 50,
  strangersOctets: 64 << 20,
  callersOctets: 256 << 20,
  untakenMs: 30_000,
  lingerMs: 2_000,
  lookEveryMs: 100,
  leastHeadOctets: 0,
  leastBodyOctets: 0,
};

/** What one of several workers has of the totals: all workers together keep to them. */
export function limitsOfWorker(workers: number, maximumBodyBytes: number): RequestLimits {
  if (workers === 1) return requestLimits;
  const share = (total: number): number => Math.floor(total / workers);
  return {
    ...requestLimits,
    connections: share(requestLimits.connections),
    headOctets: share(requestLimits.headOctets),
    requestsUnderWay: share(requestLimits.requestsUnderWay),
    requestsWaiting: share(requestLimits.requestsWaiting),
    strangersOctets: share(requestLimits.strangersOctets),
    callersOctets: share(requestLimits.callersOctets),
    // The longest call must be possible, however small the share.
    leastHeadOctets: maximumHeaderOctets,
    leastBodyOctets: maximumBodyBytes,
  };
}

/** The resource for which a caller lost its connection or its call. */
export type ShedReason = "connections" | "heads" | "bodies" | "requests" | "waiting" | "answers";

export class RequestBudgets {
  readonly limits: RequestLimits;
  readonly connections: SharedBudget;
  readonly heads: SharedBudget;
  readonly requests: SharedBudget;
  readonly waiting: SharedBudget;
  readonly strangers: SharedBudget;
  readonly callers: SharedBudget;
  readonly #telemetry: Telemetry;

  constructor(limits: RequestLimits, telemetry: Telemetry) {
    this.limits = limits;
    this.#telemetry = telemetry;
    this.connections = new SharedBudget(limits.connections);
    this.heads = new SharedBudget(limits.headOctets, limits.leastHeadOctets);
    this.requests = new SharedBudget(limits.requestsUnderWay);
    this.waiting = new SharedBudget(limits.requestsWaiting);
    this.strangers = new SharedBudget(limits.strangersOctets, limits.leastBodyOctets);
    this.callers = new SharedBudget(limits.callersOctets, limits.leastBodyOctets);
  }

  shed(reason: ShedReason): void {
    this.#telemetry.emit("http.shed", { reason });
  }

  /** What is held now; all 0 when nobody is connected. */
  held() {
    return {
      connections: this.connections.held,
      requests: this.requests.held,
      waiting: this.waiting.held,
      headOctets: this.heads.held,
      strangersOctets: this.strangers.held,
      callersOctets: this.callers.held,
    };
  }

  tell(): void {
    this.#telemetry.emit("http.held", this.held());
  }
}
