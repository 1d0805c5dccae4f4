// The events of customers as JSON. The log contains no texts, so an event shows the message as it
// is stored now. Fields that change later show what was true when the event happened.
import { type EventType, eventTypeNumber } from "../sms/event-types.ts";
import { messageStatus, reasonCode } from "../sms/message-status.ts";
import type { Queryable } from "../store/database.ts";
import type { LogRow, Position } from "../store/event-log.ts";
import { findMessagesOfAccounts, type StoredMessage } from "../store/message-reads.ts";
import { messageState, receivedMessage } from "./representations.ts";
import { findReceivedMessages, type ReceivedMessage } from "../store/received-lists.ts";

export interface CustomerEvent {
  readonly id: string;
  readonly position: Position;
  readonly type: EventType;
  /** ISO 8601, in milliseconds. */
  readonly timestamp: string;
  /** JSON text. */
  readonly data: string;
}

/** An element of `webhooks/events`, and of a batch. */
export function eventJson({ id, type, timestamp, data }: CustomerEvent): string {
  return `{"id":"${id}","type":"${type}","timestamp":"${timestamp}","data":${data}}`;
}

/** The body of a webhook of a single event, whose id stands in a header. */
export function singleEventJson({ type, timestamp, data }: CustomerEvent): string {
  return `{"type":"${type}","timestamp":"${timestamp}","data":${data}}`;
}

/** In the order of the rows. An event whose message is no longer stored is left out. */
export async function loadEvents(db: Queryable, rows: readonly LogRow[]): Promise<CustomerEvent[]> {
  const ofMessages = rows.filter(({ type }) => isOfMessage(type));
  const ofReceived = rows.filter(({ type }) => type === "message.received");
  const [messages, received] = await Promise.all([
    findMessagesOfAccounts(db, ofMessages.map(idOfSubject)),
    findReceivedMessages(db, ofReceived.map(idOfSubject)),
  ]);
  const messageOf = new Map(messages.map((message) => [message.id, message]));
  const receivedOf = new Map(received.map((message) => [message.id, message]));
  return rows.flatMap((row) => {
    const { id, position, type, at } = row;
    const data = dataOf(row, messageOf, receivedOf);
    return data === undefined ? [] : { id, position, type, timestamp: at.toISOString(), data };
  });
}

function isOfMessage(type: EventType): boolean {
  return eventTypeNumber(type) <= eventTypeNumber("message.unreported");
}

function idOfSubject({ accountId, subjectId }: LogRow): { accountId: number; messageId: string } {
  return { accountId, messageId: subjectId };
}

function dataOf(
  row: LogRow,
  messages: ReadonlyMap<string, StoredMessage>,
  received: ReadonlyMap<string, ReceivedMessage>,
): string | undefined {
  if (isOfMessage(row.type)) {
    const message = messages.get(row.subjectId);
    return message && messageState(stateThen(row, message), "en");
  }
  if (row.type !== "message.received") return JSON.stringify(row.detail ?? {});
  const message = received.get(row.subjectId);
  return message && receivedMessage(message);
}

/**
 * The message as it was after the event. Later ones change its status, reason, their detail and its
 * final time. The time of sending does not change, once the operator has taken all; a message that
 * failed has none, even if a receipt proved later that it was taken.
 */
function stateThen({ type, at, reason }: LogRow, message: StoredMessage): StoredMessage {
  const [sentAt, finalAt] = timesThen(type, at, message);
  // The stored detail counts only for the stored reason.
  const isOfReason = reason === message.reason || reason === reasonCode.undelivered;
  const said = isOfReason ? {} : { reasonDetail: null, failure: null };
  return { ...message, ...said, status: statusThen(type), reason, sentAt, finalAt };
}

function timesThen(type: EventType, at: Date, { sentAt }: StoredMessage): readonly [Date | null, Date | null] {
  if (type === "message.sent") return [at, null];
  return [type === "message.failed" ? null : sentAt, at];
}

function statusThen(type: EventType): number {
  return type === "message.unreported" ? messageStatus.sent : eventTypeNumber(type);
}
