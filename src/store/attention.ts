// Statements on what may need a person: how long messages have been due, and what waits for
// a decision.
import type { Queryable } from "./database.ts";
import { duePriority } from "./queue-priority.ts";

export interface OldestWaiting {
  /** Of the one-time code that has been due longest; 0 if none is. */
  readonly codeSeconds: number;
  /** Of any other message. */
  readonly otherSeconds: number;
}

/**
 * Reads the first of each priority in an index: 16 rows, however many messages and accounts wait.
 */
export async function measureOldestWaiting(db: Queryable): Promise<OldestWaiting> {
  const [row] = await db.query<OldestWaiting>({
    name: "measureOldestWaiting",
    text: `/* measureOldestWaiting */
with first as (
  select ${duePriority("p.priority")} as priority, q.due_at from generate_series(0, 15) as p (priority) cross join lateral (
    select due_at from message_queue where priority::int = p.priority order by due_at limit 1) q
)
select greatest(0, coalesce(extract(epoch from now() - min(due_at) filter (where priority = 0)), 0))::float8 as "codeSeconds",
       greatest(0, coalesce(extract(epoch from now() - min(due_at) filter (where priority > 0)), 0))::float8 as "otherSeconds"
  from first`,
    values: [],
  });
  return row ?? { codeSeconds: 0, otherSeconds: 0 };
}

/** Accounts whose balance is below what staff want to be told of; at most so many. */
export function listLowCredit(
  db: Queryable,
  limit: number,
): Promise<{ readonly account: string; readonly balance: bigint }[]> {
  return db.query({
    name: "listLowCredit",
    text: `/* listLowCredit */
select a.name as account, b.balance
  from account a join account_balance b on b.account_id = a.id
 where a.low_credit > 0 and not b.unlimited and b.balance < a.low_credit
 order by b.balance, a.name limit $1`,
    values: [limit],
  });
}

const countable = {
  administrators: "person where role = 'administrator' and enabled",
  messagesInReview: "review",
  templatesToDecide: "template where not approved and refused_reason is null",
  webhookRetries: "webhook_retry",
};

/** How many there are, but no more than `most`. */
export async function countRows(db: Queryable, kind: keyof typeof countable, most = 1_000_000): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: `count_${kind}`,
    text: `/* count_${kind} */ select count(*)::int as count from (select from ${countable[kind]} limit $1) counted`,
    values: [most],
  });
  return row?.count ?? 0;
}
