// Writes the parts of claimed messages to the binds of one connector, at its pace, and passes on
// what the answers mean.
import type { ConnectorLink, PartToSubmit } from "../connectors/connector.ts";
import type { OperatorLink } from "../connectors/link-settings.ts";
import { type Directory, sendingHoursOf } from "../directory/directory.ts";
import { messageIdKey } from "../sms/message-id-match.ts";
import type { Msisdn } from "../sms/msisdn.ts";
import { segmentsOf } from "../sms/segmentation.ts";
import { answersInARow, type NotTaken } from "../sms/not-taken.ts";
import { isLinkAnswer, decideReply, type Judgement, type Refusal, type SubmitReply } from "../sms/submit-outcome.ts";
import type { DatabaseClock } from "../store/database.ts";
import type { PartTaken } from "../store/progress.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import type { ActiveMessage, MessageOutcome } from "./active-message.ts";
import type { BindWindow } from "./bind-window.ts";
import type { LinkState } from "./link-state.ts";
import type { Membership } from "./membership.ts";
import { lateDeferral, lateRefusal } from "./settlement.ts";
import type { Settler } from "./settler.ts";
import type { LateAnswer } from "../store/claims.ts";

/** As in `SubmitContext`. */
export interface TurnedAwayCounts {
  /** This reply counts. 0 if it does not concern the link. */
  readonly inARow: number;
  readonly takenBetween: number;
}

/**
 * Counts the answers that turned messages away because of their link, and what was taken between
 * them. `decideReply` says what follows from the counts. Pure.
 */
export class TurnedAway {
  #messageId = "";
  #inARow = 0;
  readonly #binds = new Map<number, TakenBetween>();

  /** A bind took a part. */
  taken(bindNumber: number): void {
    this.#messageId = "";
    this.#inARow = 0;
    const bind = this.#bindOf(bindNumber);
    bind.count += 1;
    bind.countSince += 1;
  }

  /** Any other reply. */
  note(messageId: string, bindNumber: number, reply: SubmitReply): TurnedAwayCounts {
    const isAgain = this.#messageId === messageId;
    const concernsLink = isLinkAnswer(reply);
    this.#messageId = concernsLink ? messageId : "";
    this.#inARow = concernsLink ? (isAgain ? this.#inARow : 0) + 1 : 0;
    const bind = this.#bindOf(bindNumber);
    if (concernsLink) {
      if (messageId !== bind.lastTurnedAway) bind.count = bind.countSince;
      bind.countSince = 0;
      bind.lastTurnedAway = messageId;
    }
    return { inARow: this.#inARow, takenBetween: bind.count };
  }

  #bindOf(bindNumber: number): TakenBetween {
    let bind = this.#binds.get(bindNumber);
    if (bind === undefined) this.#binds.set(bindNumber, (bind = { lastTurnedAway: "", count: 0, countSince: 0 }));
    return bind;
  }
}

/** Of one bind. Its start counts as if it had rejected a message. */
interface TakenBetween {
  lastTurnedAway: string;
  /** Parts taken since it rejected another message than the last one. */
  count: number;
  /** Parts taken since it rejected any message. */
  countSince: number;
}

export interface PartWriterOptions {
  readonly connector: OperatorLink;
  readonly link: ConnectorLink;
  readonly state: LinkState;
  readonly membership: Membership;
  readonly telemetry: Telemetry;
  readonly settler: Settler;
  readonly db: { readonly clock: Pick<DatabaseClock, "now"> };
  readonly directory: { readonly current: Pick<Directory, "accounts" | "lines" | "optOuts"> };
  /** The link must rest; the pace knows already. */
  readonly onThrottled: () => void;
}

export class PartWriter {
  readonly #options: PartWriterOptions;
  readonly #throttling = new TurnedAway();

  constructor(options: PartWriterOptions) {
    this.#options = options;
  }

  /** Writes the parts that wait in the window, as far as window and pace allow. */
  write(window: BindWindow): void {
    for (let active = window.next; active !== undefined; active = window.next)
      if (!this.#options.membership.isLeaseHeld || !this.#writeNext(window, active)) return;
  }

  /** Returns whether there may be more to write now. */
  #writeNext(window: BindWindow, active: ActiveMessage): boolean {
    const { link, state, membership, connector, settler } = this.#options;
    const part = active.nextPart;
    if (part === undefined) {
      window.passNext();
      return true;
    }
    const now = performance.now();
    const hindrance = active.isUnwritten ? this.#hindranceOf(active, now) : undefined;
    if (hindrance !== undefined) {
      window.passNext();
      settler.settle(window, active, hindrance);
      return true;
    }
    if (state.pace.available(now) < 1) {
      state.awaitPace(1);
      return false;
    }
    const node = membership.runNumber;
    const written = { window, active, part: part.part, connectorId: connector.id, writtenAt: now, node };
    // The answer may come late, after the message was given up.
    const isWritten = link.submit(window.bindNumber, part, {
      onReply: (reply) => this.#answered(written, reply),
      onLateReply: (reply) => this.#answeredLate(written, reply),
    });
    if (!isWritten) return false;
    active.written();
    state.pace.take(segmentsOf(part.part, part.parts), now);
    return true;
  }

  /**
   * The outcome of a message that may no longer be sent. While it waited, its validity or its window
   * may have ended, its recipient may have opted out, and its rule may have changed.
   */
  #hindranceOf(active: ActiveMessage, now: number): MessageOutcome | undefined {
    const { db, directory } = this.#options;
    const { message } = active;
    if (active.validUntil <= now) return { kind: "expired" };
    const { accountId, sender, recipient, isFree, partsTaken, unanswered } = message;
    // If something of the message may have been submitted, the rest is still sent.
    if (isFree || partsTaken !== 0 || unanswered > 0) return undefined;
    // Recipients are stored in this form.
    if (directory.current.optOuts.has(sender, accountId, recipient as Msisdn)) return { kind: "optedOut" };
    const hours = sendingHoursOf(directory.current, message);
    if (hours === undefined) return undefined;
    const at = db.clock.now();
    const open = hours.openTime(at);
    if (open === undefined || open.from === at) return undefined;
    return { kind: "outOfHours", window: { from: new Date(open.from), until: new Date(open.until) } };
  }

  #answered(written: WrittenPart, reply: SubmitReply): void {
    const { settler, onThrottled, state, telemetry, connector } = this.#options;
    const { window, active, writtenAt } = written;
    const { bindNumber } = window;
    const now = performance.now();
    if (reply.kind === "accepted") this.#throttling.taken(bindNumber);
    const { outcome, name, pausesLink } =
      reply.kind === "accepted"
        ? { outcome: reply, name: reply.kind, pausesLink: false }
        : this.#judge(written, reply, now);
    const latencyMs = now - writtenAt;
    telemetry.emit("submission.settled", {
      connector: connector.name,
      bindNumber,
      outcome: name,
      count: 1,
      latencyMs,
    });
    window.answered(reply.kind === "unknown");
    const settled = active.answered(written.part, outcome);
    const taken = reply.kind === "accepted" ? partTakenBy(written, reply.smscMessageId, latencyMs) : undefined;
    if (settled) settler.settle(window, active, settled, taken);
    else if (taken) settler.record({ taken, claimId: active.claimId });
    if (pausesLink) {
      state.pace.throttled(performance.now());
      onThrottled();
    }
    this.write(window);
  }

  /** What the reply means: the part was not taken, or nobody knows. */
  #judge(written: WrittenPart, reply: SubmitReply, now: number): Judgement {
    const { connector, link } = this.#options;
    const { window, active } = written;
    const { message, validUntil } = active;
    const { inARow, takenBetween } = this.#throttling.note(message.messageId, window.bindNumber, reply);
    const judgement = decideReply(reply, {
      attempt: message.attempt + 1,
      unanswered: message.unanswered,
      turnedAwayInARow: inARow,
      turnedAwayBefore: turnedAwayBefore(written, reply),
      takenBetween,
      now,
      validUntil,
      policy: connector.settings.uncertain,
      isBound: link.isBound(window.bindNumber),
      responseTimeoutMs: connector.settings.responseTimeoutMs,
    });
    keepNotTaken(written, reply);
    return judgement;
  }

  /** Records the answer to a part that was given up, whatever it says. */
  #answeredLate(written: WrittenPart, reply: SubmitReply): void {
    const { telemetry, settler, connector } = this.#options;
    const { active, part, writtenAt } = written;
    telemetry.emit("submission.settled", { connector: connector.name, outcome: "late", count: 1, latencyMs: 0 });
    written.window.answered(false);
    if (reply.kind === "accepted") {
      active.answeredLate(part);
      settler.record({ taken: partTakenBy(written, reply.smscMessageId, performance.now() - writtenAt) });
    }
    if (reply.kind !== "refused") return;
    const again = lateDeferral(active.message, reply);
    const isAwaited = again !== undefined && active.answeredLate(part, again);
    const { statusErrors } = connector.settings;
    settler.record({
      late: lateAnswer(written, reply),
      ...(!isAwaited && lateRefusal(active.message, reply, { part, connectorId: connector.id, statusErrors })),
    });
  }
}

/** A part that was written to a link. */
interface WrittenPart {
  readonly window: BindWindow;
  readonly active: ActiveMessage;
  readonly part: PartToSubmit["part"];
  readonly connectorId: number;
  /** Milliseconds of the monotonic clock. */
  readonly writtenAt: number;
  /** The run number of this node then: after a lost lease it has another. */
  readonly node: number;
}

/** The SMSC took it, just now. */
function partTakenBy(written: WrittenPart, smscMessageId: string, answerMs: number): PartTaken {
  const { part, active, writtenAt, connectorId, node } = written;
  const { accountId, messageId, recipient } = active.message;
  return {
    accountId,
    messageId,
    part,
    connectorId,
    recipient,
    smscIdKey: messageIdKey(smscMessageId),
    smscMessageId,
    bindNumber: active.bindNumber,
    node,
    writtenAt,
    answerMs: Math.floor(answerMs),
  };
}

/**
 * Remembers in the message that the SMSC refused the part or never answered. Other replies add
 * nothing.
 */
function keepNotTaken(written: WrittenPart, reply: SubmitReply): void {
  if (reply.kind === "unknown") written.active.notTaken.push({ ...placeOf(written), answer: null, answerMs: null });
  if (reply.kind === "refused") written.active.notTaken.push(refusalOf(written, reply));
}

/** How many times in a row the message got this answer under earlier claims. */
function turnedAwayBefore({ active, connectorId }: WrittenPart, reply: SubmitReply): number {
  if (reply.kind !== "refused") return 0;
  return answersInARow(active.message.earlierNotTaken, { connectorId, answer: reply.answer });
}

/**
 * An answer that came after the message was settled without it. The message may have been claimed
 * again, or have ended.
 */
function lateAnswer(written: WrittenPart, reply: Refusal): LateAnswer {
  const { accountId, messageId } = written.active.message;
  return { accountId, messageId, ...refusalOf(written, reply) };
}

function refusalOf(written: WrittenPart, { answer }: Refusal): NotTaken & { readonly answer: string } {
  return { ...placeOf(written), answer, answerMs: performance.now() - written.writtenAt };
}

function placeOf({ part, active, writtenAt, connectorId, node }: WrittenPart) {
  return { part, connectorId, bindNumber: active.bindNumber, writtenAt, node };
}
