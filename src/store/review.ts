// Statements on messages that wait for staff, because a content rule asks for it. They are in
// neither queue nor claim until they are allowed.
import { messageStatus, reasonCode } from "../sms/message-status.ts";
import type { Queryable } from "./database.ts";
import type { DequeuedMessage } from "./message-queue.ts";
import { idRange } from "./progress.ts";
import { queuePriority } from "./queue-priority.ts";
import { int4, rows, rowStatement, single, uuid } from "./row-statement.ts";

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

/** In the order in which they were accepted, after the message `after`. */
export function listReview(
  db: Queryable,
  { accountId, rule }: ReviewFilter,
  { after, limit }: { after: string; limit: number },
): Promise<ReviewedMessage[]> {
  return db.query<ReviewedMessage>({
    name: "listReview",
    text: `/* listReview */
select r.message_id as "messageId", m.batch_id as "batchId", coalesce(a.name, '') as account, r.rule, m.sender, m.recipient, m.content,
       m.send_at as "sendAt", r.valid_until as "validUntil"
  from review r join message m on m.account_id = r.account_id and m.id = r.message_id left join account a on a.id = r.account_id
 where r.message_id > $3::uuid and ($1::int is null or r.account_id = $1) and ($2::text is null or r.rule = $2)
 order by r.message_id limit $4`,
    values: [accountId ?? null, rule ?? null, after, limit],
  });
}

/** What staff decide about: exactly one of the keys is given. */
export interface ReviewChoice {
  readonly messageIds?: readonly string[];
  readonly batchId?: string;
  readonly rule?: string;
}

/**
 * Takes messages out of the review, at most `limit`, those that were accepted first. To be followed
 * by their end, or by `queueAllowed`, in the same transaction.
 */
export function takeFromReview(tx: Queryable, choice: ReviewChoice, limit: number): Promise<DequeuedMessage[]> {
  return tx.query<DequeuedMessage>({
    name: "takeFromReview",
    text: `/* takeFromReview */
with chosen as materialized (
  select r.account_id, r.message_id from review r
   where ($1::uuid[] is null or r.message_id = any ($1)) and ($2::text is null or r.rule = $2)
     and ($3::uuid is null or exists (select from message m where m.account_id = r.account_id and m.id = r.message_id and m.batch_id = $3))
   order by r.message_id limit $4 for update skip locked
),
taken as (
  delete from review r using chosen c where r.account_id = c.account_id and r.message_id = c.message_id
  returning r.account_id, r.message_id
)
select account_id as "accountId", message_id as "messageId" from taken`,
    values: [choice.messageIds ?? null, choice.rule ?? null, choice.batchId ?? null, limit],
  });
}

/** Takes messages out of the review whose validity has ended, those that ended first. */
export function takeExpiredFromReview(tx: Queryable, limit: number): Promise<DequeuedMessage[]> {
  return tx.query<DequeuedMessage>({
    name: "takeExpiredFromReview",
    text: `/* takeExpiredFromReview */
delete from review where ctid = any (array(
  select ctid from review where valid_until <= now() order by valid_until limit $1 for update skip locked))
returning account_id as "accountId", message_id as "messageId"`,
    values: [limit],
  });
}

export const queueAllowedStatement = rowStatement(
  "queueAllowed",
  {
    message: rows<DequeuedMessage>({
      account_id: int4(({ accountId }) => accountId),
      message_id: uuid(({ messageId }) => messageId),
    }),
    leastId: single<string>(),
    greatestId: single<string>(),
  },
  ({ message, leastId, greatestId }) => `with allowed as (
  update message m set reason = null
    from ${message.as("t")}
   where m.account_id = t.account_id and m.id = t.message_id and m.id between ${leastId} and ${greatestId}
     and m.status = ${messageStatus.waiting} and m.reason = ${reasonCode.inReview}
  returning m.route_id, m.priority, m.account_id, m.id, greatest(m.send_at, now()) as due_at, m.valid_until, m.parts
)
insert into message_queue (route_id, priority, account_id, due_at, message_id, valid_until, parts)
select route_id, ${queuePriority("priority", "due_at")}, account_id, due_at, id, valid_until, parts from allowed`,
);

/**
 * Puts allowed messages into the queue, due at their time, or at once where that is past. Whether
 * sending hours and opt-outs let them go is looked at before they are written to a link.
 */
export async function queueAllowed(tx: Queryable, messages: readonly DequeuedMessage[]): Promise<void> {
  await tx.query(queueAllowedStatement.with({ message: messages, ...idRange(messages) }));
}
