// Statements on reports: counts of messages, parts and rials by day, line, operator and status.
// They are counted once, by id, some minutes after the acceptance; later changes of their status
// are noted by the statements that make them, and move them from one status to another. Whoever
// calls what changes a report holds the lock of the reports.
import { messageStatus, reasonCode } from "../sms/message-status.ts";
import { firstOf, onlyOf, type Queryable } from "./database.ts";
import { weekStart } from "./partitions.ts";
import { uuidv7Time } from "../platform/uuid.ts";
import {
  addToDelivery,
  carrierColumns,
  failureColumn,
  failureOfOpen,
  isWithdrawn,
  showsDelivery,
  timeColumn,
} from "./delivery-quality.ts";
import { timeOfId } from "./sql-texts.ts";

/** For the transaction. False: another node is at it. */
export async function tryLockReports(tx: Queryable): Promise<boolean> {
  // Without statistics of tables that grow from nothing the planner would rather read all messages.
  const [row] = await tx.query<{ locked: boolean }>(
    "tryLockReports",
    `select pg_try_advisory_xact_lock(hashtextextended('reports', 0)) as locked, set_config('enable_seqscan', 'off', true),
       set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`,
  );
  return row?.locked === true;
}

export interface ReportProgress {
  readonly timeZone: string;
  readonly notedUntil: string;
  readonly countedUntil: string;
  /** Since the announcement of `notedUntil`; Infinity before the first. */
  readonly announcedSeconds: number;
  /**
   * When the changes noted until then had been put into the reports; null before the first time.
   */
  readonly correctedAt: Date | null;
  readonly now: Date;
}

export async function readReportProgress(db: Queryable): Promise<ReportProgress> {
  return onlyOf(
    db.query<ReportProgress>(
      "readReportProgress",
      `select time_zone as "timeZone", noted_until as "notedUntil", counted_until as "countedUntil",
       case when isfinite(announced_at) then extract(epoch from now() - announced_at)::float8 else 'Infinity'::float8 end as "announcedSeconds",
       case when isfinite(corrected_at) then corrected_at end as "correctedAt", now()
  from report_progress`,
    ),
  );
}

/**
 * Messages accepted until then are counted, with what was known of them then; undefined before the
 * first count, which begins with a week.
 */
export function reportAsOf({ timeZone, countedUntil, correctedAt }: ReportProgress): Date | undefined {
  const counted = uuidv7Time(countedUntil);
  if (timeZone === "" || correctedAt === null || counted === weekStart(new Date(counted)).getTime()) return undefined;
  return new Date(Math.min(counted, correctedAt.getTime()));
}

/** Begins the reports again, at this id, for days of this time zone. */
export async function restartReports(
  tx: Queryable,
  { timeZone, from }: { readonly timeZone: string; readonly from: string },
): Promise<void> {
  await tx.query(
    "restartReports",
    `with days as (delete from report_day), deliveries as (delete from report_delivery), opened as (delete from report_open), changes as (delete from report_change)
update report_progress
   set time_zone = $1, counted_until = $2, noted_until = $2, announced_at = '-infinity', corrected_at = '-infinity'`,
    [timeZone, from],
  );
}

/** How far the reports come by a transaction; what is absent stays. */
export interface ReportsMove {
  /** From the commit on, changes of messages with lower ids are noted. */
  readonly notedUntil?: string;
  /** Nothing is to be counted up to this id. */
  readonly countedUntil?: string;
  /** All changes that were noted before the transaction began have been put into the reports. */
  readonly isCorrected?: boolean;
}

export async function moveReports(
  tx: Queryable,
  { notedUntil, countedUntil, isCorrected = false }: ReportsMove,
): Promise<void> {
  await tx.query(
    "moveReports",
    `update report_progress
   set noted_until = greatest(noted_until, $1::uuid), announced_at = case when $1 is null then announced_at else clock_timestamp() end,
       counted_until = greatest(counted_until, $2::uuid), corrected_at = case when $3 then now() else corrected_at end`,
    [notedUntil, countedUntil, isCorrected],
  );
}

/**
 * Whether a transaction that writes has begun before the last announcement, and so may not know of
 * it.
 */
export async function writersBeforeAnnouncement(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(
    "writersBeforeAnnouncement",
    `select exists (select from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and backend_xid is not null
                  and xact_start < (select announced_at from report_progress)) as found`,
  );
  return row?.found === true;
}

/**
 * The accounts that have messages or entries of the ledger with ids within a week; one index
 * descent each.
 */
export async function listCountedAccounts(
  tx: Queryable,
  [from, to]: readonly [from: string, to: string],
): Promise<readonly number[]> {
  const rows = await tx.query<{ id: number }>(
    "listCountedAccounts",
    `with recursive sender (id) as (
  (select account_id from message where id >= $1 and id < $2 order by account_id limit 1)
  union all
  select (select m.account_id from message m where m.account_id > s.id and m.id >= $1 and m.id < $2 order by m.account_id limit 1)
    from sender s where s.id is not null
),
payer (id) as (
  (select account_id from ledger_entry where id >= $1 and id < $2 order by account_id limit 1)
  union all
  select (select l.account_id from ledger_entry l where l.account_id > p.id and l.id >= $1 and l.id < $2 order by l.account_id limit 1)
    from payer p where p.id is not null
)
select id from sender where id is not null union select id from payer where id is not null`,
    [from, to],
  );
  return rows.map(({ id }) => id);
}

/**
 * The first message or entry of the ledger of these accounts from one id up to but without another;
 * undefined if there is none.
 */
export async function findNextCounted(
  tx: Queryable,
  { from, to, accountIds }: Pick<ReportStep, "from" | "to" | "accountIds">,
): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string }>(
    "findNextCounted",
    `select n.id from unnest($3::int[]) as a (id) cross join lateral (
  (select id from message where account_id = a.id and id >= $1 and id < $2 order by id limit 1)
  union all
  (select id from ledger_entry where account_id = a.id and id >= $1 and id < $2 order by id limit 1)) n
 order by n.id limit 1`,
    [from, to, accountIds],
  );
  return row?.id;
}

export interface ReportStep {
  /**
   * Ids from the first up to but without the second, within one day of the time zone and one week.
   */
  readonly from: string;
  readonly to: string;
  /** When the step begins. */
  readonly at: Date;
  readonly timeZone: string;
  readonly accountIds: readonly number[];
}

// What a message under this status may still become: a receipt or an answer may come later
// (message-status.ts).
const isOpen = `(m.status in (${messageStatus.waiting}, ${messageStatus.sent}) or (m.status = ${messageStatus.unsent} and m.reason = ${reasonCode.outcomeUnknown}))`;

/**
 * No receipt can reach it any more: receipts come within 10 days of the submission (receipts.ts).
 */
const isOver = `(status <> ${messageStatus.waiting} and since < now() - interval '11 days')`;

const addToDay = `on conflict (account_id, day, line, operator, status) do update
     set messages = r.messages + excluded.messages, withdrawn = r.withdrawn + excluded.withdrawn, parts = r.parts + excluded.parts, charged = r.charged + excluded.charged,
         refunded = r.refunded + excluded.refunded`;

/** Counts the messages and the refunds of a step, and returns how many. */
export async function countStep(tx: Queryable, step: ReportStep): Promise<number> {
  const [row] = await tx.query<{ counted: number }>(
    "countStep",
    `with seen as materialized (
  select m.account_id, m.id, m.status, m.reason, m.parts, m.cost, coalesce(m.final_at, m.sent_at, now()) as since,
         ${carrierColumns}, ${failureColumn}, ${timeColumn}, ${isWithdrawn}::int as withdrawn
    from unnest($5::int[]) as a (id) cross join lateral (
      select * from message where account_id = a.id and id >= $1 and id < $2) m
),
refund as materialized (
  select l.account_id, l.message_id, l.amount
    from unnest($5::int[]) as a (id) cross join lateral (
      select * from ledger_entry where account_id = a.id and id >= $1 and id < $2 and kind = 'refund') l
),
opened as (
  insert into report_open (account_id, message_id, status, since)
  select m.account_id, m.id, m.status, m.since from seen m where ${isOpen} and not ${isOver}
),
counted as (
  select account_id, ($3::timestamptz at time zone $4)::date as day, line, operator, status, count(*) as messages,
         sum(withdrawn) as withdrawn, sum(parts) as parts, sum(cost) as charged, 0::numeric as refunded
    from seen group by 1, 2, 3, 4, 5
  union all
  select f.account_id, (${timeOfId("m.id")} at time zone $4)::date, m.sender, m.operator, 4, 0, 0, 0, 0, sum(f.amount)
    from refund f join message m on m.account_id = f.account_id and m.id = f.message_id group by 1, 2, 3, 4
),
added as (
  insert into report_day as r (account_id, day, line, operator, status, messages, withdrawn, parts, charged, refunded)
  select account_id, day, line, operator, status, sum(messages), sum(withdrawn), sum(parts), sum(charged), sum(refunded) from counted
   group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
  ${addToDay}
),
measured as (select m.*, 1 as n from seen m where ${showsDelivery}),
delivery as (
  ${addToDelivery("measured")}
)
update report_progress set counted_until = $2 returning (select count(*)::int from seen) as counted`,
    [step.from, step.to, step.at, step.timeZone, step.accountIds],
  );
  return row?.counted ?? 0;
}

export interface Corrected {
  /** Notes taken; fewer than the limit: there are no more. */
  readonly notes: number;
  readonly moved: number;
}

/** Moves messages whose change was noted to the status that they have now. */
export async function correctReports(tx: Queryable, limit: number): Promise<Corrected> {
  const [row] = await tx.query<Corrected>(
    "correctReports",
    `with taken as (
  delete from report_change where id in (select id from report_change order by id limit $1) returning account_ids, message_ids
),
changed as materialized (
  select distinct u.account_id, u.message_id from taken cross join lateral unnest(taken.account_ids, taken.message_ids) as u (account_id, message_id)
),
moved as materialized (
  select o.account_id, o.message_id, (${timeOfId("m.id")} at time zone (select time_zone from report_progress))::date as day,
         o.status as before, m.status as after, m.parts, m.cost, ${isOpen} as still_open,
         ${carrierColumns}, ${failureColumn}, ${timeColumn}, ${showsDelivery} as shows_delivery, ${isWithdrawn}::int as withdrawn
    from changed c join report_open o using (account_id, message_id) join message m on m.account_id = o.account_id and m.id = o.message_id
   where m.status <> o.status
),
closed as (
  delete from report_open o using moved v where o.account_id = v.account_id and o.message_id = v.message_id and not v.still_open
),
kept as (
  update report_open o set status = v.after, since = now() from moved v where o.account_id = v.account_id and o.message_id = v.message_id and v.still_open
),
added as (
  insert into report_day as r (account_id, day, line, operator, status, messages, withdrawn, parts, charged, refunded)
  select account_id, day, line, operator, status, sum(n), coalesce(sum(withdrawn) filter (where n = 1), 0), sum(n * parts), sum(n * cost), 0
    from (select *, before as status, -1 as n from moved union all select *, after, 1 from moved) d
   group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
  ${addToDay}
),
measured as (
  select at, account_id, line, operator, connector_id, before as status, ${failureOfOpen("before")} as failure, null::int as time, -1 as n
    from moved where before <> ${messageStatus.waiting}
  union all
  select at, account_id, line, operator, connector_id, after, failure, time, 1 from moved where shows_delivery
),
delivery as (
  ${addToDelivery("measured")}
)
select (select count(*)::int from taken) as notes, (select count(*)::int from moved) as moved`,
    [limit],
  );
  return row ?? { notes: 0, moved: 0 };
}

/** An open message, in the order of their table. */
export interface OpenMessage {
  readonly accountId: number;
  readonly messageId: string;
}

export const beforeAllOpen: OpenMessage = { accountId: 0, messageId: "00000000-0000-0000-0000-000000000000" };

/**
 * Looks at open messages after this one, and drops those that no receipt can reach any more. Returns
 * the last one; undefined: there are no more.
 */
export function tendOpenMessages(
  tx: Queryable,
  { after, limit }: { readonly after: OpenMessage; readonly limit: number },
): Promise<OpenMessage | undefined> {
  return firstOf(
    tx.query<OpenMessage>(
      "tendOpenMessages",
      `with page as materialized (
  select o.account_id, o.message_id, o.status, o.is_over, m.status as now_status
    from (select *, ${isOver} as is_over from report_open where (account_id, message_id) > ($1::int, $2::uuid) order by account_id, message_id limit $3) o
    left join message m on m.account_id = o.account_id and m.id = o.message_id
),
dropped as (
  delete from report_open o using page p where o.account_id = p.account_id and o.message_id = p.message_id
     and (p.now_status is null or (p.now_status = p.status and p.is_over))
)
select account_id as "accountId", message_id as "messageId" from page order by account_id desc, message_id desc limit 1`,
      [after.accountId, after.messageId, limit],
    ),
  );
}

export const reportDimensions = ["day", "account", "line", "operator", "status"] as const;
export type ReportDimension = (typeof reportDimensions)[number];

export interface ReportFilter {
  /** Absent: all accounts. */
  readonly accountId?: number | undefined;
  /** Days such as 2026-11-22, both included. */
  readonly from: string;
  readonly to: string;
  readonly by: readonly ReportDimension[];
  readonly limit: number;
}

export interface ReportRow {
  readonly day: string | null;
  readonly account: string | null;
  readonly line: string | null;
  readonly operator: string | null;
  readonly status: number | null;
  readonly messages: bigint;
  readonly delivered: bigint;
  readonly undelivered: bigint;
  readonly unsent: bigint;
  readonly withdrawn: bigint;
  readonly parts: bigint;
  readonly charged: bigint;
  readonly refunded: bigint;
}

/** Sums by what is asked for; of other dimensions null. Newest days first. */
export function listReport(db: Queryable, { accountId, from, to, by, limit }: ReportFilter): Promise<ReportRow[]> {
  return db.query<ReportRow>(
    "listReport",
    `select day::text, account, line, operator, status, sum(messages)::bigint as messages,
       coalesce(sum(messages) filter (where state = ${messageStatus.delivered}), 0)::bigint as delivered,
       coalesce(sum(messages) filter (where state = ${messageStatus.undelivered}), 0)::bigint as undelivered,
       coalesce(sum(messages) filter (where state = ${messageStatus.unsent}), 0)::bigint as unsent,
       sum(withdrawn)::bigint as withdrawn, sum(parts)::bigint as parts, sum(charged)::bigint as charged, sum(refunded)::bigint as refunded
  from (select case when $4 then r.day end as day, case when $5 then coalesce(a.name, 'account ' || r.account_id) end as account,
               case when $6 then r.line end as line, case when $7 then r.operator end as operator, case when $8 then r.status end as status,
               r.status as state, r.messages, r.withdrawn, r.parts, r.charged, r.refunded
          from report_day r left join account a on a.id = r.account_id
         where r.day between $2::date and $3::date and ($1::int is null or r.account_id = $1)
           and (r.messages <> 0 or r.parts <> 0 or r.charged <> 0 or r.refunded <> 0)) every
 group by 1, 2, 3, 4, 5
 order by day desc nulls first, account, line, operator, status
 limit $9`,
    [accountId, from, to, ...reportDimensions.map((dimension) => by.includes(dimension)), limit],
  );
}
