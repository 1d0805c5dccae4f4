// What accounts with limits have used: messages of the day, cost of the month, and the texts of a
// short time ago. The accepting statement counts (accept-limited-calls.ts), and refunds do
// (outcomes.ts); this file reads, begins and ends the counting.
import { messageStatus } from "../sms/message-status.ts";
import type { DayAndMonth } from "../sms/calendar-periods.ts";
import { uuidFloor } from "../platform/uuid.ts";
import type { Queryable } from "./database.ts";
import { hexBytea, rows, rowStatement, single } from "./row-statement.ts";

/** What an account has used, as far as it is counted. */
export interface UsageRow {
  /** By the database's clock. */
  readonly now: Date;
  readonly balance: bigint;
  readonly unlimited: boolean;
  /** Null: the account has no row. */
  readonly usageOf: number | null;
  /** Null: not counted. */
  readonly dayFrom: Date | null;
  readonly dayUntil: Date | null;
  readonly monthFrom: Date | null;
  readonly monthUntil: Date | null;
  readonly messages: bigint | null;
  readonly cost: bigint | null;
  /** Those of the given hashes whose text was accepted within the time. */
  readonly recent: readonly Buffer[];
}

export const readUsageStatement = rowStatement(
  "readUsage",
  {
    accountId: single<number>(),
    text: rows<string>({ hash: hexBytea((hash) => hash) }),
    duplicateSeconds: single<number>(),
  },
  ({ accountId, text, duplicateSeconds }) => `select clock_timestamp() as now, b.balance, b.unlimited,
       u.account_id as "usageOf", u.day_from as "dayFrom", u.day_until as "dayUntil", u.month_from as "monthFrom",
       u.month_until as "monthUntil", u.messages, u.cost,
       array(select r.hash from recent_text r
              where r.account_id = b.account_id and r.hash = any (${text.array("hash")})
                and r.accepted_at > statement_timestamp() - make_interval(secs => ${duplicateSeconds}::int)
                and exists (select from message m where m.account_id = r.account_id and m.id = r.message_id and m.status <> ${messageStatus.unsent})) as recent
  from account_balance b left join account_usage u using (account_id)
 where b.account_id = ${accountId}`,
);

export async function readUsage(
  db: Queryable,
  given: { readonly accountId: number; readonly text: readonly string[]; readonly duplicateSeconds: number },
): Promise<UsageRow | undefined> {
  const [row] = await db.query<UsageRow>(readUsageStatement.with(given));
  return row;
}

/**
 * Counts what the account has used of day and month so far, from its messages and its ledger.
 * Without periods it only makes the account's row. In a transaction that has locked the balance,
 * so that nothing is charged or refunded meanwhile.
 */
export async function beginCounting(tx: Queryable, accountId: number, periods: DayAndMonth | undefined): Promise<void> {
  await tx.query({
    name: "beginCounting",
    text: `/* beginCounting */
insert into account_usage as u (account_id, day_from, day_until, month_from, month_until, messages, cost)
select $1::int, $2::timestamptz, $3::timestamptz, $4::timestamptz, $5::timestamptz,
       (select count(*) from message where account_id = $1 and id >= $6::uuid),
       (select coalesce(-sum(amount), 0)::bigint from ledger_entry
         where account_id = $1 and id >= $7::uuid and (kind = 'charge' or kind = 'refund' and message_id >= $7))
on conflict (account_id) do update
   set day_from = excluded.day_from, day_until = excluded.day_until, month_from = excluded.month_from,
       month_until = excluded.month_until, messages = excluded.messages, cost = excluded.cost
 where excluded.day_from is not null`,
    values: [
      accountId,
      periods?.day.from ?? null,
      periods?.day.until ?? null,
      periods?.month.from ?? null,
      periods?.month.until ?? null,
      periods && uuidFloor(periods.day.from.getTime()),
      periods && uuidFloor(periods.month.from.getTime()),
    ],
  });
}

/**
 * Ends the counting for accounts that have no ceiling. What they send from then on is not counted.
 * If they get a ceiling again, counting must start anew, so call this before. It locks the balances
 * first, in the order in which accepting locks them, together with those of the accounts named in
 * `changing`, which the caller is about to change.
 */
export async function endCounting(tx: Queryable, changing: readonly string[] = []): Promise<void> {
  await tx.query({
    name: "endCounting",
    text: `/* endCounting */
with locked as materialized (
  select b.account_id, a.daily_messages = 0 and a.monthly_cost = 0 as ends
    from account_balance b join account a on a.id = b.account_id left join account_usage u using (account_id)
   where a.daily_messages = 0 and a.monthly_cost = 0 and u.day_from is not null or a.name = any ($1::text[])
   order by b.account_id for update of b)
update account_usage u set day_from = null, day_until = null, month_from = null, month_until = null, messages = 0, cost = 0
  from locked where locked.account_id = u.account_id and locked.ends and u.day_from is not null`,
    values: [changing],
  });
}

/** A place in the order of the key of recent_text. */
export interface TextPlace {
  readonly accountId: number;
  readonly hash: Buffer;
}

export const firstText: TextPlace = { accountId: 0, hash: Buffer.alloc(0) };

/**
 * Deletes, among the `limit` texts after a place, those that their account has no guard for.
 * Returns where to go on; undefined at the end. Never waits for a row in use.
 */
export async function dropOldTexts(
  db: Queryable,
  { after, limit }: { readonly after: TextPlace; readonly limit: number },
): Promise<TextPlace | undefined> {
  const [row] = await db.query<TextPlace>({
    name: "dropOldTexts",
    text: `/* dropOldTexts */
with page as materialized (
  select ctid, account_id, hash, accepted_at from recent_text
   where (account_id, hash) > ($1::int, $2::bytea) order by account_id, hash limit $3
),
old as materialized (
  select p.ctid from page p left join account a on a.id = p.account_id
   where p.accepted_at <= statement_timestamp() - make_interval(secs => coalesce(a.duplicate_seconds, 0))
),
dropped as (
  delete from recent_text where ctid = any (array(
    select r.ctid from recent_text r where r.ctid = any (array(select ctid from old)) for update skip locked))
)
select account_id as "accountId", hash from page order by account_id, hash offset $3 - 1`,
    values: [after.accountId, after.hash, limit],
  });
  return row;
}
