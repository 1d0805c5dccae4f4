// What follows from the outcomes of an endpoint's requests in one round: for its events, for its
// health, and for the attempts that are kept. Decides only. Times are by the database's clock.
import type { AttemptToSave, ClaimedEndpoint, RetryToSave, StoredRequest } from "../store/webhook-deliveries.ts";
import { uuidv7 } from "../platform/uuid.ts";
import { afterFailure, afterSuccess, type DisabledReason, type EndpointHealth, healthy } from "./endpoint-health.ts";
import type { PostFailure, PostOutcome } from "./request-poster.ts";
import { retryDelayMs } from "./retry-times.ts";

/** Of the successes of an endpoint one in this time is kept. */
const keepSuccessEveryMs = 10_000;

export interface StoredRequestState extends StoredRequest {
  /** There is a row of it among the requests that are tried again. */
  isStored: boolean;
}

export class RoundOutcomes {
  health: EndpointHealth;
  lastSuccessAt: Date | undefined;
  lastFailureAt: Date | undefined;
  keptSuccessAt: Date | undefined;
  /** The first success after a pause. */
  hasRecovered = false;
  /** The failure that began a pause. */
  pausedBy: (PostOutcome & { readonly failure: PostFailure }) | undefined;
  disabled: DisabledReason | undefined;
  readonly attempts: AttemptToSave[] = [];
  readonly #retries = new Map<string, RetryToSave>();
  readonly #settled = new Set<string>();
  readonly #random: () => number;

  /** `random`: 0 to 1. */
  constructor(
    {
      health,
      pausedUntil,
      failingSince,
      keptSuccessAt,
    }: Pick<ClaimedEndpoint, "health" | "pausedUntil" | "failingSince" | "keptSuccessAt">,
    random: () => number,
  ) {
    const times = { pausedUntilMs: pausedUntil?.getTime() ?? 0, failingSinceMs: failingSince?.getTime() };
    this.health = { ...healthy, ...health, ...times };
    this.keptSuccessAt = keptSuccessAt ?? undefined;
    this.#random = random;
  }

  get retries(): readonly RetryToSave[] {
    return [...this.#retries.values()];
  }

  get settled(): readonly string[] {
    return [...this.#settled];
  }

  end(request: StoredRequestState, outcome: PostOutcome, nowMs: number): void {
    const { failure } = outcome;
    if (failure === undefined) this.#succeed(request, outcome, nowMs);
    else this.#fail(request, { ...outcome, failure }, nowMs);
  }

  /** It is delivered, given up, or nothing of it is left. */
  settle({ requestId, isStored }: StoredRequestState): void {
    this.#retries.delete(requestId);
    if (isStored) this.#settled.add(requestId);
  }

  /** It is sent again at that time, unless it is settled before. */
  store({ requestId, eventIds, happenedAt, tries }: StoredRequest, dueAt: Date): void {
    this.#settled.delete(requestId);
    this.#retries.set(requestId, { requestId, eventIds, happenedAt, tries, dueAt });
  }

  #succeed(request: StoredRequestState, outcome: PostOutcome, nowMs: number): void {
    const { health, endsPause } = afterSuccess(this.health, nowMs);
    this.health = health;
    this.hasRecovered ||= endsPause;
    this.lastSuccessAt = new Date(nowMs);
    this.settle(request);
    if (this.keptSuccessAt !== undefined && nowMs - this.keptSuccessAt.getTime() < keepSuccessEveryMs) return;
    this.keptSuccessAt = this.lastSuccessAt;
    this.#keepAttempt(request, outcome, undefined);
  }

  #fail(request: StoredRequestState, outcome: PostOutcome & { readonly failure: PostFailure }, nowMs: number): void {
    const wasProbing = this.health.isProbing;
    const { health, disabled } = afterFailure(this.health, outcome, nowMs);
    this.health = health;
    this.disabled ??= disabled;
    if (health.isProbing && !wasProbing) this.pausedBy = outcome;
    this.lastFailureAt = new Date(nowMs);
    const tries = request.tries + 1;
    const delayMs = retryDelayMs(tries, this.#random());
    if (delayMs === undefined) this.settle(request);
    // Also where it is disabled: the database may not take that, and then the request waits on.
    else this.store({ ...request, tries }, new Date(nowMs + delayMs));
    const isLast = delayMs === undefined || this.disabled !== undefined;
    this.#keepAttempt(request, outcome, isLast ? undefined : new Date(Math.max(nowMs + delayMs, health.pausedUntilMs)));
  }

  #keepAttempt(
    { eventIds }: StoredRequest,
    { startedAt, durationMs, httpStatus, failure }: PostOutcome,
    nextAttemptAt: Date | undefined,
  ): void {
    const id = uuidv7(startedAt.getTime());
    this.attempts.push({ id, eventIds, startedAt, durationMs, httpStatus, failure, nextAttemptAt });
  }
}
