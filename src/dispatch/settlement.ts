// What is written down when all parts of a claimed message are answered, or given up. Pure but for the refund's new id.
import { messageIdKey } from "../sms/message-id-match.ts";
import { reasonCode } from "../sms/message-status.ts";
import type { ClaimedMessage, MessageToRequeue } from "../store/message-queue.ts";
import type { HeldPart, PartTaken, UnsentMessage } from "../store/outcomes.ts";
import { uuidv7 } from "../uuid.ts";
import type { MessageOutcome } from "./active-message.ts";

/** What is to be recorded at once: one part, one message's end, one finished claim, or several of them. */
export interface Settlement {
  readonly taken?: PartTaken;
  readonly requeue?: MessageToRequeue;
  readonly unsent?: UnsentMessage;
  readonly held?: readonly HeldPart[];
  readonly finishedClaim?: string;
}

export function settlementOf(
  message: ClaimedMessage,
  outcome: MessageOutcome,
  { connectorId, describeStatus }: { connectorId: number; describeStatus: (commandStatus: number) => string },
): Settlement {
  const { accountId, messageId, recipient, dueAt, attempt, tries } = message;
  const unsent = (reason: number, detail: string | null): UnsentMessage => ({
    accountId,
    messageId,
    reason,
    detail,
    refundId: uuidv7(),
  });
  const hold = (parts: readonly number[]): HeldPart[] =>
    parts.map((part) => ({ accountId, messageId, connectorId, recipient, part }));
  switch (outcome.kind) {
    case "sent":
      return {};
    case "refused":
      return { unsent: unsent(reasonCode.refused, describeStatus(outcome.commandStatus)) };
    case "expired":
      return { unsent: unsent(reasonCode.expired, null) };
    case "failedUnknown":
      // Held too: a receipt may still prove that it was taken.
      return { held: hold(outcome.parts), unsent: unsent(reasonCode.outcomeUnknown, null) };
    case "held":
      return { held: hold(outcome.parts) };
    case "deferred": {
      const { delayMs, unanswered } = outcome;
      // What the link would not take is not the message's fault; what it took and did not answer counts.
      const counted = delayMs === undefined && !unanswered ? attempt : attempt + 1;
      const unansweredOn = unanswered ? connectorId : undefined;
      return { requeue: { accountId, messageId, delayMs, dueAt, attempt: counted, tries, unansweredOn } };
    }
  }
}

export function partTaken(
  message: ClaimedMessage,
  { part, connectorId, smscMessageId }: { part: number; connectorId: number; smscMessageId: string },
): PartTaken {
  return {
    accountId: message.accountId,
    messageId: message.messageId,
    part,
    connectorId,
    recipient: message.recipient,
    messageKey: messageIdKey(smscMessageId),
    smscMessageId,
  };
}
