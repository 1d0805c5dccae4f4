// Texts, columns and bounds that several statements share. The texts call the message m.
import { type PartNumber, wholeMessage } from "../sms/segmentation.ts";
import { correctedByReceipt, messageStatus, reasonCode, reasonsOfOpen, statusesBefore } from "../sms/message-status.ts";
import { int4, single, uuid } from "./row-statement.ts";
import { type NotTaken, type StoredNotTaken, withNotTaken } from "../sms/not-taken.ts";

/** A UUIDv7 begins with 48 bits of milliseconds. */
export function timeOfId(id: string): string {
  return `to_timestamp(('x' || left(replace(${id}::text, '-', ''), 12))::bit(48)::bigint / 1000.0)`;
}

/**
 * SQL for the given UUIDv7 with the time of the statement. Its own time is that of its maker's
 * clock.
 */
export function idOfNow(id: string): string {
  return `(lpad(to_hex(${epochMilliseconds}), 12, '0') || substr(replace(${id}::text, '-', ''), 13))::uuid`;
}

/** Unix milliseconds of the statement, whole ones, so that no time is rounded up. */
export const epochMilliseconds = "floor(extract(epoch from statement_timestamp()) * 1000)::bigint";

/** The priority under which a message enters the queue; both are SQL expressions. */
export const queuePriority = (priority: string, dueAt: string): string =>
  `${priority} | case when ${dueAt} > statement_timestamp() then 8 else 0 end`;

/** The priority of a message in the queue that is not due, whatever it was before. */
export const apartPriority = (priority: string): string => `${priority} | 8`;

/** The priority of a message in the queue that is due: that of the message. */
export const duePriority = (priority: string): string => `${priority} & 7`;

export interface MessageKey {
  readonly accountId: number;
  readonly messageId: string;
}

/** The columns of messages that a statement is given, and the bounds of their ids. */
export const messageKey = { account_id: int4<MessageKey>("accountId"), message_id: uuid<MessageKey>("messageId") };
export const idBounds = { leastId: single<string>(), greatestId: single<string>() };

/** One part of a message. */
export interface PartOfMessage extends MessageKey {
  readonly part: PartNumber;
}

/** Bits of what a submit_sm carried: of one part, or all bits when it carried the whole message. */
export function bitsOfPart(part: string): string {
  return `(case when ${part} = ${wholeMessage} then -1 else 1 << (${part} - 1) end)`;
}

/** Bits of all parts of the message. */
export const allPartBits = "((1 << m.parts) - 1)";

/** Whether a submit_sm carried parts of the message that a mask does not contain. */
export function hasMoreThan(part: string, bits: string): string {
  return `(${bitsOfPart(part)} & ${allPartBits} & ~(${bits}) <> 0)`;
}

/** Bits of the parts that are held: submitted, never answered, and not to be submitted again. */
export const heldBits = `coalesce((select bit_or(${bitsOfPart("h.part")}) from held_message h where h.account_id = m.account_id and h.message_id = m.id), 0)`;

/** Whether the message has a part that is neither taken nor held. */
export const hasMoreToSubmit = hasMoreThan(`${wholeMessage}`, `m.parts_taken | ${heldBits}`);

/** A receipt counts: the message is not final, or ended only for lack of a receipt or an answer. */
export const receiptCounts = `(m.status in (${statusesBefore("delivered").join(", ")}) or m.reason in (${correctedByReceipt.map(({ reason }) => reason).join(", ")}))`;

/** The reason of a message that ends for `reason`: an open outcome stays unknown in some cases. */
export function endReason(reason: string): string {
  return `case when m.reason = ${reasonCode.outcomeUnknown} and ${reason} in (${reasonsOfOpen.join(", ")}) then ${reasonCode.outcomeUnknown} else ${reason} end`;
}

/** How many messages have which status, one column for each. */
export const statusCounts = Object.entries(messageStatus)
  .map(([name, status]) => `(count(*) filter (where m.status = ${status}))::int as ${name}`)
  .join(", ");

/** Rials given back for messages that were not sent. */
export const refundedCost = `coalesce(sum(m.cost) filter (where m.status = ${messageStatus.unsent}), 0)::bigint as refunded`;

/** Of a message m: whether it is free of sending hours and opt-outs. A template sends a code. */
export const isFreeText = "coalesce(m.purpose > 0, m.template_id is not null)";

/** Of a message m: whether it is a code, as it was accepted, whatever becomes of its template. */
export const sendsCode = "coalesce(m.purpose = 1, m.template_id is not null)";

/** What a message has in the column, and what comes to it. */
export interface SubmissionsNotTaken {
  readonly before: StoredNotTaken | null | undefined;
  readonly added: readonly NotTaken[];
}

/** For a parameter of `notTakenOr`; null where nothing comes to it. */
export function notTakenJson(given: SubmissionsNotTaken | undefined): string | null {
  if (given === undefined || given.added.length === 0) return null;
  return JSON.stringify(withNotTaken(given.before, given.added, performance.now()));
}

/** The column's value: the parameter with the database's time, or the one it has. */
export function notTakenOr(given: string, present: string): string {
  return `coalesce(${given}::jsonb || jsonb_build_object('at', ${epochMilliseconds}), ${present})`;
}
