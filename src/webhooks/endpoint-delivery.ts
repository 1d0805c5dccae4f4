// Sends the events of one endpoint, round by round: it claims the endpoint, reads what is next,
// sends it, and saves what came of it. A round ends after a second: requests whose answer takes
// longer are stored as if they had failed, and settled in the round in which their answer is known.
import { setTimeout as delay } from "node:timers/promises";
import type { FailureLatch } from "../platform/service.ts";
import type { Transactional } from "../store/database.ts";
import { claimDelivery, type ClaimedEndpoint, claimSeconds, saveRound } from "../store/webhook-deliveries.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { requestsAllowed } from "./endpoint-health.ts";
import { type DeliveryRequest, type NextRequests, readRequests } from "./read-requests.ts";
import type { PostOutcome, RequestPoster } from "./request-poster.ts";
import { RoundOutcomes } from "./round-outcomes.ts";
import { liveSecrets } from "./signing.ts";
import { disableFailingEndpoint } from "../store/webhook-endpoints.ts";

export interface EndpointDeliveryOptions {
  readonly db: Transactional;
  readonly telemetry: Telemetry;
  readonly poster: Pick<RequestPoster, "post">;
  readonly latch: FailureLatch;
  /** Names this sender in claims. */
  readonly sender: string;
  /** 0 to 1. */
  readonly random: () => number;
  /** Aborted: no further request begins. */
  readonly signal: AbortSignal;
  /** A request of an earlier round has ended: another round is needed. */
  readonly onEnded: () => void;
}

interface EndedRequest {
  readonly request: DeliveryRequest;
  readonly outcome: PostOutcome;
}

const roundMs = 1000;
const saveAgainMs = 1000;
const nothing: NextRequests = { from: "retries", requests: [], isEnd: false, replaced: [], parts: [] };

export class EndpointDelivery {
  readonly #endpointId: string;
  readonly #options: EndpointDeliveryOptions;
  /** Begun, and without an answer. */
  readonly #underWay = new Set<DeliveryRequest>();
  #ended: EndedRequest[] = [];
  #isFull = false;
  /** In a round: takes what has ended and begins more. */
  #advance: (() => void) | undefined;

  constructor(endpointId: string, options: EndpointDeliveryOptions) {
    this.#endpointId = endpointId;
    this.#options = options;
  }

  /** Nothing is under way or to be saved. */
  get isIdle(): boolean {
    return this.#underWay.size === 0 && this.#ended.length === 0;
  }

  get hasUnderWay(): boolean {
    return this.#underWay.size > 0;
  }

  /** It gets nothing before a request that is under way has ended. */
  get isFull(): boolean {
    return this.#isFull && this.hasUnderWay && this.#ended.length === 0;
  }

  /** Whether there may be more to send now. */
  async round(): Promise<boolean> {
    const { db, sender, random, signal } = this.#options;
    const delivery = await claimDelivery(db, { endpointId: this.#endpointId, sender });
    // The endpoint was changed, or another sender had it: what was under way is its matter no more.
    if (delivery?.isContinued !== true) this.#forget();
    if (delivery === undefined) return false;
    const claimedAt = performance.now();
    const now = (): number => Math.round(delivery.now.getTime() + performance.now() - claimedAt);
    const outcomes = new RoundOutcomes(delivery, random);
    const ended = [...this.#ended];
    for (const { request, outcome } of ended) outcomes.end(request, outcome, now());
    const allowed = signal.aborted ? 0 : requestsAllowed(outcomes.health, now()) - this.#underWay.size;
    const known = [...this.#underWay, ...ended.map(({ request }) => request)];
    const underWay = known.map(({ requestId }) => requestId);
    const next =
      allowed > 0
        ? await readRequests(db, delivery, { allowed, isProbing: outcomes.health.isProbing, underWay })
        : nothing;
    // Not before: a round that cannot read leaves them to the next one.
    this.#ended.splice(0, ended.length);
    for (const request of next.replaced) outcomes.settle(request);
    for (const part of next.parts) outcomes.store(part, delivery.now);
    const begun = await this.#send(next.requests, delivery, outcomes, now);
    // A node that stops leaves to the next one what it did not look for any more.
    const isMore = signal.aborted || !next.isEnd || begun < next.requests.length;
    const isSaved = await this.#save(delivery, outcomes, { next, begun, isMore, nowMs: now() });
    if (!isSaved) {
      this.#forget();
      return true;
    }
    this.#report(delivery, outcomes);
    if (outcomes.disabled !== undefined) await this.#disable(delivery, outcomes.disabled);
    this.#isFull = requestsAllowed(outcomes.health, now()) <= this.#underWay.size;
    return isMore && !this.#isFull;
  }

  #forget(): void {
    this.#underWay.clear();
    this.#ended = [];
  }

  #takeEnded(outcomes: RoundOutcomes, nowMs: number): void {
    for (const { request, outcome } of this.#ended.splice(0)) outcomes.end(request, outcome, nowMs);
  }

  /** Begins them in their order, and answers how many. Ends when all are answered, or after a while. */
  async #send(
    requests: readonly DeliveryRequest[],
    delivery: ClaimedEndpoint,
    outcomes: RoundOutcomes,
    now: () => number,
  ): Promise<number> {
    if (requests.length === 0) return 0;
    const earlier = new Set(this.#underWay);
    let begun = 0;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, roundMs);
      this.#advance = () => {
        this.#takeEnded(outcomes, now());
        const allowed = (): number =>
          this.#options.signal.aborted || outcomes.disabled !== undefined ? 0 : requestsAllowed(outcomes.health, now());
        for (let request = requests[begun]; request !== undefined && this.#underWay.size < allowed();) {
          this.#post(request, delivery, now());
          begun += 1;
          request = requests[begun];
        }
        if ([...this.#underWay].some((request) => !earlier.has(request))) return;
        clearTimeout(timer);
        resolve();
      };
      this.#advance();
    });
    this.#advance = undefined;
    return begun;
  }

  #post(request: DeliveryRequest, delivery: ClaimedEndpoint, nowMs: number): void {
    const { poster, telemetry, onEnded } = this.#options;
    this.#underWay.add(request);
    const { id, body } = request;
    const secrets = liveSecrets(delivery, nowMs);
    void poster.post({ url: delivery.url, id, body, secrets, startedAt: new Date(nowMs) }).then((outcome) => {
      telemetry.emit("webhook.answered", {
        outcome: outcome.failure ?? "delivered",
        durationMs: outcome.durationMs,
      });
      // It was forgotten.
      if (!this.#underWay.delete(request)) return;
      this.#ended.push({ request, outcome });
      (this.#advance ?? onEnded)();
    });
  }

  async #save(
    { endpointId }: ClaimedEndpoint,
    outcomes: RoundOutcomes,
    { next, begun, isMore, nowMs }: { next: NextRequests; begun: number; isMore: boolean; nowMs: number },
  ): Promise<boolean> {
    const { db, sender, signal, latch } = this.#options;
    for (const request of this.#underWay) {
      outcomes.store(request, new Date(nowMs + claimSeconds * 1000));
      request.isStored = true;
    }
    const end = begun === next.requests.length ? next.end : next.requests[begun - 1]?.end;
    const isReplayDone = next.from === "replay" && next.isEnd && begun === next.requests.length;
    const { pausedUntilMs, failingSinceMs, ...health } = outcomes.health;
    const round = {
      ...{ endpointId, sender, health, isMore },
      keepsClaim: (this.#underWay.size > 0 && !signal.aborted) || outcomes.disabled !== undefined,
      position: next.from === "log" ? end : undefined,
      replay: next.from !== "replay" ? undefined : isReplayDone ? ("done" as const) : end,
      pausedUntil: pausedUntilMs > nowMs ? new Date(pausedUntilMs) : undefined,
      failingSince: failingSinceMs === undefined ? undefined : new Date(failingSinceMs),
      lastSuccessAt: outcomes.lastSuccessAt,
      lastFailureAt: outcomes.lastFailureAt,
      keptSuccessAt: outcomes.keptSuccessAt,
      makesAllDue: outcomes.hasRecovered,
      ...{ settled: outcomes.settled, retries: outcomes.retries, attempts: outcomes.attempts },
    };
    for (;;) {
      try {
        return await saveRound(db, round);
      } catch (error) {
        // What came of the requests is kept: else all of them would be sent again.
        if (signal.aborted) throw error;
        latch.failed(error);
        await delay(saveAgainMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  #report({ account, name: endpoint }: ClaimedEndpoint, { hasRecovered, pausedBy }: RoundOutcomes): void {
    const { telemetry } = this.#options;
    if (hasRecovered) telemetry.emit("webhook.recovered", { account, endpoint });
    if (pausedBy === undefined) return;
    const { failure, httpStatus } = pausedBy;
    telemetry.emit("webhook.paused", { account, endpoint, failure, httpStatus });
  }

  /** If the database does not take it now, the endpoint's next failure tries again. */
  async #disable({ endpointId, account, name: endpoint }: ClaimedEndpoint, reason: string): Promise<void> {
    const { db, sender, telemetry } = this.#options;
    const isDisabled = await db.transaction((tx) => disableFailingEndpoint(tx, { endpointId, sender, reason }));
    if (isDisabled) telemetry.emit("webhook.disabled", { account, endpoint, reason });
  }
}
