// Statements that record the outcome of messages that no SMSC took: ended unsent with a refund, or
// held with an open outcome.
import type { FailureReason } from "../sms/failure-reason.ts";
import { wholeMessage } from "../sms/segmentation.ts";
import { messageStatus, reasonCode } from "../sms/message-status.ts";
import type { Queryable } from "./database.ts";
import { lockBalances } from "./ledger.ts";
import {
  bitsOfPart,
  endReason,
  hasMoreThan,
  idBounds,
  idOfNow,
  messageColumns,
  noteChanges,
  notTakenJson,
  notTakenOr,
  type PartOfMessage,
  queuePriority,
  type SubmissionsNotTaken,
  writeMessageEvents,
} from "./sql-texts.ts";
import {
  byWeek,
  float8,
  idRange,
  int2,
  int4,
  int8,
  rows,
  rowStatement,
  single,
  text,
  timestamptz,
  uuid,
} from "./row-statement.ts";
import { uuidv7 } from "../platform/uuid.ts";

/** A message that ends unsent (status 4), with its reason. */
export interface UnsentMessage {
  readonly accountId: number;
  readonly messageId: string;
  readonly reason: number;
  readonly detail: string | null;
  /** What that detail means. */
  readonly failure?: FailureReason | undefined;
  readonly notTaken?: SubmissionsNotTaken | undefined;
  /** As it was claimed, see `isStillOurs`; absent: the caller took it off the queue itself. */
  readonly tries?: number;
}

/**
 * Whether the message t was not put back since it was claimed. A node that was frozen, or cut off
 * from the database, comes with outcomes of messages that another node has taken over and may have
 * submitted meanwhile: their outcome is no longer its to say.
 */
const isStillOurs = "(t.tries is null or m.tries = t.tries)";

export const endUnsentStatement = byWeek(
  "endUnsent",
  {
    message: rows<UnsentMessage>({
      ...messageColumns,
      reason: int2("reason"),
      detail: text("detail"),
      failure: text(({ failure }) => failure && JSON.stringify(failure)),
      tries: int2("tries"),
      refund_id: uuid(() => uuidv7()),
      not_taken: text(({ notTaken }) => notTakenJson(notTaken)),
    }),
    ...idBounds,
  },
  ({ message, leastId, greatestId }, isInWeek) => `with ended as (
  update message m set status = ${messageStatus.unsent}, reason = ${endReason("t.reason")},
         reason_detail = t.detail, failure = t.failure::jsonb, final_at = statement_timestamp(), not_taken = ${notTakenOr("t.not_taken", "m.not_taken")}
    from (select * from ${message.as("u")} order by account_id, message_id) t
   where m.account_id = t.account_id and m.id = t.message_id and m.id between ${leastId} and ${greatestId} and ${isInWeek} and m.status = ${messageStatus.waiting}
     and ${isStillOurs}
  returning m.account_id, m.id, m.batch_id, m.status, m.reason, m.final_at as moved_at, m.cost, t.refund_id
),
${noteChanges("ended")},
${writeMessageEvents("ended")}
select account_id as "accountId", id as "messageId", batch_id as "batchId", cost, refund_id as "refundId", reason from ended`,
);

/** What an ended message gives back. */
interface Refund {
  readonly accountId: number;
  readonly messageId: string;
  readonly batchId: string;
  /** In rials. */
  readonly cost: bigint;
  readonly refundId: string;
}

interface EndedMessage extends Refund {
  readonly reason: number;
}

export const refundUnsentStatement = rowStatement(
  "refundUnsent",
  {
    refund: rows<Refund>({
      ...messageColumns,
      batch_id: uuid("batchId"),
      cost: int8("cost"),
      refund_id: uuid("refundId"),
    }),
  },
  ({ refund }) => `with refund as materialized (
  select * from ${refund.as("r")}
),
refunded as (
  insert into ledger_entry (account_id, id, kind, amount, messages, message_id, created_at)
  select account_id, ${idOfNow("refund_id")}, 'refund', cost, 1, message_id, statement_timestamp() from refund
),
returned as (
  update account_balance b set balance = b.balance + t.total
    from (select account_id, sum(cost) as total from refund group by account_id) t
   where b.account_id = t.account_id
),
counting as materialized (
  select account_id, month_from from account_usage
   where account_id in (select account_id from refund) and month_from is not null order by account_id for update
),
uncounted as (
  update account_usage u set cost = greatest(u.cost - t.total, 0)
    from (select account_id, sum(cost) as total from (
            select r.account_id, r.cost, c.month_from,
                   (select l.created_at from ledger_entry l where l.account_id = r.account_id and l.id = r.batch_id) as charged_at
              from refund r join counting c using (account_id)) charges
           where charged_at >= month_from group by account_id) t
   where u.account_id = t.account_id
)
select`,
);

/**
 * Ends messages unsent and refunds their whole cost. Returns the reason of each that ended, which
 * may be another one than was given. Call it in a transaction. Only a waiting message can end this
 * way, so it is refunded once. The refund's id carries the time of this attempt, not of the
 * outcome: reports count refunds by it. A message whose outcome is open (1302) keeps that reason
 * when it expires (1304) or no link can carry it (1310), because an operator may have taken it.
 *
 * The balances are locked by a statement of their own, after the messages and before the refunds.
 * PostgreSQL 18.4 crashes if a statement that picks partitions by its parameters and by a join meets
 * rows that others have just changed in two places: here the messages and the balances.
 */
export async function endUnsent(tx: Queryable, messages: readonly UnsentMessage[]): Promise<readonly number[]> {
  const range = idRange(messages);
  const ended = await tx.query<EndedMessage>(endUnsentStatement.of(range).with({ message: messages, ...range }));
  const reasons = ended.map(({ reason }) => reason);
  const refunds = ended.filter(({ cost }) => cost > 0n);
  if (refunds.length === 0) return reasons;
  await lockBalances(tx, [...new Set(refunds.map(({ accountId }) => accountId))]);
  await tx.query(refundUnsentStatement.with({ refund: refunds }));
  return reasons;
}

/** A part that was written and never answered. */
export interface HeldPart extends PartOfMessage {
  readonly connectorId: number;
  readonly recipient: string;
  /** Of its message; the same for all its parts. */
  readonly notTaken?: SubmissionsNotTaken | undefined;
  /** As in `UnsentMessage`. */
  readonly tries?: number;
}

export const holdPartsStatement = rowStatement(
  "holdParts",
  {
    part: rows<HeldPart>({
      ...messageColumns,
      connector_id: int4("connectorId"),
      recipient: text("recipient"),
      part: int2("part"),
      not_taken: text(({ notTaken }) => notTakenJson(notTaken)),
      tries: int2("tries"),
    }),
    ...idBounds,
  },
  ({ part, leastId, greatestId }) => `with part as materialized (
  select * from ${part.as("p")}
),
held as (
  update message m set reason = ${reasonCode.outcomeUnknown}, not_taken = ${notTakenOr("t.not_taken", "m.not_taken")}
    from (select account_id, message_id, max(not_taken) as not_taken, max(tries) as tries from part group by account_id, message_id order by account_id, message_id) t
   where m.account_id = t.account_id and m.id = t.message_id and m.id between ${leastId} and ${greatestId} and m.status = ${messageStatus.waiting}
     and ${isStillOurs}
  returning m.account_id, m.id as message_id, m.valid_until
)
insert into held_message (account_id, message_id, connector_id, recipient, part, held_until)
select account_id, message_id, connector_id, recipient, part, valid_until from part join held using (account_id, message_id)
on conflict do nothing`,
);

/** Marks the parts' messages as open with an unknown outcome (1302) until their validity ends. */
export async function holdParts(tx: Queryable, parts: readonly HeldPart[]): Promise<void> {
  await tx.query(holdPartsStatement.with({ part: parts, ...idRange(parts) }));
}

interface MessageOfAccount {
  readonly accountId: number;
  readonly messageId: string;
  /** As in `UnsentMessage`. */
  readonly tries?: number;
}

export const holdUnansweredPartsStatement = rowStatement(
  "holdUnansweredParts",
  {
    message: rows<MessageOfAccount>({
      ...messageColumns,
      tries: int2("tries"),
    }),
    ...idBounds,
  },
  ({
    message,
    leastId,
    greatestId,
  }) => `insert into held_message (account_id, message_id, connector_id, recipient, part, held_until)
select m.account_id, m.id, m.connector_id, m.recipient, p, m.valid_until
  from ${message.as("t")}
  join message m on m.account_id = t.account_id and m.id = t.message_id and m.id between ${leastId} and ${greatestId}
  cross join lateral generate_series(${wholeMessage}, m.parts) p
 where m.status = ${messageStatus.waiting} and ${isStillOurs} and m.reason = ${reasonCode.outcomeUnknown} and m.connector_id is not null and ${hasMoreThan("p", "m.parts_taken")}
   and m.parts_unanswered & ${bitsOfPart("p")} = ${bitsOfPart("p")} and (p = ${wholeMessage} or m.parts_unanswered <> -1)
on conflict do nothing`,
);

/**
 * Holds the parts that went unanswered before, of messages that are not submitted again: a receipt
 * may still report them.
 */
export async function holdUnansweredParts(tx: Queryable, messages: readonly MessageOfAccount[]): Promise<void> {
  await tx.query(holdUnansweredPartsStatement.with({ message: messages, ...idRange(messages) }));
}

export const lockMessagesStatement = rowStatement(
  "lockMessages",
  {
    message: rows<MessageOfAccount>({
      ...messageColumns,
    }),
    ...idBounds,
  },
  ({ message, leastId, greatestId }) => `select from message m
 where (m.account_id, m.id) in (select account_id, message_id from ${message.as("t")}) and m.id between ${leastId} and ${greatestId}
 order by m.account_id, m.id for update`,
);

/** Until the transaction ends, nobody else holds parts of these messages or puts them back. */
export async function lockMessages(tx: Queryable, messages: readonly MessageOfAccount[]): Promise<void> {
  await tx.query(lockMessagesStatement.with({ message: messages, ...idRange(messages) }));
}

/** A held part that the operator rejected after all. */
export interface PartToRelease extends PartOfMessage {
  /** As in `UnsentMessage`. */
  readonly tries: number;
}

/** A part that is not held any longer. */
export interface ReleasedPart extends PartOfMessage {
  /** By which its message is to be put back; null: it waits in the queue already. */
  readonly tries: number | null;
}

const releasedColumns = {
  ...messageColumns,
  part: int2<PartToRelease>("part"),
  tries: int2<PartToRelease>("tries"),
};

/** A common table expression: the messages of the rows of `part` that wait in the queue, locked. */
const queuedOfParts = `queued as materialized (
  select account_id, message_id from message_queue where (account_id, message_id) in (select account_id, message_id from part) for update
)`;

export const releaseHeldPartsStatement = rowStatement(
  "releaseHeldParts",
  {
    part: rows<PartToRelease>(releasedColumns),
    ...idBounds,
    isRepeated: single<boolean>(),
  },
  ({ part, leastId, greatestId, isRepeated }) => `with part as materialized (
  select * from ${part.as("p")}
),
${queuedOfParts},
freed as (
  delete from held_message h using part t, message m
   where h.account_id = t.account_id and h.message_id = t.message_id and h.part = t.part
     and m.account_id = h.account_id and m.id = h.message_id and m.id between ${leastId} and ${greatestId} and m.status = ${messageStatus.waiting}
     and (m.tries = t.tries or not ${isRepeated}::boolean and ((h.account_id, h.message_id) in (select account_id, message_id from queued)
          or not exists (select from message_queue q where q.account_id = h.account_id and q.message_id = h.message_id)
         and not exists (select from claim c where h.message_id = any (c.message_ids))))
  returning h.account_id, h.message_id, h.part, m.tries, exists (select from queued q where q.account_id = h.account_id and q.message_id = h.message_id) as is_queued
),
known as (
  update message m set reason = null from (select distinct account_id, message_id from freed) f
   where m.account_id = f.account_id and m.id = f.message_id and m.id between ${leastId} and ${greatestId} and m.reason = ${reasonCode.outcomeUnknown}
     and coalesce(m.parts_unanswered & ~m.parts_taken, 0) = 0
     and not exists (select from held_message h where h.account_id = m.account_id and h.message_id = m.id
                        and (h.account_id, h.message_id, h.part) not in (select account_id, message_id, part from freed))
)
select account_id as "accountId", message_id as "messageId", part, case when not is_queued then tries end as tries from freed`,
);

/**
 * Lets parts be submitted again, and returns them: those of messages that were not put back since,
 * that wait in the queue, or of which nothing is under way. What is claimed was read without the
 * held parts and does not come back for them, so they stay held. A message without other open parts
 * has no unknown outcome any more. Call it after `lockMessages`, so that no part is held meanwhile.
 *
 * `isRepeated`: it may have happened before, and the part may be held for another submission since.
 */
export function releaseHeldParts(
  tx: Queryable,
  parts: readonly PartToRelease[],
  { isRepeated = false } = {},
): Promise<ReleasedPart[]> {
  return tx.query<ReleasedPart>(releaseHeldPartsStatement.with({ part: parts, ...idRange(parts), isRepeated }));
}

/** A part that waits to be submitted again, and that the operator rejected after all. */
export interface PartTurnedAway extends PartToRelease {
  /** When to try again. */
  readonly delayMs: number | undefined;
  /** As its message was claimed. */
  readonly windowEnd?: Date | null | undefined;
}

export const countAsAnsweredStatement = rowStatement(
  "countAsAnswered",
  {
    part: rows<PartTurnedAway>({
      ...releasedColumns,
      delay_ms: float8("delayMs"),
      window_end: timestamptz("windowEnd"),
    }),
    ...idBounds,
  },
  ({ part, leastId, greatestId }) => `with part as materialized (
  select account_id, message_id, tries, bit_or(${bitsOfPart("part")}) as bits, max(delay_ms) as delay_ms, max(window_end) as window_end
    from ${part.as("p")} group by account_id, message_id, tries
),
${queuedOfParts},
answered as (
  update message m set parts_unanswered = m.parts_unanswered & ~t.bits,
         reason = case when m.reason = ${reasonCode.outcomeUnknown} and m.parts_unanswered & ~t.bits & ~m.parts_taken = 0
                        and not exists (select from held_message h where h.account_id = m.account_id and h.message_id = m.id) then null else m.reason end
    from part t join queued using (account_id, message_id)
   where m.account_id = t.account_id and m.id = t.message_id and m.id between ${leastId} and ${greatestId} and m.status = ${messageStatus.waiting}
     and m.tries = (t.tries + 1) % 32768 and m.parts_unanswered & t.bits <> 0
  returning m.account_id, m.id, m.parts_unanswered & ~m.parts_taken as still_open, case when m.parts_taken = 0 then t.window_end end as window_end,
            now() + make_interval(secs => coalesce(t.delay_ms, 0) / 1000.0) as due_at
)
update message_queue q set unanswered = 0, window_end = a.window_end, due_at = least(q.due_at, a.due_at), priority = ${queuePriority("q.priority & 7", "least(q.due_at, a.due_at)")}
  from answered a where q.account_id = a.account_id and q.message_id = a.id and a.still_open = 0`,
);

/**
 * Messages that were put back because of these parts alone count as answered when each of them is
 * named or taken: their outcome is not unknown, and they wait no longer than for that answer, and
 * for their sending hours if nothing of them was taken. Call it for messages that never went
 * unanswered before, and after `lockMessages`.
 */
export async function countAsAnswered(tx: Queryable, parts: readonly PartTurnedAway[]): Promise<void> {
  await tx.query(countAsAnsweredStatement.with({ part: parts, ...idRange(parts) }));
}

/**
 * Held messages whose validity has ended and that are still open. Starts from the held ones, which
 * are few (`offset 0` keeps the planner from starting from all messages).
 */
export function findHeldPastValidity(
  tx: Queryable,
  limit: number,
): Promise<{ accountId: number; messageId: string }[]> {
  return tx.query<{ accountId: number; messageId: string }>(
    "findHeldPastValidity",
    `select h.account_id as "accountId", h.message_id as "messageId"
  from held_message h cross join lateral (
         select from message m where m.account_id = h.account_id and m.id = h.message_id and m.status = ${messageStatus.waiting} offset 0) m
 where h.held_until <= now()
   and h.part = (select min(first.part) from held_message first where first.account_id = h.account_id and first.message_id = h.message_id)
 limit $1 for update of h skip locked`,
    [limit],
  );
}
