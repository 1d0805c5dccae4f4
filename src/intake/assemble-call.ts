// Gives ids to the messages of a call that is about to be accepted, and brings them into the form
// in which they are stored and answered.
import { messagePriority } from "../sms/message-status.ts";
import type { PreparedMessage, RejectedMessage } from "../sms/prepare-message.ts";
import type { CallToStore, MessageToStore } from "../store/accept-calls.ts";
import { uuidv7 } from "../platform/uuid.ts";

export interface AcceptedBatch {
  readonly batchId: string;
  /** In the order of the drafts. */
  readonly messages: readonly (AcceptedMessage | RejectedMessage)[];
}

/** As it is stored, with what its answer shows besides. */
export interface AcceptedMessage
  extends MessageToStore, Pick<PreparedMessage, "kind" | "senderNumber" | "recipientNumber" | "language"> {
  readonly language: PreparedMessage["language"];
}

export interface CallTerms {
  readonly accountId: number;
  readonly priority: number;
  /** Of a message whose template sets none. */
  readonly validitySeconds: number;
  /** By the database's clock: ids say in which week a message is stored and when it is removed. */
  readonly now: number;
}

/** The batch and its messages get UUIDv7 keys with the same millisecond. */
export function assembleCall(
  verdicts: readonly (PreparedMessage | RejectedMessage)[],
  { accountId, priority, validitySeconds, now }: CallTerms,
): { readonly batch: AcceptedBatch; readonly call: CallToStore } {
  const batchId = uuidv7(now);
  let total = 0n;
  let isInformation = false;
  const accepted: AcceptedMessage[] = [];
  const messages: (AcceptedMessage | RejectedMessage)[] = [];
  for (const verdict of verdicts) {
    if (verdict.kind === "rejected") {
      messages.push(verdict);
      continue;
    }
    const { line, senderNumber, recipient, recipientNumber } = verdict;
    const message: AcceptedMessage = {
      kind: "prepared",
      id: uuidv7(now, messages.length),
      senderNumber,
      recipientNumber,
      sender: line.number,
      recipient,
      givenSender: senderNumber === line.number ? null : senderNumber,
      givenRecipient: recipientNumber === recipient ? null : recipientNumber,
      content: verdict.content,
      language: verdict.language,
      operator: verdict.operator,
      encoding: verdict.encoding,
      parts: verdict.parts,
      cost: verdict.cost,
      templateId: verdict.templateId ?? null,
      routeId: verdict.routeId,
      validSeconds: verdict.validSeconds ?? validitySeconds,
      textHash: verdict.textHash,
      sendAt: verdict.sendAt,
      wantedAt: verdict.wantedAt,
      windowEnd: verdict.windowEnd,
      purpose: verdict.storedPurpose,
      review: verdict.review,
      accountId,
      batchId,
      priority,
      isClaimed: false,
    };
    total += verdict.cost;
    isInformation = verdict.purpose === "information";
    messages.push(message);
    accepted.push(message);
  }
  // A call that looks like one of a one-time code, with a template that is not for codes.
  const lowered = isInformation && accepted.length === 1 ? Math.max(priority, messagePriority.single) : priority;
  return {
    batch: { batchId, messages },
    call: { accountId, batchId, total, priority: lowered, messages: accepted },
  };
}
