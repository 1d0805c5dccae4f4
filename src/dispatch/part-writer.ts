// Writes the parts of claimed messages to the binds of one connector, at its pace, and passes on
// what the answers mean.
import type { ConnectorLink, PartToSubmit } from "../connectors/connector.ts";
import type { OperatorLink } from "../connectors/link-settings.ts";
import { segmentsOf } from "../sms/message-parts.ts";
import { judgeReply, type SubmitReply } from "../sms/submit-outcome.ts";
import type { PartTaken } from "../store/progress.ts";
import type { SubmissionOutcome, Telemetry } from "../platform/telemetry.ts";
import type { ActiveMessage, MessageOutcome } from "./active-message.ts";
import type { BindLane } from "./bind-lane.ts";
import type { ClaimIntakeOptions } from "./claim-intake.ts";
import type { LinkPace } from "./link-pace.ts";
import type { Membership } from "./membership.ts";
import type { NextWindow } from "./next-window.ts";
import { lateDeferral, lateRefusal, type Settlement } from "./settlement.ts";
import { TurnedAway } from "./turned-away.ts";
import {
  keepNotTaken,
  lateAnswer,
  partTakenBy,
  type ReplyListener,
  turnedAwayBefore,
  type WrittenPart,
  PartSubmitter,
} from "./written-part.ts";

export interface PartWriterOptions extends Pick<ClaimIntakeOptions, "isOptedOut"> {
  readonly connector: OperatorLink;
  readonly link: ConnectorLink;
  readonly pace: LinkPace;
  readonly membership: Membership;
  readonly telemetry: Telemetry;
  /** The next window of a message that may not go out now; undefined if it may. */
  readonly nextWindow: NextWindow;
  /** An answer is known that does not settle its message. */
  readonly record: (settlement: Settlement) => void;
  readonly onSettled: (lane: BindLane, active: ActiveMessage, outcome: MessageOutcome, taken?: PartTaken) => void;
  /** The link must rest; the pace knows already. */
  readonly onTurnedAway: () => void;
  /** The pace allows too little now: `write` is to be called when it allows so many parts. */
  readonly onTooFast: (parts: number) => void;
}

export class PartWriter {
  readonly #options: PartWriterOptions;
  readonly #turnedAway = new TurnedAway();
  readonly #writing = new Set<BindLane>();
  readonly #replies: ReplyListener = {
    answered: (written, reply) => this.#answered(written, reply),
    answeredLate: (written, reply) => this.#answeredLate(written, reply),
  };

  constructor(options: PartWriterOptions) {
    this.#options = options;
  }

  /**
   * Writes what waits in the lane, as far as window and pace allow. Not reentrant: a part that the
   * connector cannot carry is answered at once, while this loop runs.
   */
  write(lane: BindLane): void {
    if (this.#writing.has(lane)) return;
    this.#writing.add(lane);
    try {
      for (let active = lane.next; active !== undefined; active = lane.next)
        if (!this.#options.membership.isLeaseHeld || !this.#writeNext(lane, active)) return;
    } finally {
      this.#writing.delete(lane);
    }
  }

  /** Returns whether there may be more to write now. */
  #writeNext(lane: BindLane, active: ActiveMessage): boolean {
    const { link, pace, onSettled, onTooFast } = this.#options;
    const part = active.nextPart;
    if (part === undefined) {
      lane.passNext();
      return true;
    }
    const now = performance.now();
    const hindrance = this.#hindranceOf(active, now);
    if (hindrance !== undefined) {
      lane.passNext();
      onSettled(lane, active, hindrance);
      return true;
    }
    if (link.windowFree(lane.bindNumber) === 0) return false;
    if (pace.available(now) < 1) {
      onTooFast(1);
      return false;
    }
    return this.#submit(lane, active, part, now);
  }

  /**
   * The outcome of a message that may no longer be sent: it may have waited since it was claimed.
   */
  #hindranceOf(active: ActiveMessage, now: number): MessageOutcome | undefined {
    const { isOptedOut, nextWindow } = this.#options;
    const { message, isUnsubmitted, isUnwritten, validUntil } = active;
    if (isUnsubmitted && isOptedOut(message)) return { kind: "optedOut" };
    const window = isUnsubmitted ? nextWindow(message) : undefined;
    if (window !== undefined) return { kind: "outOfHours", window };
    return isUnwritten && validUntil <= now ? { kind: "expired" } : undefined;
  }

  #submit(lane: BindLane, active: ActiveMessage, part: PartToSubmit, now: number): boolean {
    const { link, pace, membership, connector } = this.#options;
    const node = membership.runNumber;
    const written = { lane, active, part: part.part, connectorId: connector.id, writtenAt: now, node };
    active.written();
    const taken = link.submit(lane.bindNumber, part, new PartSubmitter(written, this.#replies));
    if (taken) pace.take(segmentsOf(part.part, part.parts), now);
    else this.#answered(written, { kind: "notWritten" });
    return taken;
  }

  #answered(written: WrittenPart, reply: SubmitReply): void {
    const { connector, link, onSettled, record, onTurnedAway, pace } = this.#options;
    const { lane, active, writtenAt } = written;
    const { message } = active;
    const now = performance.now();
    const { inARow, takenBetween } = this.#turnedAway.note(message.messageId, lane.bindNumber, reply);
    const { outcome, name, pausesLink } = judgeReply(reply, {
      attempt: message.attempt + 1,
      unanswered: message.unanswered,
      turnedAwayInARow: inARow,
      turnedAwayBefore: turnedAwayBefore(written, reply),
      takenBetween,
      now,
      validUntil: active.validUntil,
      policy: connector.settings.uncertain,
      isBound: link.isBound(lane.bindNumber),
      responseTimeoutMs: connector.settings.responseTimeoutMs,
    });
    this.#announce(name, now - writtenAt, lane.bindNumber);
    lane.answered(reply.kind === "unknown");
    keepNotTaken(written, reply);
    const settled = active.answered(written.part, outcome);
    const taken = reply.kind === "accepted" ? partTakenBy(written, reply.smscMessageId) : undefined;
    if (settled) onSettled(lane, active, settled, taken);
    else if (taken) record({ taken, claimId: active.claimId });
    if (pausesLink) {
      pace.throttled(performance.now());
      onTurnedAway();
    }
    this.write(lane);
  }

  /** Records the answer to a part that was given up, whatever it says. */
  #answeredLate(written: WrittenPart, reply: SubmitReply): void {
    this.#announce("late", 0);
    written.lane.answered(false);
    const { record } = this.#options;
    const { active, part } = written;
    if (reply.kind === "accepted") {
      active.answeredLate(part);
      record({ taken: partTakenBy(written, reply.smscMessageId) });
    }
    if (reply.kind !== "refused") return;
    const again = lateDeferral(active.message, reply);
    const isAwaited = again !== undefined && active.answeredLate(part, again);
    record({ late: lateAnswer(written, reply), ...(!isAwaited && lateRefusal(active.message, reply, written)) });
  }

  #announce(outcome: SubmissionOutcome, latencyMs: number, bindNumber?: number): void {
    const { telemetry, connector } = this.#options;
    telemetry.emit("submission.settled", { connector: connector.name, bindNumber, outcome, count: 1, latencyMs });
  }
}
