// Statements on the queue as time passes: what falls due, what has expired, how much waits. Those
// that run every few seconds read a bounded number of rows by index.
import type { Queryable } from "./database.ts";
import type { DequeuedMessage } from "./message-queue.ts";
import { duePriority } from "./queue-priority.ts";

/**
 * Takes messages off the queue whose validity has ended, those that ended first. It does not run
 * from the end of a message's window to the next one.
 */
export function dequeueExpired(tx: Queryable, limit: number): Promise<DequeuedMessage[]> {
  return tx.query<DequeuedMessage>({
    name: "dequeueExpired",
    text: `/* dequeueExpired */
delete from message_queue where ctid = any (array(
  select ctid from message_queue where valid_until <= now() and (window_end is null or valid_until <= window_end) order by valid_until limit $1 for update skip locked))
returning account_id as "accountId", message_id as "messageId"`,
    values: [limit],
  });
}

/**
 * Makes messages claimable that have fallen due: at most `limit`, the most urgent first, and those
 * that fell due first.
 */
export async function releaseDue(
  db: Queryable,
  limit: number,
): Promise<{ readonly count: number; readonly isUrgent: boolean }> {
  const [row] = await db.query<{ count: number; isUrgent: boolean }>({
    name: "releaseDue",
    text: `/* releaseDue */
with due as materialized (
  select d.place from generate_series(8, 15) as p (priority) cross join lateral (
    select ctid as place from message_queue where priority::int = p.priority and due_at <= now() order by due_at limit $1 for update skip locked) d
   limit $1
),
released as (
  update message_queue q set priority = ${duePriority("q.priority")} where q.ctid = any (array(select place from due)) returning q.priority
)
select count(*)::int as "count", coalesce(bool_or(priority = 0), false) as "isUrgent" from released`,
    values: [limit],
  });
  return row ?? { count: 0, isUrgent: false };
}

export interface QueueDepth {
  readonly waiting: number;
  readonly scheduled: number;
}

/**
 * How many messages wait. Reads the whole queue, so the caller rests the longer, the longer it
 * takes.
 */
export async function measureQueue(db: Queryable): Promise<QueueDepth> {
  const rows = await db.query<QueueDepth>({
    name: "measureQueue",
    text: `/* measureQueue */
select (count(*) filter (where due_at <= now()))::int as "waiting", (count(*) filter (where due_at > now()))::int as "scheduled"
  from message_queue`,
    values: [],
  });
  return rows[0] ?? { waiting: 0, scheduled: 0 };
}
