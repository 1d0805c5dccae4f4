// Statements on messages that wait for staff, because a content rule asks for it. They are in
// neither queue nor claim until they are allowed.
import { messageStatus, reasonCode } from "../sms/message-status.ts";
import { uuidCeiling, uuidFloor, uuidv7Time } from "../platform/uuid.ts";
import { composed, type Queryable } from "./database.ts";
import type { DequeuedMessage } from "./message-queue.ts";
import { type Conditions, conditions, idRange, rows, rowStatement, timestamptz } from "./row-statement.ts";
import { preferIndexes, preferIndexOrder, sortAgain } from "./transaction-settings.ts";
import { idBounds, isFreeText, messageColumns, queuePriority } from "./sql-texts.ts";

/** A message as staff see it to decide. */
export interface ReviewedMessage {
  readonly messageId: string;
  readonly batchId: string;
  readonly account: string;
  readonly rule: string;
  readonly sender: string;
  readonly recipient: string;
  readonly content: string;
  readonly sendAt: Date | null;
  readonly validUntil: Date;
}

export interface ReviewFilter {
  readonly accountId?: number | undefined;
  readonly rule?: string | undefined;
}

// The rules that have messages in review: one index descent for each.
const reviewRules = `rule_in_review (name) as (
  (select rule from review order by rule limit 1)
  union all
  select (select r.rule from review r where r.rule > n.name order by r.rule limit 1) from rule_in_review n where n.name is not null
)`;

// Each message by its key: a join might read all messages.
const listedPage = `select p.message_id as "messageId", m.batch_id as "batchId", coalesce(a.name, '') as account, p.rule, m.sender, m.recipient, m.content,
       m.send_at as "sendAt", p.valid_until as "validUntil"
  from page p cross join lateral (select * from message where account_id = p.account_id and id = p.message_id limit 1) m
  left join account a on a.id = p.account_id
 order by p.message_id`;

/**
 * In the order in which they were accepted, after the message `after`. Call it in a transaction:
 * the planner knows an average account and an average rule, and would rather read all of one that
 * has many.
 */
export async function listReview(
  tx: Queryable,
  { accountId, rule }: ReviewFilter,
  { after, limit }: { after: string; limit: number },
): Promise<ReviewedMessage[]> {
  await preferIndexOrder(tx);
  const values = [rule, after, limit];
  const listed = await (accountId === undefined
    ? listReviewOfAll(tx, values)
    : listReviewOf(tx, [...values, accountId]));
  return listed;
}

function listReviewOf(tx: Queryable, values: unknown[]): Promise<ReviewedMessage[]> {
  return tx.query<ReviewedMessage>(
    "listReviewOf",
    `with page as materialized (
  select account_id, message_id, rule, valid_until from review
   where account_id = $4 and message_id > $2 and ($1::text is null or rule = $1) order by message_id limit $3
)
${listedPage}`,
    values,
  );
}

function listReviewOfAll(tx: Queryable, values: unknown[]): Promise<ReviewedMessage[]> {
  return tx.query<ReviewedMessage>(
    "listReview",
    `with recursive ${reviewRules},
page as materialized (
  select f.* from (select $1::text as name where $1 is not null union all select name from rule_in_review where $1 is null and name is not null) n
   cross join lateral (
     select account_id, message_id, rule, valid_until from review where rule = n.name and message_id > $2 order by message_id limit $3) f
   order by f.message_id limit $3
)
${listedPage}`,
    values,
  );
}

/** A message that has left the review. */
export interface TakenMessage extends DequeuedMessage {
  /** When it would have gone out without sending hours; null: at its time. */
  readonly wantedAt: Date | null;
}

/** What staff decide about: exactly one of the keys is given. */
export interface ReviewChoice {
  readonly messageIds?: readonly string[];
  readonly batchId?: string;
  readonly rule?: string;
}

const isInRules = "rule = any (array(select name from rule_in_review where name is not null))";

function chosenBy({ messageIds = [], batchId, rule }: ReviewChoice): Conditions {
  if (rule !== undefined) return conditions({ "rule = ?": rule });
  if (batchId === undefined) return conditions({ [`${isInRules} and message_id = any (?::uuid[])`]: messageIds });
  // Messages of a batch carry its millisecond.
  const ms = uuidv7Time(batchId);
  return conditions({
    [`${isInRules} and message_id >= ?`]: uuidFloor(ms),
    "message_id <= ?": uuidCeiling(ms),
    "(select batch_id from message m where m.account_id = review.account_id and m.id = review.message_id) = ?": batchId,
  });
}

/**
 * Takes messages out of the review, at most `limit`, those that were accepted first. To be followed
 * by their end, or by `queueAllowed`, in the same transaction.
 */
export async function takeFromReview(tx: Queryable, choice: ReviewChoice, limit: number): Promise<TakenMessage[]> {
  const isOfRule = choice.rule !== undefined;
  await (isOfRule ? preferIndexOrder(tx) : preferIndexes(tx));
  const where = chosenBy(choice);
  const taken = await tx.query<TakenMessage>(
    composed(
      "takeFromReview",
      `with recursive ${reviewRules}
delete from review where ctid = any (array(
  select ctid from review where ${where.text} order by message_id limit ${where.value(limit)} for update skip locked))
returning account_id as "accountId", message_id as "messageId", wanted_at as "wantedAt"`,
      where.values,
    ),
  );
  if (isOfRule) await sortAgain(tx);
  return taken;
}

/** A message in review whose validity has ended, if no sending hours made it stand still. */
export interface ExpiredInReview extends DequeuedMessage {
  /** The number of its line. */
  readonly sender: string;
  readonly isFree: boolean;
  /** Null: its validity began when it was accepted. */
  readonly sendAt: Date | null;
  readonly validUntil: Date;
  /** By the clock of the database. */
  readonly now: Date;
}

/** Locks messages in review whose validity has ended, those that ended first. */
export function lockExpiredInReview(tx: Queryable, limit: number): Promise<ExpiredInReview[]> {
  return tx.query<ExpiredInReview>(
    "lockExpiredInReview",
    `with expired as materialized (
  select account_id, message_id from review where valid_until <= now() order by valid_until limit $1 for update skip locked)
select e.account_id as "accountId", e.message_id as "messageId", m.sender, ${isFreeText} as "isFree", m.send_at as "sendAt",
       m.valid_until as "validUntil", now() as "now"
  from expired e cross join lateral (select * from message where account_id = e.account_id and id = e.message_id limit 1) m`,
    [limit],
  );
}

/** What becomes of one that was locked. */
export interface ReviewedValidity extends DequeuedMessage {
  /** When to look again; undefined: it leaves the review. */
  readonly validUntil: Date | undefined;
}

const validityRows = rows<ReviewedValidity>({
  ...messageColumns,
  valid_until: timestamptz("validUntil"),
});

export const settleValidityStatement = rowStatement(
  "settleValidity",
  { message: validityRows },
  ({ message }) => `with settled as materialized (select * from ${message.as("t")}),
prolonged as (
  update review r set valid_until = t.valid_until from settled t
   where r.account_id = t.account_id and r.message_id = t.message_id and t.valid_until is not null
)
delete from review r using settled t
 where r.account_id = t.account_id and r.message_id = t.message_id and t.valid_until is null`,
);

/** In the transaction that locked them. */
export async function settleValidity(tx: Queryable, messages: readonly ReviewedValidity[]): Promise<void> {
  await tx.query(settleValidityStatement.with({ message: messages }));
}

export const queueAllowedStatement = rowStatement(
  "queueAllowed",
  {
    message: rows<TakenMessage>({
      ...messageColumns,
      wanted_at: timestamptz("wantedAt"),
      accepted_at: timestamptz(({ messageId }) => new Date(uuidv7Time(messageId))),
    }),
    ...idBounds,
  },
  ({ message, leastId, greatestId }) => `with allowed as (
  update message m set reason = null
    from ${message.as("t")}
   where m.account_id = t.account_id and m.id = t.message_id and m.id between ${leastId} and ${greatestId}
     and m.status = ${messageStatus.waiting} and m.reason = ${reasonCode.inReview}
  returning m.route_id, m.priority, m.account_id, m.id, greatest(m.send_at, now()) as due_at, m.valid_until, m.parts, t.wanted_at,
            least(coalesce(m.send_at, t.accepted_at), now()) as begun_at
)
insert into message_queue (route_id, priority, account_id, due_at, message_id, valid_until, parts, wanted_at, window_end)
select route_id, ${queuePriority("priority", "due_at")}, account_id, due_at, id, valid_until, parts, wanted_at, begun_at from allowed`,
);

/**
 * Puts allowed messages into the queue, due at their time, or at once where that is past. Whether
 * sending hours and opt-outs let them go is looked at before they are written to a link. Each is
 * put into a window that ended where its validity began, so it gets its time by the hours that
 * count now, and its validity has stood still while they were closed.
 */
export async function queueAllowed(tx: Queryable, messages: readonly TakenMessage[]): Promise<void> {
  await tx.query(queueAllowedStatement.with({ message: messages, ...idRange(messages) }));
}
