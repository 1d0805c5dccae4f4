// Statements on what may need a person: how long messages have been due, and templates that wait.
import type { Queryable } from "./database.ts";

export interface OldestWaiting {
  /** Of the one-time code that has been due longest; 0 if none is. */
  readonly codeSeconds: number;
  /** Of any other message. */
  readonly otherSeconds: number;
}

/**
 * Skips from lane to lane in the key of the queue: two index descents a lane, however many messages
 * wait.
 */
export async function measureOldestWaiting(db: Queryable): Promise<OldestWaiting> {
  const [row] = await db.query<OldestWaiting>({
    name: "measureOldestWaiting",
    text: `/* measureOldestWaiting */
with recursive lane as (
  (select route_id, priority, account_id, due_at from message_queue order by route_id, priority, account_id, due_at limit 1)
  union all
  (select n.route_id, n.priority, n.account_id, n.due_at from lane l cross join lateral (
     select q.route_id, q.priority, q.account_id, q.due_at from message_queue q
      where (q.route_id, q.priority, q.account_id) > (l.route_id, l.priority, l.account_id)
      order by q.route_id, q.priority, q.account_id, q.due_at limit 1) n)
)
select greatest(0, coalesce(extract(epoch from now() - min(due_at) filter (where priority = 0)), 0))::float8 as "codeSeconds",
       greatest(0, coalesce(extract(epoch from now() - min(due_at) filter (where priority > 0)), 0))::float8 as "otherSeconds"
  from lane`,
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

export async function countWaitingTemplates(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: "countWaitingTemplates",
    text: "/* countWaitingTemplates */ select count(*)::int as count from template where not approved and refused_reason is null",
    values: [],
  });
  return row?.count ?? 0;
}
