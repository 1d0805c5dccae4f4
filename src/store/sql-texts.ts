// Texts, columns and bounds that several statements share: the texts call the message m. And what every
// statement notes that may change the status of messages: for reports that have counted them
// (reports.ts), and as events of the log (event-log.ts). New messages are not counted yet and have no
// event; they cost nothing but the comparison.
import { eventTypeNumber } from "../sms/event-types.ts";
import { correctedByReceipt, messageStatus, reasonCode, reasonsOfOpen, statusesBefore } from "../sms/message-status.ts";
import { type NotTaken, type StoredNotTaken, withNotTaken } from "../sms/not-taken.ts";
import { type PartNumber, wholeMessage } from "../sms/segmentation.ts";
import { int4, single, uuid } from "./row-statement.ts";

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
export const messageColumns = { account_id: int4<MessageKey>("accountId"), message_id: uuid<MessageKey>("messageId") };
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

/**
 * A common table expression; `changed` names the one that returns account_id and id of the changed
 * messages.
 */
export function noteChanges(changed: string): string {
  return `noted as (
  insert into report_change (account_ids, message_ids)
  select array_agg(account_id), array_agg(id) from ${changed} where id < (select noted_until from report_progress) having count(*) > 0
)`;
}

/** The accounts that want events, as they are stored: rows with account_id and mask. */
const wantedAsStored = "(select account_id, by_endpoints | by_reader as mask from wanted_events)";

/**
 * The position of the transaction in the log (event-log.ts). Evaluated only where an event is
 * written.
 */
const ownPosition = "(select pg_current_xact_id()::text::bigint + shift from event_log)";

/**
 * A common table expression that writes the events of messages whose status or reason has changed.
 * `changed` names the one that returns of each message account_id, id, status and reason after the
 * change, and moved_at: the moment of the change, or null where neither has changed. `wanted`: rows
 * with account_id and mask, where the statement is given them.
 */
export function writeMessageEvents(changed: string, wanted: string = wantedAsStored): string {
  const type = `case when c.reason = ${reasonCode.noReceipt} and c.status = ${messageStatus.sent} then ${eventTypeNumber("message.unreported")} else c.status end`;
  return writeEvents(
    `select c.account_id, c.id as subject_id, (${type})::smallint as type, c.reason::smallint as reason, c.moved_at as at
            from ${changed} c where c.moved_at is not null and c.status <> ${messageStatus.waiting}`,
    wanted,
  );
}

/**
 * The same for received messages: `received` returns account_id and id of those that an account got
 * by this.
 */
export function writeReceivedEvents(received: string): string {
  return writeEvents(
    `select account_id, id as subject_id, ${eventTypeNumber("message.received")}::smallint as type, null::smallint as reason,
                 statement_timestamp() as at from ${received}`,
    wantedAsStored,
  );
}

function writeEvents(happened: string, wanted: string): string {
  return `logged as (
  insert into event (at, position, subject_id, account_id, type, reason)
  select h.at, ${ownPosition}, h.subject_id, h.account_id, h.type, h.reason
    from (${happened}) h
    join ${wanted} w on w.account_id = h.account_id and w.mask >> h.type & 1 = 1
)`;
}

/**
 * The same for events about nothing that is stored: `given` has account_id, type, detail, and
 * subject_id, a UUIDv7 of their own.
 */
export function writeOwnEvents(given: string): string {
  return `logged as (
  insert into event (at, position, subject_id, account_id, type, detail)
  select statement_timestamp(), ${ownPosition}, g.subject_id, g.account_id, g.type, g.detail
    from ${given} g join ${wantedAsStored} w on w.account_id = g.account_id and w.mask >> g.type & 1 = 1
)`;
}
