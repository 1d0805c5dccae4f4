// What follows from the outcome of a request: for its events, for the endpoint's health, and for
// what is kept of it.
import type { Database } from "../store/database.ts";
import { disableFailingEndpoint } from "../store/disable-failing-endpoint.ts";
import type { AttemptToSave } from "../store/webhook-requests.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { uuidv7 } from "../platform/uuid.ts";
import type { Clock } from "./clock.ts";
import { afterFailure, afterSuccess, type DisabledReason } from "./endpoint-health.ts";
import type { EndpointLane, LaneRequest } from "./endpoint-lane.ts";
import type { OutcomeSaver } from "./outcome-saver.ts";
import type { PostOutcome } from "./request-poster.ts";
import { postponeMs, retryDelayMs } from "./schedule.ts";

export interface OutcomeJudgeOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly random: () => number;
  readonly saver: OutcomeSaver;
  readonly accountName: (accountId: number) => string;
  /** There may be something to send to it again. */
  readonly onMore: (lane: EndpointLane) => void;
  /** It gets nothing more. */
  readonly onDisabled: (lane: EndpointLane) => void;
}

/** A request under way. */
export interface OpenRequest {
  readonly request: LaneRequest;
  /** Where it was sent to. */
  readonly url: string;
  /** Its events are delivered, or stored to be tried again, or given up. */
  readonly settle: () => void;
}

/** Of the successes of an endpoint one in this time is kept. */
const keepSuccessEveryMs = 10_000;

export class OutcomeJudge {
  readonly #options: OutcomeJudgeOptions;

  constructor(options: OutcomeJudgeOptions) {
    this.#options = options;
  }

  begin({ untried, replay, endpoint: { url } }: EndpointLane, request: LaneRequest): OpenRequest {
    if (request.from === "retry") return { request, url, settle: () => undefined };
    const places = request.from === "log" ? untried.places : replay?.places;
    const place = places?.begin(request.end);
    return { request, url, settle: () => place && places?.settle(place) };
  }

  /** Nothing of it can be told, or is wanted. */
  skip(lane: EndpointLane, request: LaneRequest): void {
    this.begin(lane, request).settle();
    lane.isChanged = true;
  }

  dropRetry(lane: EndpointLane, requestId: string): void {
    this.#options.saver.deleteRetry(lane.endpoint.id, requestId, () => {
      lane.retries.deleted(requestId);
      // An endpoint with too many of them gets nothing else until they become fewer.
      this.#options.onMore(lane);
    });
  }

  /** `outcome`: undefined where a defect of the gateway left it without one (EventPoster). */
  end(lane: EndpointLane, open: OpenRequest, outcome: PostOutcome | undefined): void {
    if (outcome === undefined) {
      this.#postpone(lane, open);
      return;
    }
    const { failure, durationMs } = outcome;
    this.#options.telemetry.emit("webhook.answered", { outcome: failure ?? "delivered", durationMs });
    lane.isChanged = true;
    if (failure === undefined) this.#succeed(lane, open, outcome);
    else this.#fail(lane, open, { ...outcome, failure });
  }

  #succeed(lane: EndpointLane, open: OpenRequest, outcome: PostOutcome): void {
    const nowMs = this.#options.clock.now();
    const { request, settle } = open;
    const { health, endsRest } = isOfFormerUrl(lane, open)
      ? { health: lane.health, endsRest: false }
      : afterSuccess(lane.health, nowMs);
    lane.health = health;
    lane.lastSuccessAt = new Date(nowMs);
    settle();
    if (request.from === "retry") this.dropRetry(lane, request.requestId);
    if (endsRest) this.#recover(lane);
    if (nowMs - lane.lastKeptSuccessMs < keepSuccessEveryMs) return;
    lane.lastKeptSuccessMs = nowMs;
    this.#note(lane, request, outcome, undefined);
  }

  #recover(lane: EndpointLane): void {
    const { saver, clock, telemetry } = this.#options;
    telemetry.emit("webhook.recovered", this.#nameOf(lane));
    if (lane.retries.count === 0) return;
    saver.noteRecovery(lane.endpoint.id, () => {
      lane.retries.lookAgain(clock.now());
      this.#options.onMore(lane);
    });
  }

  #fail(lane: EndpointLane, open: OpenRequest, outcome: Required<Pick<PostOutcome, "failure">> & PostOutcome): void {
    const { clock, telemetry, random } = this.#options;
    const nowMs = clock.now();
    const wasProbing = lane.health.isProbing;
    const { health, disabled } = isOfFormerUrl(lane, open)
      ? { health: lane.health, disabled: undefined }
      : afterFailure(lane.health, outcome, nowMs);
    lane.health = health;
    lane.lastFailureAt = new Date(nowMs);
    const delayMs = retryDelayMs(open.request.tries + 1, random());
    const dueMs = delayMs === undefined ? undefined : nowMs + delayMs;
    const isLast = disabled !== undefined || dueMs === undefined;
    this.#note(lane, open.request, outcome, isLast ? undefined : Math.max(dueMs, health.restUntilMs));
    if (health.isProbing && !wasProbing)
      telemetry.emit("webhook.resting", {
        ...this.#nameOf(lane),
        failure: outcome.failure,
        httpStatus: outcome.httpStatus,
      });
    // Also where it is disabled: the database may not take that, and then the request waits on.
    this.#store(lane, open, dueMs);
    if (disabled !== undefined) void this.#disable(lane, disabled);
    else if (nowMs < health.restUntilMs) lane.drop(nowMs);
  }

  /** It stays due: no try is counted, and nothing against the endpoint. */
  #postpone(lane: EndpointLane, open: OpenRequest): void {
    const { clock, random } = this.#options;
    lane.isChanged = true;
    this.#store(lane, open, clock.now() + postponeMs(random()), open.request.tries);
  }

  /** `dueMs`: of the next try; undefined: it is given up. `tries`: with this one. */
  #store(
    lane: EndpointLane,
    { request, settle }: OpenRequest,
    dueMs: number | undefined,
    tries = request.tries + 1,
  ): void {
    const { saver } = this.#options;
    const { requestId, events } = request;
    const { id: endpointId, epoch } = lane.endpoint;
    if (dueMs === undefined) {
      settle();
      if (request.from === "retry") this.dropRetry(lane, requestId);
      return;
    }
    const retry = {
      ...{ endpointId, epoch, requestId, eventIds: events.map(({ id }) => id), tries },
      happenedAt: new Date(events[0]?.timestamp ?? dueMs),
      dueAt: new Date(dueMs),
    };
    saver.saveRetry(retry, () => {
      lane.retries.saved(requestId, dueMs);
      settle();
      lane.isChanged = true;
      this.#options.onMore(lane);
    });
  }

  #note(
    { endpoint }: EndpointLane,
    { events }: LaneRequest,
    { startedAt, durationMs, httpStatus, failure }: PostOutcome,
    nextMs: number | undefined,
  ): void {
    const attempt: AttemptToSave = {
      id: uuidv7(startedAt.getTime()),
      endpointId: endpoint.id,
      eventIds: events.map(({ id }) => id),
      ...{ startedAt, durationMs, httpStatus, failure },
      nextAttemptAt: nextMs === undefined ? undefined : new Date(nextMs),
    };
    this.#options.saver.noteAttempt(attempt);
  }

  /** If the database does not take it now, the endpoint's next failure tries again. */
  async #disable(lane: EndpointLane, reason: DisabledReason): Promise<void> {
    if (lane.isClosed || lane.isBeingDisabled) return;
    const { db, telemetry, onDisabled, onMore, clock } = this.#options;
    const { id: endpointId, epoch } = lane.endpoint;
    lane.isBeingDisabled = true;
    try {
      const isNew = await db.transaction((tx) => disableFailingEndpoint(tx, { endpointId, epoch, reason }));
      onDisabled(lane);
      if (isNew) telemetry.emit("webhook.disabled", { ...this.#nameOf(lane), reason });
    } catch {
      lane.isBeingDisabled = false;
      lane.drop(clock.now());
      onMore(lane);
    }
  }

  #nameOf({ endpoint }: EndpointLane): { account: string; endpoint: string } {
    return { account: this.#options.accountName(endpoint.accountId), endpoint: endpoint.name };
  }
}

/** It was under way as the URL was changed: it says nothing of how the endpoint stands now. */
function isOfFormerUrl({ endpoint }: EndpointLane, { url }: OpenRequest): boolean {
  return url !== endpoint.url;
}
