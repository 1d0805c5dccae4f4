// What accounts with limits have used: messages of the day, cost of the month, and the texts of a
// short time ago. Read and written under the lock of the account's balance. Refunds count, too
// (outcomes.ts). And how many calls each process gets of them now: rows that are replaced each second.
import { eventTypeNumber } from "../sms/event-types.ts";
import { formatRials } from "../sms/money.ts";
import { messageStatus } from "../sms/message-status.ts";
import type { DayAndMonth } from "../sms/account-limits.ts";
import { uuidFloor, uuidv7 } from "../platform/uuid.ts";
import { firstOf, type Queryable } from "./database.ts";
import { writeOwnEvents } from "./sql-texts.ts";
import {
  bool,
  float8,
  hexBytea,
  int4,
  int8,
  json,
  rows,
  rowStatement,
  single,
  timestamptz,
  uuid,
} from "./row-statement.ts";

/** What an account has used, as far as it is counted. */
export interface UsageRow {
  readonly accountId: number;
  /** By the database's clock. */
  readonly now: Date;
  /** Whether the account has a row; without one, or where a time is null, nothing is counted. */
  readonly isKnown: boolean;
  readonly dayFrom: Date | null;
  readonly dayUntil: Date | null;
  readonly monthFrom: Date | null;
  readonly monthUntil: Date | null;
  readonly messages: bigint | null;
  readonly cost: bigint | null;
  /** The event credit.low was made, and no credit has ended that yet. */
  readonly lowTold: boolean | null;
  /** Credit was booked since. */
  readonly creditBooked: boolean | null;
  /** Those of the given hashes whose text was accepted within the time. */
  readonly recent: readonly Buffer[];
}

/** A text of a call, in hexadecimal digits of its hash. */
interface TextOfAccount {
  readonly accountId: number;
  readonly hash: string;
}

export const readUsageStatement = rowStatement(
  "readUsage",
  {
    account: rows<{ readonly accountId: number; readonly duplicateSeconds: number }>({
      account_id: int4("accountId"),
      duplicate_seconds: int4("duplicateSeconds"),
    }),
    text: rows<TextOfAccount>({
      account_id: int4("accountId"),
      hash: hexBytea("hash"),
    }),
  },
  ({
    account,
    text,
  }) => `select a.account_id as "accountId", clock_timestamp() as now, u.account_id is not null as "isKnown",
       u.day_from as "dayFrom", u.day_until as "dayUntil", u.month_from as "monthFrom", u.month_until as "monthUntil",
       u.messages, u.cost, u.low_told as "lowTold", u.credit_booked as "creditBooked",
       array(select r.hash from ${text.as("t")} join recent_text r using (account_id, hash)
              where t.account_id = a.account_id
                and r.accepted_at > statement_timestamp() - make_interval(secs => a.duplicate_seconds)
                and exists (select from message m where m.account_id = r.account_id and m.id = r.message_id and m.status <> ${messageStatus.unsent})) as recent
  from ${account.as("a")} left join account_usage u using (account_id)`,
);

/** To be called when the balances are locked: a statement sees what was committed before it began. */
export async function readUsage(
  tx: Queryable,
  accounts: readonly { readonly accountId: number; readonly duplicateSeconds: number }[],
  texts: readonly TextOfAccount[],
): Promise<readonly UsageRow[]> {
  return tx.query<UsageRow>(readUsageStatement.with({ account: accounts, text: texts }));
}

/** What an account has used with the calls that are being stored. */
export interface UsageToSave {
  readonly accountId: number;
  /** Absent: the account has no ceiling, so nothing is counted. */
  readonly periods: DayAndMonth | undefined;
  readonly messages: bigint;
  readonly cost: bigint;
  /** The charges take the balance below `lowCredit` for the first time: both in rials. */
  readonly low: { readonly balance: bigint; readonly lowCredit: bigint } | undefined;
}

export interface TextToSave extends TextOfAccount {
  readonly messageId: string;
}

export const saveUsageStatement = rowStatement(
  "saveUsage",
  {
    usage: rows<UsageToSave>({
      account_id: int4("accountId"),
      day_from: timestamptz(({ periods }) => periods?.day.from),
      day_until: timestamptz(({ periods }) => periods?.day.until),
      month_from: timestamptz(({ periods }) => periods?.month.from),
      month_until: timestamptz(({ periods }) => periods?.month.until),
      messages: int8("messages"),
      cost: int8("cost"),
      is_low: bool(({ low }) => low !== undefined),
      event_id: uuid(() => uuidv7()),
      detail: json(({ low }) => low && lowCreditDetail(low)),
    }),
    text: rows<TextToSave>({
      account_id: int4("accountId"),
      hash: hexBytea("hash"),
      message_id: uuid("messageId"),
    }),
  },
  ({ usage, text }) => `with usage as materialized (
  select * from ${usage.as("u")}
),
low as materialized (
  select account_id, event_id as subject_id, ${eventTypeNumber("credit.low")}::smallint as type, detail from usage where is_low
),
${writeOwnEvents("low")},
noted as (
  insert into recent_text (account_id, hash, message_id, accepted_at)
  select account_id, hash, message_id, statement_timestamp() from ${text.as("t")}
  on conflict (account_id, hash) do update set message_id = excluded.message_id, accepted_at = excluded.accepted_at
)
update account_usage u
   set day_from = g.day_from, day_until = g.day_until, month_from = g.month_from, month_until = g.month_until,
       messages = g.messages, cost = g.cost, low_told = u.low_told or g.is_low, credit_booked = u.credit_booked and not g.is_low
  from usage g where g.account_id = u.account_id`,
);

function lowCreditDetail({ balance, lowCredit }: NonNullable<UsageToSave["low"]>): string {
  return JSON.stringify({ balance: formatRials(balance), currency: "IRR", lowCredit: formatRials(lowCredit) });
}

/** In the transaction that has locked the balances, read the usage and stored the calls. */
export async function saveUsage(
  tx: Queryable,
  usage: readonly UsageToSave[],
  texts: readonly TextToSave[],
): Promise<void> {
  await tx.query(saveUsageStatement.with({ usage, text: texts }));
}

/**
 * Counts what the account has used of day and month so far, from its messages and its ledger.
 * Without periods it only makes the account's row. In a transaction that has locked the balance,
 * so that nothing is charged or refunded meanwhile.
 */
export async function beginCounting(tx: Queryable, accountId: number, periods: DayAndMonth | undefined): Promise<void> {
  await tx.query(
    "beginCounting",
    `insert into account_usage as u (account_id, day_from, day_until, month_from, month_until, messages, cost)
select $1::int, $2::timestamptz, $3::timestamptz, $4::timestamptz, $5::timestamptz,
       (select count(*) from message where account_id = $1 and id >= $6::uuid),
       (select coalesce(-sum(amount), 0)::bigint from ledger_entry
         where account_id = $1 and id >= $7::uuid and (kind = 'charge' or kind = 'refund' and message_id >= $7))
on conflict (account_id) do update
   set day_from = excluded.day_from, day_until = excluded.day_until, month_from = excluded.month_from,
       month_until = excluded.month_until, messages = excluded.messages, cost = excluded.cost
 where excluded.day_from is not null`,
    [
      accountId,
      periods?.day.from,
      periods?.day.until,
      periods?.month.from,
      periods?.month.until,
      periods && uuidFloor(periods.day.from.getTime()),
      periods && uuidFloor(periods.month.from.getTime()),
    ],
  );
}

/**
 * Ends the counting for accounts that have no ceiling. What they send from then on is not counted.
 * If they get a ceiling again, counting must start anew, so call this before. It locks the balances
 * first, in the order in which accepting locks them, together with those of the accounts named in
 * `changing`, which the caller is about to change.
 */
export async function endCounting(tx: Queryable, changing: readonly string[] = []): Promise<void> {
  await tx.query(
    "endCounting",
    `with locked as materialized (
  select b.account_id, a.daily_messages = 0 and a.monthly_cost = 0 as ends
    from account_balance b join account a on a.id = b.account_id left join account_usage u using (account_id)
   where a.daily_messages = 0 and a.monthly_cost = 0 and u.day_from is not null or a.name = any ($1::text[])
   order by b.account_id for update of b)
update account_usage u set day_from = null, day_until = null, month_from = null, month_until = null, messages = 0, cost = 0
  from locked where locked.account_id = u.account_id and locked.ends and u.day_from is not null`,
    [changing],
  );
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
export function dropOldTexts(
  db: Queryable,
  { after, limit }: { readonly after: TextPlace; readonly limit: number },
): Promise<TextPlace | undefined> {
  return firstOf(
    db.query<TextPlace>(
      "dropOldTexts",
      `with page as materialized (
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
      [after.accountId, after.hash, limit],
    ),
  );
}

export interface AccountDemand {
  readonly accountId: number;
  /** Calls. */
  readonly perSecond: number;
}

export interface DemandOfProcess {
  readonly processId: string;
  readonly demands: readonly AccountDemand[];
}

/** Calls a second. */
export interface KnownDemand {
  readonly accountId: number;
  readonly own: number;
  readonly others: number;
  readonly otherGateways: number;
}

/** After that a process that says nothing more counts for nothing. */
const freshSeconds = 3;
const keptSeconds = 60;

export const tellRateDemandStatement = rowStatement(
  "reportRateDemand",
  {
    processId: single<string>(),
    demand: rows<AccountDemand>({
      account_id: int4("accountId"),
      per_second: float8("perSecond"),
    }),
  },
  ({ processId, demand }) => `with given as materialized (
  select * from ${demand.as("g")}
),
told as (
  insert into rate_demand (account_id, process_id, per_second, told_at)
  select account_id, ${processId}::uuid, per_second, now() from given order by account_id
  on conflict (account_id, process_id) do update set per_second = excluded.per_second, told_at = excluded.told_at
),
gone as (
  delete from rate_demand r
   where (r.process_id = ${processId}::uuid and not exists (select from given g where g.account_id = r.account_id))
      or r.told_at < now() - interval '${keptSeconds} seconds'
)
select g.account_id as "accountId",
       g.per_second as own, coalesce(sum(r.per_second), 0)::float8 as others, count(r.process_id)::int as "otherGateways"
  from given g
  left join rate_demand r on r.account_id = g.account_id and r.process_id <> ${processId}::uuid
                         and r.told_at > now() - interval '${freshSeconds} seconds'
 group by g.account_id, g.per_second`,
);

/** Replaces what the process told before, and answers what all know of the same accounts. */
export function reportRateDemand(
  db: Queryable,
  { processId, demands }: DemandOfProcess,
): Promise<readonly KnownDemand[]> {
  return db.query<KnownDemand>(tellRateDemandStatement.with({ processId, demand: demands }));
}
