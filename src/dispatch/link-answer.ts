// Answers that concern the link and not their message, and the message that gets so many of them
// that it blocks the others.
import { backOffMs, resendDelayMs, type SubmitOutcome, type SubmitReply } from "../sms/submit-outcome.ts";
import type { SubmissionOutcome } from "../telemetry.ts";

/**
 * After this many throttling answers in a row to one message, with nothing else taken meanwhile,
 * the message itself is the cause (for example, its recipient's queue at the SMSC is full). It then
 * steps aside, so that the others do not wait until its validity ends.
 */
const turnedAwayInARow = 5;

export class TurnedAway {
  #messageId = "";
  #times = 0;

  note(messageId: string, reply: SubmitReply): void {
    const isAgain = this.#messageId === messageId;
    this.#messageId = isLinkAnswer(reply) ? messageId : "";
    this.#times = isLinkAnswer(reply) ? (isAgain ? this.#times : 0) + 1 : 0;
  }

  /**
   * Whether the message that was turned away last must step aside. One that did so before does so
   * at once.
   */
  isInTheWay(attempt: number): boolean {
    return this.#times >= (attempt > 1 ? 1 : turnedAwayInARow);
  }
}

/** Whether an answer concerns the link and not the message. */
export function isLinkAnswer(reply: SubmitReply): boolean {
  return reply.kind === "refused" && (reply.answerClass === "throttled" || reply.answerClass === "bindFatal");
}

export interface RetimeContext {
  readonly message: { readonly attempt: number; readonly unanswered: number };
  readonly turnedAway: TurnedAway;
  /** Whether the link is still bound. */
  readonly isBound: boolean;
  readonly responseTimeoutMs: number;
  readonly now: number;
  readonly validUntil: number;
}

/** Sets when a deferred part is tried again, where that depends on the link. */
export function retime(
  outcome: SubmitOutcome,
  reply: SubmitReply,
  { message, turnedAway, isBound, responseTimeoutMs, now, validUntil }: RetimeContext,
): SubmitOutcome {
  if (outcome.kind !== "deferred") return outcome;
  // The message is not at fault when the link cannot take it now: it goes back to its old place,
  // and its back-off does not grow.
  if (isLinkAnswer(reply)) {
    const attempt = message.attempt + 1;
    const until = turnedAway.isInTheWay(attempt) ? Math.min(now + backOffMs(attempt), validUntil) : now;
    return { ...outcome, until };
  }
  // No answer can arrive any more on a link that is gone.
  if (reply.kind === "unknown" && isBound)
    return { ...outcome, until: Math.min(now + resendDelayMs(message.unanswered, responseTimeoutMs), validUntil) };
  return outcome;
}

/** The name under which a part's answer is counted. */
export function nameOutcome(reply: SubmitReply, outcome: SubmitOutcome): SubmissionOutcome {
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
