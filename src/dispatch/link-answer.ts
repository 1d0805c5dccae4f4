// Answers that speak of the link rather than of their message, and the message that gets so many of them that it stands in the others' way.
import { backOffMs, resendDelayMs, type SubmitOutcome, type SubmitReply } from "../sms/submit-outcome.ts";
import type { SubmissionOutcome } from "../telemetry.ts";

/**
 * So often in a row one message is turned away as if the link were too fast, nothing else being taken meanwhile. Then it is the message (its
 * recipient's queue at the SMSC is full, say): it steps aside, lest all others wait behind it until its validity ends.
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

  /** Whether the message that was turned away last is to step aside; one that did before does so at once. */
  isInTheWay(attempt: number): boolean {
    return this.#times >= (attempt > 1 ? 1 : turnedAwayInARow);
  }
}

/** Whether an answer is about the link and not about the message. */
export function isLinkAnswer(reply: SubmitReply): boolean {
  return reply.kind === "refused" && (reply.answerClass === "throttled" || reply.answerClass === "bindFatal");
}

export interface RetimeContext {
  readonly message: { readonly attempt: number; readonly unanswered: number };
  readonly turnedAway: TurnedAway;
  /** Whether the link still stands. */
  readonly isBound: boolean;
  readonly responseTimeoutMs: number;
  readonly now: number;
  readonly validUntil: number;
}

/** When a deferred part is tried again, where the link has a say in it. */
export function retime(
  outcome: SubmitOutcome,
  reply: SubmitReply,
  { message, turnedAway, isBound, responseTimeoutMs, now, validUntil }: RetimeContext,
): SubmitOutcome {
  if (outcome.kind !== "deferred") return outcome;
  // What the link cannot take now is not the message's fault: it goes back to its old place, and its back-off does not grow. One that stepped
  // aside before does so at once.
  if (isLinkAnswer(reply)) {
    const attempt = message.attempt + 1;
    const until = turnedAway.isInTheWay(attempt) ? Math.min(now + backOffMs(attempt), validUntil) : now;
    return { ...outcome, until };
  }
  // On a link that is gone no answer can come any more.
  if (reply.kind === "unknown" && isBound)
    return { ...outcome, until: Math.min(now + resendDelayMs(message.unanswered, responseTimeoutMs), validUntil) };
  return outcome;
}

/** What a part's answer, and what was made of it, count as. */
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
