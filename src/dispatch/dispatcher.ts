// Sends what waits for one connector: claims due messages for each bind that has room, writes their parts, and hands what becomes of them to the
// recorder. One instance a connector and node.
import type { Connector as ConnectorLink, PartToSubmit } from "../connectors/connector.ts";
import type { Connector } from "../directory/directory.ts";
import {
  backOffMs,
  decideSubmitOutcome,
  resendDelayMs,
  type SubmitOutcome,
  type SubmitReply,
} from "../sms/submit-outcome.ts";
import type { Database } from "../store/database.ts";
import { claimDueMessages, type ClaimedMessage } from "../store/message-queue.ts";
import type { SubmissionOutcome, Telemetry } from "../telemetry.ts";
import { uuidv7 } from "../uuid.ts";
import { ActiveMessage, type MessageOutcome } from "./active-message.ts";
import { LinkPace } from "./link-pace.ts";
import type { Membership } from "./membership.ts";
import type { OutcomeRecorder } from "./outcome-recorder.ts";
import type { Due } from "./wake-up.ts";
import { partTaken, type Settlement, settlementOf } from "./settlement.ts";

export interface DispatcherOptions {
  readonly connector: Connector;
  readonly link: ConnectorLink;
  readonly db: Database;
  readonly recorder: OutcomeRecorder;
  readonly membership: Membership;
  readonly telemetry: Telemetry;
  /** Routes that this connector serves at the moment. */
  readonly routeIds: () => readonly number[];
  /** This node's share of the connector's rate, in parts per second; 0: no limit. */
  readonly partsPerSecond: number;
  readonly describeStatus: (commandStatus: number) => string;
}

/** A message may have fallen due without anyone saying so (a scheduled one): the queue is looked at so often. */
const pollEveryMs = 250;
const longestBackOffMs = 5000;
/** So many parts in a row without an answer say that the SMSC is silent, not that some answers were lost. */
const silentAfter = 10;

/**
 * So often in a row one message is turned away as if the link were too fast, nothing else being taken meanwhile. Then it is the message (its
 * recipient's queue at the SMSC is full, say): it steps aside, lest all others wait behind it until its validity ends.
 */
const turnedAwayInARow = 5;

/** What travels with a part and comes back with its answer. */
interface PartContext {
  readonly active: ActiveMessage;
  readonly writtenAt: number;
}

interface BindLane {
  readonly bindNumber: number;
  /** Claimed messages with parts still to be written, in order. */
  readonly waiting: ActiveMessage[];
  /** Parts claimed and not yet recorded as settled: what would be uncertain after a crash. Never more than a window. */
  unsettled: number;
  claiming: boolean;
  /** Something fell due while a claim was on its way, which may have looked before. */
  claimAgain: boolean;
  /** Parts in a row that were written and never answered. */
  unanswered: number;
  /** A one-time code is due: any free place is worth a claim. */
  urgent: boolean;
  writing: boolean;
}

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #lanes = new Map<number, BindLane>();
  /** Claims that stand in the database, by how many of their messages are not settled yet. */
  readonly #openClaims = new Map<string, number>();
  readonly #weights = new WeakMap<ActiveMessage, number>();
  readonly #pace: LinkPace;
  #timer: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  readonly #claims = new Set<Promise<void>>();
  #stopping = false;
  #failures = 0;
  #restUntil = 0;
  #turnedAway = { messageId: "", times: 0 };

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#pace = new LinkPace(options.partsPerSecond, performance.now());
  }

  start(): void {
    this.#poll = setInterval(() => this.wake(), pollEveryMs);
    this.wake();
  }

  /** Claims no more, gives back what is not written, and waits until nothing is being claimed. Answers that are due still come in. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#poll);
    clearTimeout(this.#timer);
    await Promise.all(this.#claims);
    for (const lane of this.#lanes.values()) this.#giveBack(lane);
  }

  /** Claims whose messages are not all known to be settled on disk. */
  get openClaims(): readonly string[] {
    return [...this.#openClaims.keys()];
  }

  addBind(bindNumber: number): void {
    if (!this.#lanes.has(bindNumber))
      this.#lanes.set(bindNumber, {
        bindNumber,
        waiting: [],
        unsettled: 0,
        claiming: false,
        claimAgain: false,
        unanswered: 0,
        urgent: false,
        writing: false,
      });
  }

  /** The bind is gone, or about to go: what was claimed for it and not written goes back. */
  removeBind(bindNumber: number): void {
    const lane = this.#lanes.get(bindNumber);
    if (lane) this.#giveBack(lane);
    this.#lanes.delete(bindNumber);
  }

  /** The link of a bind was lost. */
  bindLost(bindNumber: number): void {
    const lane = this.#lanes.get(bindNumber);
    if (lane) this.#giveBack(lane);
  }

  /** Something may be due, or a bind may have room. */
  wake(due?: Due): void {
    for (const lane of this.#lanes.values()) {
      if (due && lane.claiming) lane.claimAgain = true;
      if (due?.urgent === true) lane.urgent = true;
      this.#write(lane);
      this.#claimFor(lane);
    }
  }

  /** The answer to a part that had been given up: if it was taken after all, that is the truth. */
  lateReply(part: PartToSubmit, context: unknown, reply: SubmitReply): void {
    const { active } = context as PartContext;
    this.#announce("late", 0);
    const lane = this.#lanes.get(active.bindNumber);
    if (lane) lane.unanswered = 0;
    if (reply.kind === "accepted") void this.#recordTaken(active, part, reply.smscMessageId);
  }

  #claimFor(lane: BindLane): void {
    const { link, membership, connector } = this.#options;
    const isOurs = this.#lanes.get(lane.bindNumber) === lane && link.isBound(lane.bindNumber);
    if (this.#stopping || lane.claiming || !isOurs || !membership.isLeaseHeld) return;
    const now = performance.now();
    if (now < this.#restUntil) return;
    // An SMSC that has gone silent is asked with one message at a time: the rest of the queue shall not become uncertain, too.
    const window = lane.unanswered >= silentAfter ? 1 : connector.settings.window;
    const room = window - lane.unsettled;
    // A busy bind is refilled by the quarter of its window and by half a burst of its rate, so that claims stay worth their commit.
    const isBusy = lane.unsettled > 0 && !lane.urgent;
    if (room < (isBusy ? Math.ceil(window / 4) : 1)) return;
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
    const claim = this.#claim(lane, Math.min(room, paced), routeIds).finally(() => {
      lane.claiming = false;
      this.#claims.delete(claim);
      if (!lane.claimAgain) return;
      lane.claimAgain = false;
      this.#claimFor(lane);
    });
    this.#claims.add(claim);
  }

  async #claim(lane: BindLane, room: number, routeIds: readonly number[]): Promise<void> {
    const { db, membership, connector, telemetry } = this.#options;
    const claimId = uuidv7();
    try {
      const messages = await claimDueMessages(db, {
        claimId,
        nodeId: membership.nodeId,
        connectorId: connector.id,
        bindNumber: lane.bindNumber,
        routeIds,
        partsLimit: room,
      });
      this.#failures = 0;
      if (messages.length === 0) return;
      telemetry.emit("message.claimed", { connector: connector.name, count: messages.length });
      this.#take(lane, claimId, messages);
      setImmediate(() => this.wake());
    } catch (error) {
      // Whether the claim was stored is not known; if it was, it is taken back when the supervisor looks for claims that nobody knows.
      this.#failures += 1;
      this.#restUntil = performance.now() + Math.min(longestBackOffMs, 100 * 2 ** this.#failures);
      if (this.#failures === 1) telemetry.emit("service.failed", { service: `dispatcher ${connector.name}`, error });
    }
  }

  #take(lane: BindLane, claimId: string, messages: readonly ClaimedMessage[]): void {
    this.#openClaims.set(claimId, messages.length);
    const now = Date.now();
    const asOnePayload = this.#options.connector.settings.longMessages === "payload";
    for (const message of messages) {
      const active = new ActiveMessage(message, { claimId, bindNumber: lane.bindNumber, asOnePayload, now });
      lane.unsettled += active.unwrittenParts;
      this.#weights.set(active, active.unwrittenParts);
      if (message.validUntil.getTime() <= now) this.#settle(lane, active, { kind: "expired" });
      else if (active.nextPart === undefined) this.#settle(lane, active, { kind: "sent" });
      else lane.waiting.push(active);
    }
    const isOurs = this.#lanes.get(lane.bindNumber) === lane && this.#options.link.isBound(lane.bindNumber);
    if (this.#stopping || !isOurs || this.#pace.isResting(performance.now())) this.#giveBack(lane);
    else this.#write(lane);
  }

  // Not entered again by the answers that come while it writes: a part that the connector cannot carry is answered at once.
  #write(lane: BindLane): void {
    if (lane.writing) return;
    lane.writing = true;
    try {
      while (lane.waiting.length > 0 && this.#options.membership.isLeaseHeld) if (!this.#writeNext(lane)) return;
    } finally {
      lane.writing = false;
    }
  }

  /** Answers whether there may be more to write now. */
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
    const context: PartContext = { active, writtenAt: now };
    active.written();
    const taken = this.#options.link.submit(lane.bindNumber, part, context, (reply) =>
      this.#answered(lane, part, context, reply),
    );
    if (taken) this.#pace.take(part.part === 0 ? part.parts : 1, now);
    else this.#answered(lane, part, context, { kind: "notWritten" });
    return taken;
  }

  #answered(lane: BindLane, part: PartToSubmit, { active, writtenAt }: PartContext, reply: SubmitReply): void {
    const { connector } = this.#options;
    const { message } = active;
    const now = Date.now();
    const times = { now, validUntil: message.validUntil.getTime() };
    const policy = connector.settings.uncertain;
    const outcome = decideSubmitOutcome(reply, {
      attempt: message.attempt + 1,
      unanswered: message.unanswered,
      policy,
      ...times,
    });
    this.#announce(nameOutcome(reply, outcome), performance.now() - writtenAt);
    if (reply.kind === "accepted") void this.#recordTaken(active, part, reply.smscMessageId);
    this.#noteTurnedAway(message.messageId, reply);
    const unanswered = reply.kind === "unknown";
    lane.unanswered = unanswered ? lane.unanswered + 1 : 0;
    const retimed = this.#retime(lane, reply, outcome, message, times);
    const settled = active.answered(part.part, retimed, { now, unanswered });
    if (settled) this.#settle(lane, active, settled);
    if (isLinkAnswer(reply)) this.#rest();
    this.#write(lane);
  }

  /** When a deferred part is tried again, where the link has a say in it. */
  #retime(
    lane: BindLane,
    reply: SubmitReply,
    outcome: SubmitOutcome,
    message: ClaimedMessage,
    { now, validUntil }: { now: number; validUntil: number },
  ): SubmitOutcome {
    if (outcome.kind !== "deferred") return outcome;
    // What the link cannot take now is not the message's fault: it goes back to its old place, and its back-off does not grow. One that stepped
    // aside before does so at once.
    if (isLinkAnswer(reply)) {
      const attempt = message.attempt + 1;
      const isInTheWay = this.#turnedAway.times >= (attempt > 1 ? 1 : turnedAwayInARow);
      return { kind: "deferred", until: isInTheWay ? Math.min(now + backOffMs(attempt), validUntil) : now };
    }
    // On a link that is gone no answer can come any more.
    if (reply.kind === "unknown" && this.#options.link.isBound(lane.bindNumber)) {
      const { responseTimeoutMs } = this.#options.connector.settings;
      return {
        kind: "deferred",
        until: Math.min(now + resendDelayMs(message.unanswered, responseTimeoutMs), validUntil),
      };
    }
    return outcome;
  }

  #noteTurnedAway(messageId: string, reply: SubmitReply): void {
    if (!isLinkAnswer(reply)) this.#turnedAway = { messageId: "", times: 0 };
    else if (this.#turnedAway.messageId === messageId) this.#turnedAway.times += 1;
    else this.#turnedAway = { messageId, times: 1 };
  }

  // The whole link rests. What is claimed and not written yet goes back too: it must not overtake what was turned away.
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

  // Freed only when it is on disk: until then a crash would leave the message uncertain, and the claim is bounded by the window.
  #settle(lane: BindLane, active: ActiveMessage, outcome: MessageOutcome): void {
    const { connector, describeStatus } = this.#options;
    const { claimId } = active;
    const left = (this.#openClaims.get(claimId) ?? 1) - 1;
    this.#openClaims.set(claimId, left);
    void this.#record({
      ...settlementOf(active.message, outcome, { connectorId: connector.id, describeStatus }),
      ...(left === 0 ? { finishedClaim: claimId } : {}),
    }).then((isOnDisk) => {
      if (left === 0 && isOnDisk) this.#openClaims.delete(claimId);
      lane.unsettled -= this.#weights.get(active) ?? 0;
      this.#claimFor(lane);
    });
  }

  #recordTaken(active: ActiveMessage, { part }: PartToSubmit, smscMessageId: string): Promise<boolean> {
    const connectorId = this.#options.connector.id;
    return this.#record({ taken: partTaken(active.message, { part, connectorId, smscMessageId }) });
  }

  /** Answers whether it is on disk. */
  async #record(settlement: Settlement): Promise<boolean> {
    try {
      await this.#options.recorder.record(settlement);
      return true;
    } catch (error) {
      this.#options.telemetry.emit("service.failed", { service: `dispatcher ${this.#options.connector.name}`, error });
      return false;
    }
  }

  /** When the pace allows so many parts. */
  #wakeLater(parts: number): void {
    if (this.#timer !== undefined || this.#stopping) return;
    const waitMs = Math.max(1, this.#pace.waitMs(performance.now(), parts));
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.wake();
    }, waitMs);
  }

  #announce(outcome: SubmissionOutcome, latencyMs: number): void {
    this.#options.telemetry.emit("submission.settled", {
      connector: this.#options.connector.name,
      outcome,
      count: 1,
      latencyMs,
    });
  }
}

/** Whether an answer is about the link and not about the message. */
function isLinkAnswer(reply: SubmitReply): boolean {
  return reply.kind === "refused" && (reply.answerClass === "throttled" || reply.answerClass === "bindFatal");
}

function nameOutcome(reply: SubmitReply, outcome: SubmitOutcome): SubmissionOutcome {
  if (reply.kind === "refused" && reply.answerClass === "throttled") return "throttled";
  if (reply.kind === "unknown") return "unknown";
  switch (outcome.kind) {
    case "accepted":
    case "refused":
    case "deferred":
    case "expired":
      return outcome.kind;
    case "held":
    case "failedUnknown":
      return "unknown";
  }
}
