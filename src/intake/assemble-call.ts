// Gives ids to the messages of a call that is about to be accepted, and brings them into the form
// in which they are stored.
import type { PreparedMessage, RejectedMessage } from "../sms/prepare-message.ts";
import type { MessageToStore, UnusualMessage } from "../store/calls-to-store.ts";
import { uuidv7 } from "../platform/uuid.ts";

export interface AcceptedBatch {
  readonly batchId: string;
  /** In the order of the drafts. */
  readonly messages: readonly (AcceptedMessage | RejectedMessage)[];
}

export interface AcceptedMessage extends PreparedMessage {
  readonly sentMessageId: string;
}

/**
 * The batch and its messages get UUIDv7 keys with the same millisecond. `now`: by the database's
 * clock, because these ids say in which week a message is stored and when it is removed.
 */
export function assembleBatch(verdicts: readonly (PreparedMessage | RejectedMessage)[], now: number): AcceptedBatch {
  // The spread comes last: V8 copies an object five times faster into the end of a literal (0.2
  // µs) than into its beginning (1 µs).
  const messages = verdicts.map((verdict, index) =>
    verdict.kind === "prepared" ? { sentMessageId: uuidv7(now, index), ...verdict } : verdict,
  );
  return { batchId: uuidv7(now), messages };
}

/** `validitySeconds`: of a message whose template sets none. */
export function messageToStore(message: AcceptedMessage, validitySeconds: number): MessageToStore {
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
    ...(message.textHash === undefined ? {} : { textHash: message.textHash }),
    ...(message.windowEnd === undefined ? {} : { windowEnd: message.windowEnd }),
    ...(isUsual(message) ? {} : { unusual: unusualOf(message) }),
  };
}

function unusualOf({ sendAt, wantedAt, storedPurpose, review }: AcceptedMessage): UnusualMessage {
  return { sendAt, wantedAt, purpose: storedPurpose, review };
}

function isUsual({ sendAt, storedPurpose, review }: AcceptedMessage): boolean {
  return sendAt === undefined && storedPurpose === undefined && review === undefined;
}
