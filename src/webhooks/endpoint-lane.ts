// What one endpoint of this node has still to get, and what may be done for it next. Decides and
// remembers only; event-sender.ts reads, sends and stores. Times are arguments.
import type { Position } from "../store/event-log.ts";
import type { EndpointProgress, EndpointStart, Replay, ReplayProgress } from "../store/webhook-progress.ts";
import { type EndpointHealth, healthy, requestsAllowed } from "./endpoint-health.ts";
import type { EndpointRequest } from "./endpoint-requests.ts";
import type { StoredSecrets } from "./secret.ts";
import { ReplayReading } from "./replay-reading.ts";
import { UntriedEvents } from "./untried-events.ts";
import { WaitingRetries } from "./waiting-retries.ts";

/** An enabled endpoint, as configured. */
export interface LaneEndpoint extends StoredSecrets {
  readonly id: string;
  readonly accountId: number;
  readonly name: string;
  readonly url: string;
  /** Types that it wants (event-types.ts). */
  readonly mask: number;
  readonly batchSize: number;
  readonly epoch: number;
}

/** The accounts with endpoints, as configured. */
export interface ConfiguredEndpoints {
  readonly current: {
    accountsWithEndpoints(): Iterable<{
      readonly id: number;
      readonly name: string;
      readonly endpoints: readonly (LaneEndpoint & { readonly enabled: boolean })[];
    }>;
  };
  onChange(listener: () => void): () => void;
}

/** A request that is ready to be sent; without events, it only settles its place. */
export interface LaneRequest extends EndpointRequest {
  readonly from: "log" | "retry" | "replay";
  /** Under which it is stored when it fails. */
  readonly requestId: string;
  /** Before this one. */
  readonly tries: number;
  /** The last of the places that it settles. */
  readonly end: Position;
}

/** A request that is under way. */
export interface BegunRequest {
  readonly ms: number;
  /** Of the place that it holds (endpoint-turns.ts). */
  isQuick: boolean;
}

/** What must be done so that there are requests to send. */
export type Preparation = "readRetries" | "tellRetries" | "readLog" | "tellLog" | "readReplay" | "tellReplay";

const tellingOf: Readonly<Partial<Record<Preparation, Preparation>>> = {
  readRetries: "tellRetries",
  readLog: "tellLog",
  readReplay: "tellReplay",
};

/** A batch waits so long for more. What the node's reader adds makes at most 200 ms. */
export const batchFillMs = 80;
/**
 * Single requests that are prepared at a time. A quick receiver takes dozens of them while the next
 * ones are read and told. Fewer while other endpoints wait for their turn.
 */
const singlesAhead = 128;
const singlesInTurns = 32;
const batchesAhead = 4;
/** So many for each that may be under way. */
const aheadOfAllowed = 16;
/** An endpoint that takes longer is slow. */
const quickMs = 1000;

export class EndpointLane {
  endpoint: LaneEndpoint;
  health: EndpointHealth;
  readonly untried: UntriedEvents;
  readonly retries: WaitingRetries;
  replay: ReplayReading | undefined;
  /** Raised when what was prepared is void. */
  generation = 0;
  isPreparing = false;
  isClosed = false;
  /** Nothing is sent until the database has taken it, or has not. */
  isBeingDisabled = false;
  lastSuccessAt: Date | undefined;
  lastFailureAt: Date | undefined;
  /** Of a success that was kept among the attempts. */
  lastKeptSuccessMs = Number.NEGATIVE_INFINITY;
  /** Whether there is something to save. */
  isChanged = false;
  cancelTimer: (() => void) | undefined;
  #ready: LaneRequest[] = [];
  /** The oldest first. */
  #begun: readonly BegunRequest[] = [];
  #lastDurationMs = Number.POSITIVE_INFINITY;

  constructor(endpoint: LaneEndpoint, start: EndpointStart) {
    this.endpoint = endpoint;
    this.health = start.health === null ? healthy : { ...healthy, ...start.health };
    this.untried = new UntriedEvents(start.position);
    this.retries = new WaitingRetries({ count: start.retries, nextDueMs: start.nextRetryAt?.getTime() });
  }

  get underWay(): number {
    return this.#begun.length;
  }

  get ready(): number {
    return this.#ready.length;
  }

  /** Known to answer, and soon. */
  isQuick(nowMs: number): boolean {
    const [oldest] = this.#begun;
    return this.health.failuresInRow === 0 && this.#lastDurationMs < quickMs && nowMs - (oldest?.ms ?? nowMs) < quickMs;
  }

  /** How many requests may begin now. */
  room(nowMs: number): number {
    if (this.isClosed || this.isBeingDisabled) return 0;
    return Math.max(0, requestsAllowed(this.health, nowMs) - this.underWay);
  }

  begin(nowMs: number, isQuick: boolean): BegunRequest {
    const begun = { ms: nowMs, isQuick };
    this.#begun = [...this.#begun, begun];
    return begun;
  }

  /** Those under way, the oldest first. */
  get begun(): Iterable<BegunRequest> {
    return this.#begun;
  }

  end(begun: BegunRequest, nowMs: number): void {
    this.#begun = this.#begun.filter((other) => other !== begun);
    this.#lastDurationMs = nowMs - begun.ms;
  }

  nextReady(): LaneRequest | undefined {
    return this.#ready[0];
  }

  takeReady(): LaneRequest | undefined {
    const request = this.#ready.shift();
    // Emptied by shift it keeps its room, which with thousands of endpoints fills the memory.
    if (this.#ready.length === 0) this.#ready = [];
    return request;
  }

  addReady(requests: readonly LaneRequest[]): void {
    this.#ready.push(...requests);
  }

  /**
   * Requests that one preparation makes at most; for a slow endpoint what may begin at once.
   * `isWaitedFor`: other endpoints wait for their turn to prepare.
   */
  ahead(nowMs: number, isWaitedFor = false): number {
    const allowed = aheadOfAllowed * Math.max(1, requestsAllowed(this.health, nowMs));
    const singles = isWaitedFor ? singlesInTurns : singlesAhead;
    const most = Math.min(this.endpoint.batchSize === 1 ? singles : batchesAhead, allowed);
    return this.isQuick(nowMs) ? most : Math.min(most, Math.max(1, this.room(nowMs)));
  }

  /** Undefined: there are enough requests, or nothing to make them of before `wakeAtMs`. */
  nextPreparation(nowMs: number): Preparation | undefined {
    return this.isPreparing ? undefined : this.#wantedPreparation(nowMs);
  }

  /**
   * What was just read is told in the same turn: thousands of endpoints that have read, and wait
   * for another turn, fill the memory.
   */
  tellingAfter(reading: Preparation, nowMs: number): Preparation | undefined {
    const next = this.#wantedPreparation(nowMs);
    return next !== undefined && next === tellingOf[reading] ? next : undefined;
  }

  #wantedPreparation(nowMs: number): Preparation | undefined {
    if (this.isClosed || this.room(nowMs) === 0 || this.#ready.length > this.ahead(nowMs) / 2) return undefined;
    if (this.retries.loaded > 0) return "tellRetries";
    if ((this.retries.nextDueMs ?? Infinity) <= nowMs) return "readRetries";
    if (this.retries.isFull) return undefined;
    return this.#nextOfLog(nowMs) ?? (this.#isIdleButReplay ? this.#nextOfReplay() : undefined);
  }

  #nextOfLog(nowMs: number): Preparation | undefined {
    const { length, isBehind } = this.untried;
    if (isBehind && length < this.endpoint.batchSize) return "readLog";
    return length > 0 && nowMs >= (this.#filledAtMs(nowMs) ?? nowMs) ? "tellLog" : undefined;
  }

  #nextOfReplay(): Preparation | undefined {
    if (this.replay === undefined) return undefined;
    if (this.replay.length > 0) return "tellReplay";
    return this.replay.isReadToEnd ? undefined : "readReplay";
  }

  /** When what waits is sent, although it makes no full batch; undefined: at once. */
  #filledAtMs(nowMs: number): number | undefined {
    const { length, oldestAtMs } = this.untried;
    if (length >= this.endpoint.batchSize || oldestAtMs === undefined) return undefined;
    // The clock was set back: nobody waits until it is there again.
    return oldestAtMs > nowMs ? undefined : oldestAtMs + batchFillMs;
  }

  get #isIdleButReplay(): boolean {
    return this.untried.length === 0 && !this.untried.isBehind;
  }

  /** When something may be done that cannot be done now, by the clock alone. */
  wakeAtMs(nowMs: number): number | undefined {
    if (this.isClosed) return undefined;
    if (nowMs < this.health.restUntilMs) return this.health.restUntilMs;
    const times = [this.retries.nextDueMs, this.retries.isFull ? undefined : this.#filledAtMs(nowMs)];
    const later = times.filter((ms): ms is number => ms !== undefined && ms > nowMs);
    return later.length === 0 ? undefined : Math.min(...later);
  }

  /** What is not sent yet is read again later: a resting endpoint holds only its place. */
  drop(nowMs: number): void {
    this.generation += 1;
    for (const { from, requestId } of this.#ready) if (from === "retry") this.retries.giveBack(requestId, nowMs);
    this.#ready = [];
    this.untried.drop();
    this.replay?.drop();
    this.retries.drop(nowMs);
  }

  /** The place to save. `head`: that of the node's reader. */
  settledAt(head: Position | undefined): Position {
    const { untried } = this;
    const isIdle = untried.length === 0 && !this.isPreparing && this.#ready.length === 0 && untried.places.isIdle;
    if (!isIdle) return untried.places.settled;
    if (head !== undefined) untried.advance(head);
    untried.places.advance(untried.readTo);
    return untried.readTo;
  }

  /** What is stored of it. `head`: how far the node's reader has read. */
  progress(head: Position | undefined): EndpointProgress {
    const { endpoint, health, lastSuccessAt, lastFailureAt } = this;
    const { id: endpointId, epoch } = endpoint;
    return { endpointId, epoch, position: this.settledAt(head), health, lastSuccessAt, lastFailureAt };
  }

  /** How far its replay is, if that is to be stored; without a position it is done. */
  takeReplayProgress(): ReplayProgress | undefined {
    const { replay, endpoint, isReplayDone } = this;
    if (replay === undefined || !(isReplayDone || replay.isToSave)) return undefined;
    const { startedAt } = replay.replay;
    replay.isSaved();
    return { endpointId: endpoint.id, startedAt, position: isReplayDone ? undefined : replay.places.settled };
  }

  setReplay(replay: Replay | undefined): void {
    if (replay?.startedAt.getTime() === this.replay?.replay.startedAt.getTime()) return;
    this.replay = replay && new ReplayReading(replay);
    this.#ready = this.#ready.filter(({ from }) => from !== "replay");
  }

  /** All of it was sent, and is delivered or stored. */
  get isReplayDone(): boolean {
    if (this.replay === undefined || this.isPreparing) return false;
    const { isReadToEnd, length, places } = this.replay;
    return isReadToEnd && length === 0 && places.isIdle && !this.#ready.some(({ from }) => from === "replay");
  }

  /** Requests and events that wait here, apart from what is still to be read. */
  get waiting(): number {
    return this.untried.length + this.#ready.length + this.underWay + this.retries.count;
  }
}
