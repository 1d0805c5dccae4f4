// What every statement notes that may change the status of messages: for reports that have counted
// them (reports.ts), and as events of the log (event-log.ts). New messages are not counted yet and
// have no event; they cost nothing but the comparison.
import { eventTypeNumber } from "../sms/event-types.ts";
import { messageStatus, reasonCode } from "../sms/message-status.ts";

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

/** The mask of account a. */
export const wantedByAccount =
  "coalesce((select w.by_endpoints | w.by_reader from wanted_events w where w.account_id = a.id), 0)";

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
