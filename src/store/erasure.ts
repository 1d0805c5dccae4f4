// Erases texts: of messages that ended long enough ago, in bounded steps, and of one person. A text
// that was erased is empty; the rest of the message stays.
import { firstOf, type Queryable } from "./database.ts";
import { preferIndexes } from "./transaction-settings.ts";
import { sendsCode } from "./sql-texts.ts";

/** Texts and codes that were sent, and what came in. */
export type TextKind = "text" | "code" | "received";

/** A range of the time in the ids: from the first (included) to the second (excluded). */
export interface IdRange {
  readonly from: string;
  readonly to: string;
}

export interface ErasureProgress {
  readonly doneUntil: Date;
  readonly now: Date;
}

/**
 * How far the kind is done, locked for the rest of the transaction. Undefined: another node is at
 * it.
 */
export async function lockErasure(
  tx: Queryable,
  { kind, startDays }: { kind: TextKind; startDays: number },
): Promise<ErasureProgress | undefined> {
  await tx.query(
    "startErasure",
    `insert into erasure (kind, done_until) select $1, date_trunc('hour', now() - make_interval(days => $2))
 where not exists (select from erasure where kind = $1) on conflict do nothing`,
    [kind, startDays],
  );
  return firstOf(
    tx.query<ErasureProgress>(
      "lockErasure",
      `select done_until as "doneUntil", now() as now from erasure where kind = $1 for update skip locked`,
      [kind],
    ),
  );
}

export async function moveErasure(tx: Queryable, kind: TextKind, doneUntil: Date): Promise<void> {
  await tx.query("moveErasure", "update erasure set done_until = $2 where kind = $1", [kind, doneUntil]);
}

export interface ErasedRange {
  /** Messages with a text that were looked at, at most as many as asked for. */
  readonly found: number;
  readonly erased: number;
  /** Texts that are due and are not erased yet: the range is to be erased again. */
  readonly due: number;
  /** Messages that keep their texts for now. */
  readonly left: number;
  /** When the first of them ended, if one has. */
  readonly firstEnd: Date | null;
}

/**
 * How many texts of one page are erased in one transaction. Each new row version needs room beside
 * the old one, which stays until the transaction ends. This many fit on a page (fillfactor 50).
 * More would move to other pages, which would change all indexes of the messages at random places.
 */
const textsOfPage = 5;

/** Where as many texts are found as may be looked at, there may be others. */
export interface BoundedRange extends IdRange {
  /** Undefined: all. */
  readonly most: number | undefined;
}

export interface SentRange extends BoundedRange {
  readonly isCode: boolean;
  readonly endedBy: Date;
}

/** Of messages that ended by then, at most a few of each page. */
export async function eraseSent(tx: Queryable, { from, to, isCode, endedBy, most }: SentRange): Promise<ErasedRange> {
  await preferIndexes(tx);
  const [row] = await tx.query<ErasedRange>(
    "eraseSent",
    `with found as materialized (
  select account_id, id, final_at, m.tableoid as week, (m.ctid::text::point)[0] as page from message m
   where id >= $1 and id < $2 and content <> '' and (${sendsCode}) = $3
   limit $5
),
due as materialized (
  select account_id, id, row_number() over (partition by week, page) as nth from found where final_at <= $4
),
erased as (
  update message m set content = '' from due d
   where d.nth <= ${textsOfPage} and m.account_id = d.account_id and m.id = d.id and m.id >= $1 and m.id < $2
  returning 1
),
kept as (select final_at from found where final_at is null or final_at > $4)
select (select count(*)::int from found) as found, (select count(*)::int from erased) as erased,
       (select count(*)::int from due where nth > ${textsOfPage}) as due, (select count(*)::int from kept) as left,
       (select min(final_at) from kept) as "firstEnd"`,
    [from, to, isCode, endedBy, most],
  );
  return row ?? { found: 0, erased: 0, due: 0, left: 0, firstEnd: null };
}

/** Of what came in. Returns how many. */
export async function eraseReceived(tx: Queryable, { from, to, most }: BoundedRange): Promise<number> {
  await preferIndexes(tx);
  const rows = await tx.query(
    "eraseReceived",
    `with found as materialized (
  select account_id, sequence from inbound_message where id >= $1 and id < $2 and not content_erased limit $3
)
update inbound_message m set content = '', content_erased = true from found f
 where m.account_id = f.account_id and m.sequence = f.sequence
returning 1`,
    [from, to, most],
  );
  return rows.length;
}

export interface LeftRange {
  readonly fromAt: Date;
  readonly toAt: Date;
}

/** A range that is to be looked at again. */
export function takeLeft(tx: Queryable, kind: TextKind): Promise<LeftRange | undefined> {
  return firstOf(
    tx.query<LeftRange>(
      "takeLeft",
      `delete from erasure_left l using (
  select from_at from erasure_left where kind = $1 and look_at <= now() order by from_at limit 1) first
 where l.kind = $1 and l.from_at = first.from_at
returning l.from_at as "fromAt", l.to_at as "toAt"`,
      [kind],
    ),
  );
}

export async function noteLeft(
  tx: Queryable,
  kind: TextKind,
  { fromAt, toAt, lookAt }: LeftRange & { readonly lookAt: Date },
): Promise<void> {
  await tx.query("noteLeft", `insert into erasure_left (kind, from_at, to_at, look_at) values ($1, $2, $3, $4)`, [
    kind,
    fromAt,
    toAt,
    lookAt,
  ]);
}
