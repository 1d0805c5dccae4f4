// Gives ids to the messages of a call that is about to be accepted, and brings them into the form
// in which they are stored.
import { messagePriority } from "../sms/message-status.ts";
import type { PreparedMessage, RejectedMessage } from "../sms/prepare-message.ts";
import type { CallToStore, MessageToStore } from "../store/accept-calls.ts";
import { uuidv7 } from "../platform/uuid.ts";

export interface AcceptedBatch {
  readonly batchId: string;
  /** In the order of the drafts. */
  readonly messages: readonly (AcceptedMessage | RejectedMessage)[];
}

export interface AcceptedMessage extends PreparedMessage {
  readonly sentMessageId: string;
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
  const accepted: AcceptedMessage[] = [];
  const messages = verdicts.map((verdict, index) => {
    if (verdict.kind === "rejected") return verdict;
    // The spread comes last: V8 copies an object five times faster into the end of a literal (0.2
    // µs) than into its beginning (1 µs).
    const message = { sentMessageId: uuidv7(now, index), ...verdict };
    accepted.push(message);
    total += verdict.cost;
    return message;
  });
  const call: CallToStore = {
    accountId,
    batchId,
    total,
    priority: isInformation(accepted) ? Math.max(priority, messagePriority.single) : priority,
    messages: accepted.map((message) => messageToStore(message, validitySeconds)),
  };
  return { batch: { batchId, messages }, call };
}

/** A call that looks like one of a one-time code, with a template that is not for codes. */
function isInformation([message, ...others]: readonly PreparedMessage[]): boolean {
  return message?.purpose === "information" && others.length === 0;
}

function messageToStore(message: AcceptedMessage, validitySeconds: number): MessageToStore {
  return {
    id: message.sentMessageId,
    sender: message.line.number,
    recipient: message.recipient,
    givenSender: message.senderNumber === message.line.number ? null : message.senderNumber,
    givenRecipient: message.recipientNumber === message.recipient ? null : message.recipientNumber,
    content: message.content,
    language: message.language,
    operator: message.operator,
    encoding: message.encoding,
    parts: message.parts,
    cost: message.cost,
    templateId: message.templateId ?? null,
    routeId: message.routeId,
    validSeconds: message.validSeconds ?? validitySeconds,
    textHash: message.textHash,
    sendAt: message.sendAt,
    wantedAt: message.wantedAt,
    windowEnd: message.windowEnd,
    purpose: message.storedPurpose,
    review: message.review,
  };
}
