// Sends the waiting messages of one connector: claims due messages for each bind that has room, or
// takes them directly when they are accepted, writes their parts, and passes the results to the
// recorder. One instance per connector and node.
import type { ConnectorLink, PartToSubmit } from "../connectors/connector.ts";
import type { Connector } from "../directory/network.ts";
import { type TextDemand, unmetDemand } from "../sms/carrying.ts";
import { type ReferenceSpace, referenceSpaceOf } from "../sms/concatenation-reference.ts";
import { segmentsOf } from "../sms/message-parts.ts";
import { decideSubmitOutcome, type SubmitReply } from "../sms/submit-outcome.ts";
import type { Database } from "../store/database.ts";
import { claimDueMessages, type ClaimedMessage } from "../store/message-queue.ts";
import type { PartTaken } from "../store/progress.ts";
import type { SubmissionOutcome, Telemetry } from "../telemetry.ts";
import { uuidv7 } from "../uuid.ts";
import { ActiveMessage, type MessageOutcome } from "./active-message.ts";
import { type BindLane, openLane, type Place } from "./bind-lane.ts";
import { isLinkAnswer, nameOutcome, retime, TurnedAway } from "./link-answer.ts";
import { LinkPace } from "./link-pace.ts";
import type { Membership } from "./membership.ts";
import type { OutcomeRecorder } from "./outcome-recorder.ts";
import { numberMessages } from "./reference-counter.ts";
import { keepNotTaken, lateAnswer, type PartContext, partTakenBy, type WrittenPart } from "./written-part.ts";
import type { Due } from "./wake-up.ts";
import { type Settlement, settlementOf } from "./settlement.ts";

export interface DispatcherOptions {
  readonly connector: Connector;
  readonly link: ConnectorLink;
  readonly db: Database;
  readonly recorder: OutcomeRecorder;
  readonly membership: Membership;
  readonly telemetry: Telemetry;
  /** Routes that this connector serves at the moment. */
  readonly routeIds: () => readonly number[];
  /**
   * The lane in which a message waits for a link of its route that can carry it; undefined when no
   * link can.
   */
  readonly laneElsewhere: (routeId: number, demand: TextDemand) => number | undefined;
  /** This node's initial share of the connector's rate, in parts per second; 0 means no limit. */
  readonly partsPerSecond: number;
  readonly describeStatus: (commandStatus: number) => string;
}

/** How often the queue is polled: a notice that something is due may be lost. */
export const pollEveryMs = 250;
const longestBackOffMs = 5000;
/** A queue that is not empty after this many claims in a row will not empty soon. */
const fewClaims = 20;

export class Dispatcher {
  readonly connectorId: number;
  readonly #options: DispatcherOptions;
  readonly #lanes = new Map<number, BindLane>();
  /**
   * Claims stored in the database, each with the number of its messages that are not settled yet.
   */
  readonly #openClaims = new Map<string, number>();
  readonly #pace: LinkPace;
  #timer: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  readonly #claims = new Set<Promise<void>>();
  #stopping = false;
  #paused = false;
  #failures = 0;
  #restUntil = 0;
  readonly #turnedAway = new TurnedAway();
  /**
   * The queue may hold messages, which go before messages accepted just now. True until a claim
   * finds none.
   */
  #mayWait = true;
  /** How often a waiting message was reported. */
  #waitingNotices = 0;
  readonly #roomListeners = new Set<() => void>();
  /** Consecutive claims that found messages. */
  #claimsInARow = 0;
  /** Parts for which room is reserved while their messages are being accepted. */
  #partsExpected = 0;

  constructor(options: DispatcherOptions) {
    this.connectorId = options.connector.id;
    this.#options = options;
    this.#pace = new LinkPace(options.partsPerSecond, performance.now());
  }

  start(): void {
    this.#poll = setInterval(() => this.#look(), pollEveryMs);
    this.wake();
  }

  /**
   * Stops claiming, gives back what is not written, and waits for the claims in progress. Answers
   * can still arrive afterwards.
   */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#poll);
    clearTimeout(this.#timer);
    await Promise.all(this.#claims);
    for (const lane of this.#lanes.values()) this.#giveBack(lane);
  }

  /** Claims with messages that may not be settled on disk yet. */
  get openClaims(): readonly string[] {
    return [...this.#openClaims.keys()];
  }

  addBind(bindNumber: number): void {
    if (!this.#lanes.has(bindNumber)) this.#lanes.set(bindNumber, openLane(bindNumber));
  }

  /** Changes this node's share of the connector's rate; more than 0. */
  limitTo(partsPerSecond: number): void {
    this.#pace.limitTo(partsPerSecond, performance.now());
  }

  /** The bind is gone, or about to go: gives back what was claimed for it and not written. */
  removeBind(bindNumber: number): void {
    this.bindLost(bindNumber);
    this.#lanes.delete(bindNumber);
  }

  /** Submits nothing until it is told otherwise; answers still arrive. */
  pause(paused: boolean): void {
    if (paused === this.#paused) return;
    this.#paused = paused;
    if (paused) for (const lane of this.#lanes.values()) this.#giveBack(lane);
    else this.wake();
  }

  /** The link of a bind was lost. */
  bindLost(bindNumber: number): void {
    const lane = this.#lanes.get(bindNumber);
    if (lane) this.#giveBack(lane);
  }

  /**
   * Parts for which room can be reserved now, and the total window. Undefined when waiting for room
   * is pointless: no bind is up, no route leads here (a second choice while the first is up), the
   * rate is limited, or the queue is too long to empty soon.
   */
  get roomForFresh(): { readonly room: number; readonly window: number } | undefined {
    const now = performance.now();
    if (this.#stopping || this.#paused || this.#claimsInARow > fewClaims || now < this.#restUntil) return undefined;
    if (this.#pace.available(now) !== Infinity) return undefined;
    let room = 0;
    let window = 0;
    for (const lane of this.#lanes.values()) {
      if (!this.#options.link.isBound(lane.bindNumber)) continue;
      room += Math.max(0, this.#roomOf(lane));
      window += this.#windowOf(lane);
    }
    if (window === 0 || this.#options.routeIds().length === 0) return undefined;
    return { room: this.#mayWait ? 0 : room, window };
  }

  /**
   * Calls the listener whenever something is settled and there may be more room. Returns the
   * function that removes it.
   */
  onRoom(listener: () => void): () => void {
    this.#roomListeners.add(listener);
    return () => this.#roomListeners.delete(listener);
  }

  /**
   * Reserves room for the parts of a message that is being accepted, until `take` or `release`.
   * Undefined when there is no room, or when waiting messages may have to go first.
   */
  reserve(parts: number): Place | undefined {
    if (this.#stopping || this.#paused || this.#mayWait || !this.#options.membership.isLeaseHeld) return undefined;
    const now = performance.now();
    if (now < this.#restUntil || this.#pace.available(now) < this.#partsExpected + parts) return undefined;
    for (const lane of this.#lanes.values()) {
      if (!this.#options.link.isBound(lane.bindNumber) || this.#roomOf(lane) < parts) continue;
      lane.unsettled += parts;
      this.#partsExpected += parts;
      return lane;
    }
    return undefined;
  }

  /**
   * The messages for which `parts` were reserved at `keptAt` (monotonic, ms) are stored under this
   * claim.
   */
  take(
    { place, parts, claimId, keptAt }: { place: Place; parts: number; claimId: string; keptAt: number },
    messages: readonly ClaimedMessage[],
  ): void {
    const lane = this.#giveUp(place, parts);
    if (messages.length === 0) {
      void this.#record({ finishedClaim: claimId });
      return;
    }
    const { telemetry, connector } = this.#options;
    telemetry.emit("message.claimed", { connector: connector.name, count: messages.length });
    this.#take(lane, claimId, messages, keptAt);
  }

  /** Nothing was stored under the claim. */
  release(place: Place, parts: number): void {
    this.#claimFor(this.#giveUp(place, parts));
  }

  #giveUp(place: Place, parts: number): BindLane {
    const lane = place as BindLane;
    lane.unsettled -= parts;
    this.#partsExpected -= parts;
    return lane;
  }

  #noteWaiting(): void {
    this.#mayWait = true;
    this.#waitingNotices += 1;
  }

  // A notice of another node may be lost.
  #look(): void {
    for (const lane of this.#lanes.values()) lane.urgent = true;
    this.wake();
  }

  /** Something may be due, or a bind may have room. */
  wake(due?: Due): void {
    if (due) this.#noteWaiting();
    for (const lane of this.#lanes.values()) {
      if (due && lane.claiming) lane.claimAgain = true;
      if (due?.urgent === true) lane.urgent = true;
      this.#write(lane);
      this.#claimFor(lane);
    }
  }

  /** A late answer to a part that was given up. It is recorded, whatever it says. */
  lateReply(part: PartToSubmit, context: unknown, reply: SubmitReply): void {
    const { active } = context as PartContext;
    this.#announce("late", 0);
    const lane = this.#lanes.get(active.bindNumber);
    if (lane) lane.unanswered = 0;
    const written = this.#writtenPart(part, context as PartContext);
    if (reply.kind === "accepted") void this.#record({ taken: partTakenBy(written, reply.smscMessageId) });
    if (reply.kind === "refused") void this.#record({ late: lateAnswer(written, reply, this.#options.describeStatus) });
  }

  #claimFor(lane: BindLane): void {
    const now = performance.now();
    if (lane.claiming || now < this.#restUntil || !this.#isOurs(lane) || !this.#options.membership.isLeaseHeld) return;
    if (!this.#mayWait && !lane.urgent) return;
    const room = this.#roomOf(lane);
    // A busy bind claims again only when a quarter of its window is free and half a burst of its
    // rate is available, so that each claim is worth its commit.
    const isBusy = lane.unsettled > 0 && !lane.urgent;
    if (room < (isBusy ? Math.ceil(this.#windowOf(lane) / 4) : 1)) return;
    const leastPace = isBusy ? this.#pace.worthwhile : 1;
    const paced = this.#pace.available(now);
    if (paced < leastPace) {
      this.#wakeLater(leastPace);
      return;
    }
    const routeIds = this.#options.routeIds();
    if (routeIds.length === 0) return;
    lane.claiming = true;
    lane.urgent = false;
    // A poll leaves the room to the messages that are being accepted.
    lane.asked = this.#mayWait ? Math.min(room, paced) : 1;
    const claim = this.#claim(lane, lane.asked, routeIds).finally(() => {
      lane.claiming = false;
      lane.asked = 0;
      if (!lane.claimAgain) return;
      lane.claimAgain = false;
      this.#claimFor(lane);
    });
    this.#await(claim);
  }

  /** Whether anything may be written for the lane. */
  #isOurs(lane: BindLane): boolean {
    if (this.#stopping || this.#paused) return false;
    return this.#lanes.get(lane.bindNumber) === lane && this.#options.link.isBound(lane.bindNumber);
  }

  #await(claim: Promise<void>): void {
    this.#claims.add(claim);
    void claim.finally(() => this.#claims.delete(claim));
  }

  // Consecutive unanswered parts keep their places in the window until an answer comes. When an
  // SMSC goes silent, or a link loses packets, only one window becomes uncertain; after that it
  // gets one message at a time, and the rest of the queue stays certain.
  #windowOf(lane: BindLane): number {
    return Math.max(1, this.#options.connector.settings.window - lane.unanswered);
  }

  #roomOf(lane: BindLane): number {
    return this.#windowOf(lane) - lane.unsettled - lane.asked;
  }

  async #claim(lane: BindLane, room: number, routeIds: readonly number[]): Promise<void> {
    const { db, membership, connector, telemetry } = this.#options;
    const claimId = uuidv7();
    const waitingNotices = this.#waitingNotices;
    const askedAt = performance.now();
    try {
      const messages = await claimDueMessages(db, {
        claimId,
        nodeId: membership.nodeId,
        connectorId: connector.id,
        bindNumber: lane.bindNumber,
        stretches: lane.turns.stretches(routeIds),
        partsLimit: room,
      });
      this.#failures = 0;
      lane.turns.served(messages);
      // What another claim found counts as a notice: it may have locked all that waits and taken a
      // part.
      if (messages.length > 0) this.#noteWaiting();
      else if (waitingNotices === this.#waitingNotices) this.#mayWait = false;
      this.#claimsInARow = messages.length > 0 ? this.#claimsInARow + 1 : 0;
      if (messages.length === 0) return;
      telemetry.emit("message.claimed", { connector: connector.name, count: messages.length });
      this.#take(lane, claimId, messages, askedAt);
      setImmediate(() => this.wake());
    } catch (error) {
      // The claim may or may not be stored. If it is, the supervisor finds it among the claims that
      // nobody knows and takes it back.
      this.#failures += 1;
      this.#restUntil = performance.now() + Math.min(longestBackOffMs, 100 * 2 ** this.#failures);
      if (this.#failures === 1) telemetry.emit("service.failed", { service: `dispatcher ${connector.name}`, error });
    }
  }

  // The database reports how long a message is still valid; from then on the monotonic clock
  // counts.
  #take(lane: BindLane, claimId: string, messages: readonly ClaimedMessage[], askedAt: number): void {
    this.#openClaims.set(claimId, messages.length);
    const { settings } = this.#options.connector;
    const asOnePayload = settings.longMessages === "payload";
    const options = { claimId, bindNumber: lane.bindNumber, asOnePayload, now: askedAt };
    const [ready, unnumbered]: [ActiveMessage[], ActiveMessage[]] = [[], []];
    let space: ReferenceSpace | undefined;
    for (const message of messages) {
      const active = new ActiveMessage(message, options);
      lane.unsettled += active.claimedParts;
      const unmet = unmetDemand(settings, message);
      if (unmet !== undefined) {
        const laneId = this.#options.laneElsewhere(message.routeId, unmet);
        this.#settle(lane, active, { kind: "uncarriable", laneId });
        continue;
      }
      const needed = referenceSpaceOf(message, settings.longMessages);
      space ??= needed;
      (needed === undefined ? ready : unnumbered).push(active);
    }
    if (space !== undefined) this.#await(this.#number(lane, unnumbered, space));
    this.#begin(lane, ready);
  }

  // The other messages of the claim do not wait for these.
  async #number(lane: BindLane, messages: readonly ActiveMessage[], space: ReferenceSpace): Promise<void> {
    const { db, telemetry, connector } = this.#options;
    const { ready, others, error } = await numberMessages(db, messages, space);
    if (error !== undefined) telemetry.emit("service.failed", { service: `dispatcher ${connector.name}`, error });
    for (const { active, outcome } of others) this.#settle(lane, active, outcome);
    this.#begin(lane, ready);
  }

  #begin(lane: BindLane, messages: readonly ActiveMessage[]): void {
    for (const active of messages) {
      if (active.validUntil <= performance.now()) this.#settle(lane, active, { kind: "expired" });
      else if (active.nextPart === undefined) this.#settle(lane, active, { kind: "sent" });
      else lane.waiting.push(active);
    }
    if (!this.#isOurs(lane) || this.#pace.isResting(performance.now())) this.#giveBack(lane);
    else this.#write(lane);
  }

  // Not reentrant: a part that the connector cannot carry is answered at once, while this loop
  // runs.
  #write(lane: BindLane): void {
    if (lane.writing) return;
    lane.writing = true;
    try {
      while (lane.waiting.length > 0 && this.#options.membership.isLeaseHeld) if (!this.#writeNext(lane)) return;
    } finally {
      lane.writing = false;
    }
  }

  /** Returns whether there may be more to write now. */
  #writeNext(lane: BindLane): boolean {
    const active = lane.waiting[0];
    const part = active?.nextPart;
    if (active === undefined || part === undefined) {
      lane.waiting.shift();
      return true;
    }
    if (this.#options.link.windowFree(lane.bindNumber) === 0) return false;
    const now = performance.now();
    if (this.#pace.available(now) < 1) {
      this.#wakeLater(1);
      return false;
    }
    return this.#submit(lane, active, part, now);
  }

  #submit(lane: BindLane, active: ActiveMessage, part: PartToSubmit, now: number): boolean {
    const context: PartContext = { active, writtenAt: now, node: this.#options.membership.runNumber };
    active.written();
    const taken = this.#options.link.submit(lane.bindNumber, part, context, (reply) =>
      this.#answered(lane, part, context, reply),
    );
    if (taken) this.#pace.take(segmentsOf(part.part, part.parts), now);
    else this.#answered(lane, part, context, { kind: "notWritten" });
    return taken;
  }

  #answered(lane: BindLane, part: PartToSubmit, context: PartContext, reply: SubmitReply): void {
    const { connector } = this.#options;
    const { active, writtenAt } = context;
    const { message } = active;
    const now = performance.now();
    const times = { now, validUntil: active.validUntil };
    const policy = connector.settings.uncertain;
    const outcome = decideSubmitOutcome(reply, {
      attempt: message.attempt + 1,
      unanswered: message.unanswered,
      policy,
      ...times,
    });
    this.#announce(nameOutcome(reply, outcome), performance.now() - writtenAt, lane.bindNumber);
    this.#turnedAway.note(message.messageId, reply);
    const unanswered = reply.kind === "unknown";
    lane.unanswered = unanswered ? lane.unanswered + 1 : 0;
    const retimed = retime(outcome, reply, {
      ...{ ...times, message, turnedAway: this.#turnedAway },
      isBound: this.#options.link.isBound(lane.bindNumber),
      responseTimeoutMs: connector.settings.responseTimeoutMs,
    });
    const written = this.#writtenPart(part, context);
    keepNotTaken(written, reply, this.#options.describeStatus);
    const settled = active.answered(part.part, retimed, { now, unanswered });
    const taken = reply.kind === "accepted" ? partTakenBy(written, reply.smscMessageId) : undefined;
    if (settled) this.#settle(lane, active, settled, taken);
    else if (taken) void this.#record({ taken, claimId: active.claimId });
    if (isLinkAnswer(reply)) this.#rest();
    this.#write(lane);
  }

  // The whole link rests. Messages that are claimed and not written go back too: they must not
  // overtake those that the SMSC turned away.
  #rest(): void {
    this.#pace.throttled(performance.now());
    for (const lane of this.#lanes.values()) this.#giveBack(lane);
  }

  #giveBack(lane: BindLane): void {
    for (const active of lane.waiting.splice(0)) {
      const settled = active.giveBack();
      if (settled) this.#settle(lane, active, settled);
    }
  }

  // The place is freed only when the outcome is on disk: a crash before that leaves the message
  // uncertain, and the window bounds how many can be.
  #settle(lane: BindLane, active: ActiveMessage, outcome: MessageOutcome, taken?: PartTaken): void {
    const { connector, describeStatus } = this.#options;
    const { claimId } = active;
    const left = (this.#openClaims.get(claimId) ?? 1) - 1;
    this.#openClaims.set(claimId, left);
    void this.#record({
      taken,
      claimId,
      finishedClaim: left === 0 ? claimId : undefined,
      // Spread last, where it costs least.
      ...settlementOf(active.message, outcome, { connectorId: connector.id, describeStatus, added: active.notTaken }),
    }).then((isOnDisk) => {
      if (left === 0 && isOnDisk && this.#openClaims.get(claimId) === 0) this.#openClaims.delete(claimId);
      if (outcome.kind === "deferred") this.#noteWaiting();
      lane.unsettled -= active.claimedParts;
      for (const tell of this.#roomListeners) tell();
      this.#claimFor(lane);
    });
  }

  #writtenPart({ part }: PartToSubmit, context: PartContext): WrittenPart {
    return { ...context, part, connectorId: this.connectorId };
  }

  /** Returns whether it is on disk. */
  async #record(settlement: Settlement): Promise<boolean> {
    try {
      await this.#options.recorder.record(settlement);
      return true;
    } catch (error) {
      this.#options.telemetry.emit("service.failed", { service: `dispatcher ${this.#options.connector.name}`, error });
      // The claim stays open for good, so that it is not taken for lost: only this node knows what
      // was written of it.
      if (settlement.claimId !== undefined) this.#openClaims.set(settlement.claimId, Infinity);
      return false;
    }
  }

  /** Wakes when the pace allows `parts` parts. */
  #wakeLater(parts: number): void {
    if (this.#timer !== undefined || this.#stopping) return;
    const waitMs = Math.max(1, this.#pace.waitMs(performance.now(), parts));
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.wake();
    }, waitMs);
  }

  #announce(outcome: SubmissionOutcome, latencyMs: number, bindNumber?: number): void {
    const connector = this.#options.connector.name;
    this.#options.telemetry.emit("submission.settled", { connector, bindNumber, outcome, count: 1, latencyMs });
  }
}
