// The service that sends webhooks on this node. It looks a few times a second which endpoints have
// something to get, and gives each a round in turn. Nodes share the endpoints by claiming them for
// their rounds.
import { setTimeout as delay } from "node:timers/promises";
import { FailureLatch, PeriodicService, type Service } from "../platform/service.ts";
import { maskOf } from "../sms/event-types.ts";
import type { Database } from "../store/database.ts";
import { LimitedDatabase } from "../store/limited-database.ts";
import { type DueEndpoint, findDueEndpoints } from "../store/webhook-deliveries.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { uuidv7 } from "../platform/uuid.ts";
import { AddressRules } from "./address-rules.ts";
import { EndpointDelivery } from "./endpoint-delivery.ts";
import { RequestPoster } from "./request-poster.ts";

export interface WebhookServiceOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  /** Addresses or CIDR that events may be sent to, whatever they are. */
  readonly allow: readonly string[];
  /** Of the product. */
  readonly version: string;
  /** How long a stop waits for requests under way. */
  readonly drainMs: number;
  /** For tests. */
  readonly timeoutMs?: number;
}

const pollMs = 100;
/** Polls from one that also looks for what is due by time to the next one. */
const pollsByTime = 2;
/** A batch waits so long for more. With the poll this makes at most 200 ms. */
const batchFillMs = 80;
/** Rounds at a time. Each ends within about a second, so endpoints that hang delay no other one. */
const mostRounds = 100;
const roundWaitMs = 60_000;
const tryAgainMs = 1000;
const longestDrainMs = 5000;

export class WebhookService implements Service {
  readonly name = "webhooks";
  readonly #options: WebhookServiceOptions;
  readonly #poster: RequestPoster;
  readonly #rounds: LimitedDatabase;
  readonly #sender = uuidv7();
  readonly #poll: PeriodicService;
  readonly #latch: FailureLatch;
  readonly #stopping = new AbortController();
  #position: bigint | undefined;
  #polls = 0;
  /** Endpoints that wait for a round, in turn. */
  readonly #waiting = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  /** With a round, or with requests under way. */
  readonly #deliveries = new Map<string, EndpointDelivery>();

  constructor(options: WebhookServiceOptions) {
    const { db, telemetry, allow, version, timeoutMs } = options;
    this.#options = options;
    this.#poster = new RequestPoster({ rules: new AddressRules(allow), version, timeoutMs });
    const total = Math.max(1, Math.floor(db.poolSize / 3));
    this.#rounds = new LimitedDatabase(db, { total, waitMs: roundWaitMs });
    this.#latch = new FailureLatch(this.name, telemetry);
    this.#poll = new PeriodicService({
      ...{ name: "webhook-events", everyMs: pollMs, onDemand: true, telemetry },
      runOnce: () => this.#findDue(),
    });
  }

  start(): Promise<void> {
    return this.#poll.start();
  }

  /** Somebody has an endpoint: from now on it looks for what is due by itself. */
  wake(): void {
    if (this.#position === undefined) this.#poll.wake();
  }

  /** Begins no more requests, waits for those under way, and saves what came of them. */
  async stop(): Promise<void> {
    await this.#poll.stop();
    this.#stopping.abort();
    this.#waiting.clear();
    const until = performance.now() + Math.min(this.#options.drainMs, longestDrainMs);
    await Promise.all(this.#running.values());
    const hasUnderWay = (): boolean => [...this.#deliveries.values()].some((delivery) => delivery.hasUnderWay);
    while (hasUnderWay() && performance.now() < until) await delay(20);
    for (const endpointId of this.#deliveries.keys()) this.#waiting.add(endpointId);
    this.#runNext();
    await Promise.all(this.#running.values());
    this.#deliveries.clear();
    await this.#poster.close();
  }

  async #findDue(): Promise<void> {
    this.#polls += 1;
    const byTime = this.#polls % pollsByTime === 0;
    const found = await findDueEndpoints(this.#options.db, { after: this.#position, byTime, sender: this.#sender });
    this.#position = found.hasEndpoints ? found.position : undefined;
    if (found.hasEndpoints) this.#poll.wake();
    for (const endpoint of found.due) this.#wake(endpoint);
  }

  #wake({ endpointId, batchSize, events, newTypes }: DueEndpoint): void {
    if (newTypes !== null && (maskOf(events) & newTypes) === 0) return;
    this.#wakeAfter(endpointId, newTypes !== null && batchSize > 1 ? batchFillMs : 0);
  }

  #wakeAfter(endpointId: string, ms: number): void {
    if (ms > 0) {
      setTimeout(() => this.#wakeAfter(endpointId, 0), ms).unref();
      return;
    }
    if (this.#stopping.signal.aborted) return;
    this.#waiting.add(endpointId);
    this.#runNext();
  }

  #runNext(): void {
    for (const endpointId of this.#waiting) {
      if (this.#running.size >= mostRounds) return;
      // Its next round begins when this one has ended.
      if (this.#running.has(endpointId)) continue;
      this.#waiting.delete(endpointId);
      if (this.#deliveries.get(endpointId)?.isFull === true && !this.#stopping.signal.aborted) continue;
      this.#running.set(endpointId, this.#run(endpointId));
    }
  }

  async #run(endpointId: string): Promise<void> {
    const delivery = this.#deliveries.get(endpointId) ?? this.#newDelivery(endpointId);
    this.#deliveries.set(endpointId, delivery);
    try {
      const isMore = await delivery.round();
      this.#latch.worked();
      if (isMore && !this.#stopping.signal.aborted) this.#waiting.add(endpointId);
    } catch (error) {
      this.#latch.failed(error);
      this.#wakeAfter(endpointId, tryAgainMs);
    }
    if (delivery.isIdle) this.#deliveries.delete(endpointId);
    this.#running.delete(endpointId);
    this.#runNext();
  }

  #newDelivery(endpointId: string): EndpointDelivery {
    const { telemetry } = this.#options;
    return new EndpointDelivery(endpointId, {
      ...{ telemetry, poster: this.#poster, db: this.#rounds, latch: this.#latch, sender: this.#sender },
      random: Math.random,
      signal: this.#stopping.signal,
      onEnded: () => this.#wakeAfter(endpointId, 0),
    });
  }
}
