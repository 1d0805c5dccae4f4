// Decides what is recorded when all parts of a claimed message are answered or given up. Pure.
import { failureOf, type OperatorErrors } from "../sms/failure-reason.ts";
import type { PartNumber } from "../sms/segmentation.ts";
import type { NotTaken } from "../sms/not-taken.ts";
import { reasonCode } from "../sms/message-status.ts";
import { backOffMs, type Refusal } from "../sms/submit-outcome.ts";
import type { ClaimedMessage, MessageToRequeue } from "../store/message-queue.ts";
import type { HeldBackMessage } from "../store/concatenation-references.ts";
import type { HeldPart, UnsentMessage } from "../store/outcomes.ts";
import type { PartReport, PartTaken } from "../store/progress.ts";
import type { Deferral, MessageOutcome } from "./active-message.ts";
import type { LateAnswer } from "../store/claims.ts";

/**
 * What is recorded at once: one part, one message's end, one finished claim, or several of these.
 */
export interface Settlement {
  readonly taken?: PartTaken | undefined;
  /** What one receipt says of the parts that have its id. */
  readonly reports?: readonly PartReport[];
  readonly requeue?: MessageToRequeue;
  readonly unsent?: UnsentMessage;
  readonly held?: readonly HeldPart[];
  /** An answer that came late and did not take its part. */
  readonly late?: LateAnswer;
  /** By that answer the operator turned the part away for now: its outcome is not open. */
  readonly released?: { readonly part: PartNumber; readonly requeue: MessageToRequeue };
  /** Requeued too: a message that waits for a reference of its phone. */
  readonly heldBack?: HeldBackMessage;
  /** The claim that holds the message. */
  readonly claimId?: string;
  readonly finishedClaim?: string | undefined;
}

/** Far beyond where the back-off stops growing, and within the column's range. */
const maximumAttempt = 1000;

export interface SettlementContext {
  readonly connectorId: number;
  /** What its answers mean. */
  readonly statusErrors?: OperatorErrors;
  /** Submissions under this claim that did not get a part taken. */
  readonly added?: readonly NotTaken[];
}

export function settlementOf(
  message: ClaimedMessage,
  outcome: MessageOutcome,
  { connectorId, statusErrors = {}, added = [] }: SettlementContext,
): Settlement {
  const { accountId, messageId, recipient, dueAt, tries } = message;
  const notTaken = added.length === 0 ? undefined : { before: message.earlierNotTaken, added };
  const unsent = (reason: number, detail: string | null): UnsentMessage => ({
    accountId,
    messageId,
    reason,
    detail,
    notTaken,
    tries,
  });
  const hold = (parts: readonly PartNumber[]): HeldPart[] =>
    parts.map((part) => ({ accountId, messageId, connectorId, recipient, part, notTaken, tries }));
  switch (outcome.kind) {
    case "sent":
      return {};
    case "refused":
      return {
        unsent: {
          ...unsent(reasonCode.refused, outcome.answer),
          failure: failureOf(statusErrors, outcome.answer),
        },
      };
    case "heldBack":
      return { requeue: asItWas(message), heldBack: { accountId, messageId, recipient, dueAt } };
    case "outOfHours":
      return { requeue: { ...asItWas(message), window: outcome.window } };
    case "uncarriable": {
      const { variantId } = outcome;
      if (variantId === undefined) return { unsent: unsent(reasonCode.uncarriable, null) };
      return { requeue: { ...asItWas(message), routeId: variantId } };
    }
    case "expired":
      return { unsent: unsent(reasonCode.expired, null) };
    case "optedOut":
      return { unsent: unsent(reasonCode.optedOut, null) };
    case "failedUnknown":
      // Held as well: a receipt may still prove that the SMSC took it.
      return { held: hold(outcome.parts), unsent: unsent(reasonCode.outcomeUnknown, null) };
    case "held": {
      const { parts, rest } = outcome;
      return { held: hold(parts), ...(rest && { requeue: { ...restOfHeld(message, rest, connectorId), notTaken } }) };
    }
    case "deferred":
      return { requeue: { ...deferred(message, outcome, connectorId), notTaken } };
  }
}

/**
 * What is recorded when a refusal comes after its part was given up. It ends the message, or has
 * the part submitted again as if it had been answered in time, only if the message still waits for
 * the outcome of this one submission. If an earlier submission also went unanswered, the operator
 * may have taken that one.
 */
export function lateRefusal(
  message: ClaimedMessage,
  reply: Refusal,
  { part, ...context }: { readonly part: PartNumber } & Pick<SettlementContext, "connectorId" | "statusErrors">,
): Settlement {
  if (message.unanswered > 0) return {};
  const again = lateDeferral(message, reply);
  if (again) return { released: { part, requeue: deferred(message, again, context.connectorId) } };
  return settlementOf(message, { kind: "refused", answer: reply.answer }, context);
}

/**
 * How a part is tried again that the operator rejected late; undefined if it is refused for
 * good, or if an earlier submission of the message went unanswered.
 */
export function lateDeferral(
  { unanswered, attempt }: Pick<ClaimedMessage, "unanswered" | "attempt">,
  { answer, answerClass, retryAfterMs }: Refusal,
): Deferral | undefined {
  if (unanswered > 0 || answerClass === "permanent") return undefined;
  const fault = answerClass === "temporary" ? "message" : "link";
  const delayMs = retryAfterMs ?? backOffMs(fault === "message" ? attempt + 1 : 1);
  return { delayMs, fault, unanswered: [], answer };
}

function deferred(
  { accountId, messageId, dueAt, tries, windowEnd, ...earlier }: ClaimedMessage,
  { delayMs, fault, answer, unanswered: parts }: Deferral,
  connectorId: number,
): MessageToRequeue {
  const attempt = Math.min(earlier.attempt + (fault === "message" ? 1 : 0), maximumAttempt);
  const unanswered = earlier.unanswered + (fault === "silence" ? 1 : 0);
  const open = parts.length > 0 ? { connectorId, parts } : undefined;
  const turnedAway = answer === undefined ? undefined : { connectorId, answer };
  return { accountId, messageId, delayMs, dueAt, attempt, tries, windowEnd, unanswered, open, turnedAway };
}

/** The parts that nobody took wait again; the held ones are not submitted with them. */
function restOfHeld(message: ClaimedMessage, rest: Deferral, connectorId: number): MessageToRequeue {
  return { ...deferred(message, rest, connectorId), unanswered: message.unanswered + 1 };
}

/** Back to its place, as if it had not been claimed. */
function asItWas(message: ClaimedMessage): MessageToRequeue {
  const { accountId, messageId, dueAt, attempt, tries, unanswered, windowEnd } = message;
  return { accountId, messageId, delayMs: undefined, dueAt, attempt, tries, unanswered, windowEnd };
}
