// Sends what waits for one connector: claims due messages for each bind that has room, writes their parts, and hands what becomes of them to the
// recorder. One instance a connector and node.
import type { Connector as ConnectorLink, PartToSubmit } from "../connectors/connector.ts";
import type { Connector } from "../directory/directory.ts";
import { messageIdKey } from "../sms/message-id-match.ts";
import { reasonCode } from "../sms/message-status.ts";
import { decideSubmitOutcome, type SubmitOutcome, type SubmitReply } from "../sms/submit-outcome.ts";
import type { Database } from "../store/database.ts";
import { claimDueMessages, type ClaimedMessage } from "../store/message-queue.ts";
import type { PartTaken } from "../store/outcomes.ts";
import type { SubmissionOutcome, Telemetry } from "../telemetry.ts";
import { uuidv7 } from "../uuid.ts";
import { ActiveMessage, type MessageOutcome } from "./active-message.ts";
import { LinkPace } from "./link-pace.ts";
import type { Membership } from "./membership.ts";
import type { OutcomeRecorder, Settlement } from "./outcome-recorder.ts";

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
}

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #lanes = new Map<number, BindLane>();
  readonly #openMessages = new Map<string, number>();
  readonly #pace: LinkPace;
  #timer: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  #claims = new Set<Promise<void>>();
  #stopping = false;
  #failures = 0;
  #restUntil = 0;

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

  /** Claims whose messages are not all settled. */
  get openClaims(): readonly string[] {
    return [...this.#openMessages.keys()];
  }

  addBind(bindNumber: number): void {
    if (!this.#lanes.has(bindNumber))
      this.#lanes.set(bindNumber, { bindNumber, waiting: [], unsettled: 0, claiming: false });
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
  wake(): void {
    for (const lane of this.#lanes.values()) {
      this.#write(lane);
      this.#claimFor(lane);
    }
  }

  /** The answer to a part that had been given up: if it was taken after all, that is the truth. */
  lateReply(part: PartToSubmit, context: unknown, reply: SubmitReply): void {
    const { active } = context as PartContext;
    this.#announce("late", 0);
    if (reply.kind === "accepted")
      void this.#record({ taken: this.#partTaken(active.message, part.part, reply.smscMessageId) });
  }

  #claimFor(lane: BindLane): void {
    const { link, membership, connector } = this.#options;
    if (this.#stopping || lane.claiming || this.#lanes.get(lane.bindNumber) !== lane) return;
    if (!membership.isLeaseHeld || !link.isBound(lane.bindNumber)) return;
    const now = performance.now();
    if (now < this.#restUntil) return;
    const { window } = connector.settings;
    const room = Math.min(window - lane.unsettled, this.#pace.available(now));
    // A busy bind is refilled by the quarter, so that claims stay worth their commit.
    if (room < 1 || (lane.unsettled > 0 && room < Math.ceil(window / 4))) {
      this.#wakeLater();
      return;
    }
    const routeIds = this.#options.routeIds();
    if (routeIds.length === 0) return;
    lane.claiming = true;
    const claim = this.#claim(lane, room, routeIds).finally(() => {
      lane.claiming = false;
      this.#claims.delete(claim);
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
      // Whether the claim was stored is not known; if it was, it is found again when this node's lease is looked through.
      this.#failures += 1;
      this.#restUntil = performance.now() + Math.min(longestBackOffMs, 100 * 2 ** this.#failures);
      if (this.#failures === 1) telemetry.emit("service.failed", { service: `dispatcher ${connector.name}`, error });
    }
  }

  #take(lane: BindLane, claimId: string, messages: readonly ClaimedMessage[]): void {
    this.#openMessages.set(claimId, messages.length);
    const now = Date.now();
    const asOnePayload = this.#options.connector.settings.longMessages === "payload";
    for (const message of messages) {
      const active = new ActiveMessage(message, { claimId, bindNumber: lane.bindNumber, asOnePayload, now });
      lane.unsettled += active.unwrittenParts;
      this.#weights.set(active, active.unwrittenParts);
      if (message.validUntil.getTime() <= now) this.#settle(lane, active, { kind: "expired" });
      else lane.waiting.push(active);
    }
    if (this.#stopping || !this.#lanes.has(lane.bindNumber) || !this.#options.link.isBound(lane.bindNumber))
      this.#giveBack(lane);
    else this.#write(lane);
  }

  readonly #weights = new WeakMap<ActiveMessage, number>();

  #write(lane: BindLane): void {
    const { link, membership } = this.#options;
    while (lane.waiting.length > 0 && membership.isLeaseHeld) {
      const active = lane.waiting[0];
      const part = active?.nextPart;
      if (active === undefined || part === undefined) {
        lane.waiting.shift();
        continue;
      }
      const now = performance.now();
      if (link.windowFree(lane.bindNumber) === 0) return;
      if (this.#pace.available(now) < 1) {
        this.#wakeLater();
        return;
      }
      if (!this.#submit(lane, active, part, now)) return;
    }
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
    const nowMs = Date.now();
    const outcome = decideSubmitOutcome(reply, {
      attempt: message.attempt + 1,
      now: nowMs,
      validUntil: message.validUntil.getTime(),
      policy: connector.settings.uncertain,
    });
    if (reply.kind === "refused" && reply.answerClass !== "permanent" && reply.answerClass !== "temporary") {
      this.#pace.throttled(performance.now());
    }
    this.#announce(nameOutcome(reply, outcome), performance.now() - writtenAt);
    if (reply.kind === "accepted") {
      void this.#record({ taken: this.#partTaken(message, part.part, reply.smscMessageId) });
    }
    const settled = active.answered(part.part, withoutPenalty(reply, outcome, nowMs), nowMs);
    if (settled) this.#settle(lane, active, settled);
    this.#write(lane);
  }

  #giveBack(lane: BindLane): void {
    for (const active of lane.waiting.splice(0)) {
      const settled = active.giveBack();
      if (settled) this.#settle(lane, active, settled);
    }
  }

  // Freed only when it is on disk: until then a crash would leave the message uncertain, and the claim is bounded by the window.
  #settle(lane: BindLane, active: ActiveMessage, outcome: MessageOutcome): void {
    const weight = this.#weights.get(active) ?? 0;
    void this.#record({
      ...this.#settlementOf(active.message, outcome),
      ...this.#finishedClaim(active.claimId),
    }).finally(() => {
      lane.unsettled -= weight;
      this.#claimFor(lane);
    });
  }

  #finishedClaim(claimId: string): Settlement {
    const left = (this.#openMessages.get(claimId) ?? 1) - 1;
    if (left > 0) {
      this.#openMessages.set(claimId, left);
      return {};
    }
    this.#openMessages.delete(claimId);
    return { finishedClaim: claimId };
  }

  #settlementOf(message: ClaimedMessage, outcome: MessageOutcome): Settlement {
    const { accountId, messageId, recipient, dueAt, attempt, tries } = message;
    const unsent = (reason: number, detail: string | null): Settlement => ({
      unsent: { accountId, messageId, reason, detail, refundId: uuidv7() },
    });
    switch (outcome.kind) {
      case "sent":
        return {};
      case "refused":
        return unsent(reasonCode.refused, this.#options.describeStatus(outcome.commandStatus));
      case "expired":
        return unsent(reasonCode.expired, null);
      case "failedUnknown":
        return unsent(reasonCode.outcomeUnknown, null);
      case "held":
        return {
          held: { accountId, messageId, connectorId: this.#options.connector.id, recipient, part: outcome.part },
        };
      case "deferred": {
        const { delayMs } = outcome;
        const counted = delayMs === undefined ? attempt : attempt + 1;
        return { requeue: { accountId, messageId, delayMs, dueAt, attempt: counted, tries } };
      }
    }
  }

  #partTaken(message: ClaimedMessage, part: number, smscMessageId: string): PartTaken {
    return {
      accountId: message.accountId,
      messageId: message.messageId,
      part,
      connectorId: this.#options.connector.id,
      recipient: message.recipient,
      messageKey: messageIdKey(smscMessageId),
      smscMessageId,
    };
  }

  async #record(settlement: Settlement): Promise<void> {
    try {
      await this.#options.recorder.record(settlement);
    } catch (error) {
      this.#options.telemetry.emit("service.failed", { service: `dispatcher ${this.#options.connector.name}`, error });
    }
  }

  #wakeLater(): void {
    if (this.#timer !== undefined || this.#stopping) return;
    const waitMs = this.#pace.waitMs(performance.now());
    if (waitMs <= 0) return;
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

/** What the link cannot take now is not the message's fault: it goes back to its old place, and its back-off does not grow. */
function withoutPenalty(reply: SubmitReply, outcome: SubmitOutcome, now: number): SubmitOutcome {
  const blameless =
    reply.kind === "refused" && (reply.answerClass === "throttled" || reply.answerClass === "bindFatal");
  return blameless && outcome.kind === "deferred" ? { kind: "deferred", until: now } : outcome;
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
