// Writes the parts of claimed messages to the binds of one connector, at its pace, and passes on
// what the answers mean.
import type { ConnectorLink, PartToSubmit, Submitter } from "../connectors/connector.ts";
import type { OperatorLink } from "../connectors/link-settings.ts";
import { segmentsOf } from "../sms/segmentation.ts";
import { answersInARow, type NotTaken } from "../sms/not-taken.ts";
import { isLinkAnswer, judgeReply, type Refusal, type SubmitReply } from "../sms/submit-outcome.ts";
import type { PartTaken } from "../store/progress.ts";
import type { SubmissionOutcome, Telemetry } from "../platform/telemetry.ts";
import type { ActiveMessage, MessageOutcome } from "./active-message.ts";
import type { BindWindow } from "./bind-window.ts";
import type { ClaimPreparerOptions } from "./prepare-claimed.ts";
import type { LinkState } from "./link-state.ts";
import type { Membership } from "./membership.ts";
import type { NextWindow } from "./may-send.ts";
import { lateDeferral, lateRefusal, partTaken, type Settlement } from "./settlement.ts";
import type { LateAnswer } from "../store/lost-claims.ts";

// Counts the answers that turned messages away because of their link, and what was taken between
// them. `judgeReply` says what follows from the counts. Pure.

/** As in `SubmitContext`. */
export interface TurnedAwayCounts {
  /** This reply counts. 0 if it does not concern the link. */
  readonly inARow: number;
  readonly takenBetween: number;
}

export class TurnedAway {
  #messageId = "";
  #inARow = 0;
  readonly #binds = new Map<number, TakenBetween>();

  note(messageId: string, bindNumber: number, reply: SubmitReply): TurnedAwayCounts {
    const isAgain = this.#messageId === messageId;
    const concernsLink = isLinkAnswer(reply);
    this.#messageId = concernsLink ? messageId : "";
    this.#inARow = concernsLink ? (isAgain ? this.#inARow : 0) + 1 : 0;
    const bind = this.#binds.get(bindNumber) ?? new TakenBetween();
    this.#binds.set(bindNumber, bind);
    if (reply.kind === "accepted") bind.taken();
    if (concernsLink) bind.turnedAway(messageId);
    return { inARow: this.#inARow, takenBetween: bind.count };
  }
}

/** Of one bind. Its start counts as if it had rejected a message. */
class TakenBetween {
  #lastTurnedAway = "";
  /** Parts taken since it rejected another message than the last one. */
  #count = 0;
  /** Parts taken since it rejected any message. */
  #countSince = 0;

  get count(): number {
    return this.#count;
  }

  taken(): void {
    this.#count += 1;
    this.#countSince += 1;
  }

  turnedAway(messageId: string): void {
    if (messageId !== this.#lastTurnedAway) this.#count = this.#countSince;
    this.#countSince = 0;
    this.#lastTurnedAway = messageId;
  }
}

export interface PartWriterOptions extends Pick<ClaimPreparerOptions, "isOptedOut"> {
  readonly connector: OperatorLink;
  readonly link: ConnectorLink;
  readonly state: LinkState;
  readonly membership: Membership;
  readonly telemetry: Telemetry;
  /** The next window of a message that may not go out now; undefined if it may. */
  readonly nextWindow: NextWindow;
  /** An answer is known that does not settle its message. */
  readonly record: (settlement: Settlement) => void;
  readonly onSettled: (window: BindWindow, active: ActiveMessage, outcome: MessageOutcome, taken?: PartTaken) => void;
  /** The link must rest; the pace knows already. */
  readonly onThrottled: () => void;
}

export class PartWriter {
  readonly #options: PartWriterOptions;
  readonly #throttling = new TurnedAway();
  readonly #writing = new Set<BindWindow>();
  readonly #replies: ReplyListener = {
    answered: (written, reply) => this.#answered(written, reply),
    answeredLate: (written, reply) => this.#answeredLate(written, reply),
  };

  constructor(options: PartWriterOptions) {
    this.#options = options;
  }

  /**
   * Writes the parts that wait in the window, as far as window and pace allow. Not reentrant: a part that the
   * connector cannot carry is answered at once, while this loop runs.
   */
  write(window: BindWindow): void {
    if (this.#writing.has(window)) return;
    this.#writing.add(window);
    try {
      for (let active = window.next; active !== undefined; active = window.next)
        if (!this.#options.membership.isLeaseHeld || !this.#writeNext(window, active)) return;
    } finally {
      this.#writing.delete(window);
    }
  }

  /** Returns whether there may be more to write now. */
  #writeNext(window: BindWindow, active: ActiveMessage): boolean {
    const { link, state, onSettled } = this.#options;
    const part = active.nextPart;
    if (part === undefined) {
      window.passNext();
      return true;
    }
    const now = performance.now();
    const hindrance = this.#hindranceOf(active, now);
    if (hindrance !== undefined) {
      window.passNext();
      onSettled(window, active, hindrance);
      return true;
    }
    if (link.windowFree(window.bindNumber) === 0) return false;
    if (state.pace.available(now) < 1) {
      state.awaitPace(1);
      return false;
    }
    return this.#submit(window, active, part, now);
  }

  /**
   * The outcome of a message that may no longer be sent: it may have waited since it was claimed.
   */
  #hindranceOf(active: ActiveMessage, now: number): MessageOutcome | undefined {
    const { isOptedOut, nextWindow } = this.#options;
    const { message, isUnsubmitted, isUnwritten, validUntil } = active;
    if (isUnsubmitted && isOptedOut(message)) return { kind: "optedOut" };
    const hours = isUnsubmitted ? nextWindow(message) : undefined;
    if (hours !== undefined) return { kind: "outOfHours", window: hours };
    return isUnwritten && validUntil <= now ? { kind: "expired" } : undefined;
  }

  #submit(window: BindWindow, active: ActiveMessage, part: PartToSubmit, now: number): boolean {
    const { link, state, membership, connector } = this.#options;
    const node = membership.runNumber;
    const written = { window, active, part: part.part, connectorId: connector.id, writtenAt: now, node };
    active.written();
    const taken = link.submit(window.bindNumber, part, new PartSubmitter(written, this.#replies));
    if (taken) state.pace.take(segmentsOf(part.part, part.parts), now);
    else this.#answered(written, { kind: "notWritten" });
    return taken;
  }

  #answered(written: WrittenPart, reply: SubmitReply): void {
    const { connector, link, onSettled, record, onThrottled, state } = this.#options;
    const { window, active, writtenAt } = written;
    const { message } = active;
    const now = performance.now();
    const { inARow, takenBetween } = this.#throttling.note(message.messageId, window.bindNumber, reply);
    const { outcome, name, pausesLink } = judgeReply(reply, {
      attempt: message.attempt + 1,
      unanswered: message.unanswered,
      turnedAwayInARow: inARow,
      turnedAwayBefore: turnedAwayBefore(written, reply),
      takenBetween,
      now,
      validUntil: active.validUntil,
      policy: connector.settings.uncertain,
      isBound: link.isBound(window.bindNumber),
      responseTimeoutMs: connector.settings.responseTimeoutMs,
    });
    this.#announce(name, now - writtenAt, window.bindNumber);
    window.answered(reply.kind === "unknown");
    keepNotTaken(written, reply);
    const settled = active.answered(written.part, outcome);
    const taken = reply.kind === "accepted" ? partTakenBy(written, reply.smscMessageId) : undefined;
    if (settled) onSettled(window, active, settled, taken);
    else if (taken) record({ taken, claimId: active.claimId });
    if (pausesLink) {
      state.pace.throttled(performance.now());
      onThrottled();
    }
    this.write(window);
  }

  /** Records the answer to a part that was given up, whatever it says. */
  #answeredLate(written: WrittenPart, reply: SubmitReply): void {
    this.#announce("late", 0);
    written.window.answered(false);
    const { record, connector } = this.#options;
    const { active, part } = written;
    if (reply.kind === "accepted") {
      active.answeredLate(part);
      record({ taken: partTakenBy(written, reply.smscMessageId) });
    }
    if (reply.kind !== "refused") return;
    const again = lateDeferral(active.message, reply);
    const isAwaited = again !== undefined && active.answeredLate(part, again);
    const { statusErrors } = connector.settings;
    record({
      late: lateAnswer(written, reply),
      ...(!isAwaited && lateRefusal(active.message, reply, { part, connectorId: connector.id, statusErrors })),
    });
  }

  #announce(outcome: SubmissionOutcome, latencyMs: number, bindNumber?: number): void {
    const { telemetry, connector } = this.#options;
    telemetry.emit("submission.settled", { connector: connector.name, bindNumber, outcome, count: 1, latencyMs });
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

interface ReplyListener {
  answered(written: WrittenPart, reply: SubmitReply): void;
  answeredLate(written: WrittenPart, reply: SubmitReply): void;
}

/** Travels with the part, and brings its answer back, however late. */
class PartSubmitter implements Submitter {
  readonly #written: WrittenPart;
  readonly #listener: ReplyListener;

  constructor(written: WrittenPart, listener: ReplyListener) {
    this.#written = written;
    this.#listener = listener;
  }

  onReply(reply: SubmitReply): void {
    this.#listener.answered(this.#written, reply);
  }

  onLateReply(reply: SubmitReply): void {
    this.#listener.answeredLate(this.#written, reply);
  }
}

/** The SMSC took it, just now. */
function partTakenBy({ part, active, writtenAt, connectorId, node }: WrittenPart, smscMessageId: string): PartTaken {
  const { bindNumber, message } = active;
  const submission = { bindNumber, node, writtenAt, answerMs: performance.now() - writtenAt };
  return partTaken(message, { part, connectorId, smscMessageId, submission });
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
