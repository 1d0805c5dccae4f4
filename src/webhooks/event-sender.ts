// Sends the events of accounts to their endpoints: one lane for each endpoint whose slot this node
// holds. Only while the node's lease lives.
import { FailureLatch } from "../platform/service.ts";
import type { Database } from "../store/database.ts";
import { LimitedDatabase } from "../store/limited-database.ts";
import type { LogRow } from "../store/event-log.ts";
import { slotOfAccount } from "../store/webhook-leases.ts";
import { beginProgress, type Replay } from "../store/webhook-progress.ts";
import { trimAttempts } from "../store/webhook-requests.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import type { Clock } from "./clock.ts";
import {
  type ConfiguredEndpoints,
  EndpointLane,
  type LaneEndpoint,
  type LaneRequest,
  type Preparation,
} from "./endpoint-lane.ts";
import { LanePreparer } from "./lane-preparer.ts";
import { LogHead } from "./log-head.ts";
import { NodeLanes } from "./node-lanes.ts";
import { OutcomeJudge } from "./outcome-judge.ts";
import { OutcomeSaver } from "./outcome-saver.ts";
import type { EventPoster } from "./request-poster.ts";
import { EndpointTurns } from "./endpoint-turns.ts";
import { liveSecrets } from "./secret.ts";

/** What the node may do at all. */
export interface NodeLeaseHeld {
  readonly nodeId: string;
  readonly isLeaseHeld: boolean;
}

export interface EventSenderOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly directory: ConfiguredEndpoints;
  readonly membership: NodeLeaseHeld;
  readonly poster: EventPoster;
  readonly clock: Clock;
  /** 0 to 1. */
  readonly random?: () => number;
  /** All of a replay was sent; another may begin once that is stored. */
  readonly onReplayDone?: () => void;
}

/** Requests of this node at a time, and those of them that only quick endpoints may take. */
const requestPlaces = { places: 400, placesForQuick: 100 };
/** Endpoints that have prepared requests at a time: thousands at once would fill the memory. */
const preparingPlaces = { places: 64, placesForQuick: 32 };
const beginAtOnce = 500;
const readPatienceMs = 60_000;
const tryAgainMs = 1000;
/** The place of an endpoint that gets nothing is only needed to read less after a restart. */
const saveIdleEveryMs = 5 * 60_000;

export class EventSender {
  readonly #options: EventSenderOptions;
  readonly #lanes = new NodeLanes();
  readonly #accountNames = new Map<number, string>();
  #slots: ReadonlySet<number> = new Set();
  readonly #head: LogHead;
  readonly #preparer: LanePreparer;
  readonly #saver: OutcomeSaver;
  readonly #judge: OutcomeJudge;
  readonly #requestTurns: EndpointTurns<EndpointLane>;
  readonly #preparingTurns: EndpointTurns<EndpointLane>;
  /** Who has a turn to prepare requests, until these are begun; and whether it was quick before. */
  readonly #preparing = new Map<EndpointLane, { readonly isQuick: boolean }>();
  readonly #latch: FailureLatch;
  readonly #underWay = new Set<Promise<void>>();
  readonly #idleSavedMs = new WeakMap<EndpointLane, number>();
  #isSending = false;
  #reconciling: Promise<void> = Promise.resolve();
  #isStale = false;

  constructor(options: EventSenderOptions) {
    const { db, telemetry, clock } = options;
    this.#options = options;
    this.#latch = new FailureLatch("webhooks", telemetry);
    this.#saver = new OutcomeSaver(db);
    this.#requestTurns = new EndpointTurns(requestPlaces, (lane) => this.#pump(lane));
    this.#preparingTurns = new EndpointTurns(preparingPlaces, (lane) => this.#pump(lane));
    this.#head = new LogHead({
      ...{ db, telemetry },
      isWanted: () => this.#isSending && this.#lanes.size > 0,
      onRows: (rows) => this.#offer(rows),
      onRead: () => this.#lookAtAll(),
    });
    this.#preparer = new LanePreparer({
      db: new LimitedDatabase(db, { total: Math.max(1, Math.floor(db.poolSize / 3)), waitMs: readPatienceMs }),
      clock,
      head: () => this.#head.position,
      isWaitedFor: () => this.#preparingTurns.isWaitedFor,
      deleteRetry: (lane, requestId) => this.#judge.dropRetry(lane, requestId),
    });
    this.#judge = new OutcomeJudge({
      ...{ db, telemetry, clock, random: options.random ?? Math.random, saver: this.#saver },
      accountName: (id) => this.#accountNames.get(id) ?? "",
      onMore: (lane) => this.#pump(lane),
      onDisabled: (lane) => this.#close(lane),
    });
  }

  start(): void {
    this.#isSending = true;
    this.#head.start();
  }

  /** Events and requests that wait for this node's endpoints. */
  get waiting(): number {
    return this.#lanes.sum(({ waiting }) => waiting);
  }

  /** Requests that are made and not begun: what they take in memory is bounded. */
  get prepared(): number {
    return this.#lanes.sum(({ ready }) => ready);
  }

  get endpoints(): number {
    return this.#lanes.size;
  }

  /** The slots that this node holds now. Their endpoints are sent to, others no more. */
  async hold(slots: ReadonlySet<number>): Promise<void> {
    this.#slots = slots;
    await this.reconcile();
  }

  /** Ends what belongs to these slots; afterwards they can be given back. */
  async leave(slots: ReadonlySet<number>, patienceMs: number): Promise<void> {
    const leaving = [...this.#lanes.all].filter(({ endpoint }) => slots.has(slotOfAccount(endpoint.accountId)));
    for (const lane of leaving) lane.isClosed = true;
    await this.#untilIdle(leaving, patienceMs);
    try {
      await this.save();
    } finally {
      for (const lane of leaving) this.#close(lane);
    }
    this.#slots = new Set([...this.#slots].filter((slot) => !slots.has(slot)));
  }

  /** Nothing may be sent any more: another node may hold the slots. */
  forgetAll(): void {
    this.#slots = new Set();
    for (const lane of [...this.#lanes.all]) this.#close(lane);
  }

  /** Takes no more, waits for what is under way, and saves. */
  async stop(patienceMs: number): Promise<void> {
    this.#isSending = false;
    await this.#head.stop();
    await this.#reconciling;
    await this.#untilIdle([...this.#lanes.all], patienceMs);
    if (this.#options.membership.isLeaseHeld) await this.save().catch((error: unknown) => this.#latch.failed(error));
    this.forgetAll();
  }

  /** After changes of the configuration or of the slots, and where `isStale`. */
  reconcile(): Promise<void> {
    this.#reconciling = this.#reconciling.then(() => this.#latch.watch(() => this.#reconcile()));
    return this.#reconciling;
  }

  /** Endpoints stand still that could be sent to: the database or the lease was away. */
  get isStale(): boolean {
    return this.#isStale;
  }

  setReplays(replays: readonly Replay[]): void {
    const replayOf = new Map(replays.map((replay) => [replay.endpointId, replay]));
    for (const lane of this.#lanes.all) {
      lane.setReplay(replayOf.get(lane.endpoint.id));
      if (lane.replay !== undefined) this.#pump(lane);
    }
  }

  /** Stores what became of requests, and how far each endpoint is. */
  async save(): Promise<void> {
    const { clock, membership } = this.#options;
    const nowMs = clock.now();
    const changed = [...this.#lanes.all].filter((lane) => this.#isToSave(lane, nowMs));
    const progress = changed.map((lane) => lane.progress(this.#head.position));
    const replaying = [...this.#lanes.all].flatMap((lane) => lane.takeReplayProgress() ?? []);
    for (const lane of changed) lane.isChanged = false;
    const given = { progress, replays: replaying };
    let unsaved: ReadonlySet<string> | undefined;
    try {
      unsaved = await this.#saver.save(membership.nodeId, given, new Date(nowMs));
    } finally {
      for (const lane of changed) {
        if (unsaved?.has(lane.endpoint.id) === false) this.#idleSavedMs.set(lane, nowMs);
        else lane.isChanged = true;
      }
    }
  }

  /** Deletes the oldest attempts of endpoints that have too many. */
  async trimAttempts(): Promise<void> {
    await trimAttempts(this.#options.db, this.#lanes.endpointIds);
  }

  #isToSave(lane: EndpointLane, nowMs: number): boolean {
    return lane.isChanged || nowMs - (this.#idleSavedMs.get(lane) ?? nowMs) > saveIdleEveryMs;
  }

  async #reconcile(): Promise<void> {
    this.#isStale = true;
    const wanted = this.#wanted();
    const { db, clock } = this.#options;
    for (const lane of [...this.#lanes.all]) {
      const endpoint = wanted.get(lane.endpoint.id);
      if (endpoint?.epoch !== lane.endpoint.epoch) this.#close(lane);
      else if (endpoint !== lane.endpoint) this.#configure(lane, endpoint);
    }
    const added = [...wanted.values()].filter(({ id }) => !this.#lanes.hasEndpoint(id));
    for (let from = 0; from < added.length; from += beginAtOnce) {
      const given = added.slice(from, from + beginAtOnce).map(({ id: endpointId, epoch }) => ({ endpointId, epoch }));
      const starts = await beginProgress(db, given);
      for (const start of starts) {
        const endpoint = wanted.get(start.endpointId);
        if (endpoint === undefined || !this.#slots.has(slotOfAccount(endpoint.accountId))) continue;
        const lane = new EndpointLane(endpoint, start);
        this.#lanes.add(lane);
        this.#idleSavedMs.set(lane, clock.now());
      }
    }
    this.#isStale = false;
    for (const lane of this.#lanes.all) this.#pump(lane);
  }

  #wanted(): Map<string, LaneEndpoint> {
    const wanted = new Map<string, LaneEndpoint>();
    this.#accountNames.clear();
    for (const { id, name, endpoints } of this.#options.directory.current.accountsWithEndpoints()) {
      if (!this.#slots.has(slotOfAccount(id))) continue;
      this.#accountNames.set(id, name);
      for (const endpoint of endpoints) if (endpoint.enabled) wanted.set(endpoint.id, endpoint);
    }
    return wanted;
  }

  /** Counts from the next try on. */
  #configure(lane: EndpointLane, endpoint: LaneEndpoint): void {
    const { url, mask, batchSize } = lane.endpoint;
    lane.endpoint = endpoint;
    if (url !== endpoint.url) lane.health = { ...lane.health, restUntilMs: 0 };
    const nowMs = this.#options.clock.now();
    if (mask !== endpoint.mask) lane.retries.lookAgain(nowMs);
    if (mask !== endpoint.mask || batchSize !== endpoint.batchSize) lane.drop(nowMs);
  }

  #close(lane: EndpointLane): void {
    lane.isClosed = true;
    lane.generation += 1;
    lane.cancelTimer?.();
    this.#requestTurns.forget(lane);
    this.#preparingTurns.forget(lane);
    this.#endPreparing(lane);
    this.#lanes.remove(lane);
  }

  #offer(rows: readonly LogRow[]): void {
    for (const lane of this.#lanes.offer(rows, this.#options.clock.now())) this.#pump(lane);
  }

  /** A few times a second. */
  #lookAtAll(): void {
    const nowMs = this.#options.clock.now();
    this.#takeTurnsBack(nowMs);
    for (const lane of this.#lanes.all) {
      if (!lane.isQuick(nowMs)) this.#demote(lane);
      // It reads for itself, and may have caught up with what the node's reader has read.
      if (lane.untried.isBehind || lane.replay !== undefined) this.#pump(lane);
    }
  }

  /** Requests of an endpoint that hangs leave their places to those that are quick. */
  #demote(lane: EndpointLane): void {
    for (const begun of lane.begun) {
      if (!begun.isQuick) continue;
      begun.isQuick = false;
      this.#requestTurns.demote();
    }
  }

  /**
   * A turn to prepare is for requests that are begun soon. An endpoint that hangs while more of its
   * requests are ready gives them up: they are read again later.
   */
  #takeTurnsBack(nowMs: number): void {
    for (const lane of this.#preparing.keys()) {
      if (!this.#preparingTurns.isWaitedFor) return;
      if (lane.isPreparing || lane.isQuick(nowMs) || lane.room(nowMs) > 0) continue;
      lane.drop(nowMs);
      this.#endPreparing(lane);
    }
  }

  /** Sends what may be sent now, and prepares more. */
  #pump(lane: EndpointLane): void {
    if (!this.#isSending || lane.isClosed) return;
    if (!this.#options.membership.isLeaseHeld) {
      this.#isStale = true;
      return;
    }
    const nowMs = this.#options.clock.now();
    while (lane.room(nowMs) > 0) {
      const request = lane.nextReady();
      if (request === undefined) break;
      const isQuick = lane.isQuick(nowMs);
      if (request.events.length > 0 && !this.#requestTurns.take(lane, isQuick)) break;
      lane.takeReady();
      if (request.events.length > 0) this.#track(this.#send(lane, request, isQuick));
      else this.#judge.skip(lane, request);
    }
    if (lane.ready === 0 && !lane.isPreparing) this.#endPreparing(lane);
    const preparation = lane.nextPreparation(nowMs);
    if (preparation !== undefined && this.#takeTurnToPrepare(lane, nowMs))
      this.#track(this.#prepare(lane, preparation));
    if (lane.isReplayDone) this.#options.onReplayDone?.();
    this.#setTimer(lane, nowMs);
  }

  /** Who has a turn goes on with it while nobody waits for one. */
  #takeTurnToPrepare(lane: EndpointLane, nowMs: number): boolean {
    if (this.#preparing.has(lane)) return !this.#preparingTurns.isWaitedFor;
    const isQuick = lane.isQuick(nowMs);
    if (!this.#preparingTurns.take(lane, isQuick)) return false;
    this.#preparing.set(lane, { isQuick });
    return true;
  }

  #endPreparing(lane: EndpointLane): void {
    const turn = this.#preparing.get(lane);
    this.#preparing.delete(lane);
    if (turn !== undefined) this.#preparingTurns.release(turn.isQuick);
  }

  #setTimer(lane: EndpointLane, nowMs: number): void {
    lane.cancelTimer?.();
    const wakeAtMs = lane.wakeAtMs(nowMs);
    lane.cancelTimer =
      wakeAtMs === undefined ? undefined : this.#options.clock.after(wakeAtMs - nowMs, () => this.#pump(lane));
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => this.#latch.failed(error))
      .finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
  }

  async #prepare(lane: EndpointLane, preparation: Preparation): Promise<void> {
    lane.isPreparing = true;
    try {
      await this.#preparer.prepare(lane, preparation);
      const telling = lane.tellingAfter(preparation, this.#options.clock.now());
      if (telling !== undefined) await this.#preparer.prepare(lane, telling);
      this.#latch.worked();
    } catch (error) {
      this.#latch.failed(error);
      lane.drop(this.#options.clock.now());
      await new Promise((resolve) => setTimeout(resolve, tryAgainMs).unref());
    } finally {
      lane.isPreparing = false;
    }
    if (preparation === "readLog") this.#lanes.boundRows(this.#options.clock.now());
    // There was nothing, and the node's reader is ahead for a moment: its next page asks again.
    if (preparation === "readLog" && lane.untried.isBehind && lane.untried.length === 0 && lane.ready === 0) {
      this.#endPreparing(lane);
      return;
    }
    this.#pump(lane);
  }

  async #send(lane: EndpointLane, request: LaneRequest, isQuick: boolean): Promise<void> {
    const { clock, poster } = this.#options;
    const { endpoint } = lane;
    const begun = lane.begin(clock.now(), isQuick);
    const open = this.#judge.begin(lane, request);
    const { id, body } = request;
    const outcome = await poster.post({ url: endpoint.url, id, body, secrets: liveSecrets(endpoint, Date.now()) });
    lane.end(begun, clock.now());
    if (!lane.isClosed || this.#lanes.has(lane)) this.#judge.end(lane, open, outcome);
    this.#requestTurns.release(begun.isQuick);
    this.#pump(lane);
  }

  async #untilIdle(lanes: readonly EndpointLane[], patienceMs: number): Promise<void> {
    const deadline = performance.now() + patienceMs;
    while (lanes.some(({ underWay }) => underWay > 0) && performance.now() < deadline) {
      const timeout = new Promise((resolve) => setTimeout(resolve, deadline - performance.now()).unref());
      await Promise.race([...this.#underWay, timeout]);
    }
  }
}
