// Answers that speak of the link rather than of their message, and the message that gets so many of them that it stands in the others' way.
import type { SubmitOutcome, SubmitReply } from "../sms/submit-outcome.ts";
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
