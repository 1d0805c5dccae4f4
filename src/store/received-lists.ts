// Statements behind the lists of messages received: newest first, each with a bounded number of
// rows. Texts are read only where they are asked for.
import type { Queryable } from "./database.ts";
import { preferIndexes } from "./transaction-settings.ts";

export interface ListedReceived {
  readonly id: string;
  readonly sequence: bigint;
  /** Null: no account has the line. */
  readonly account: string | null;
  readonly sender: string;
  readonly recipient: string;
  readonly receivedAt: Date;
  /** Whether all its parts came. */
  readonly complete: boolean;
  readonly connector: string | null;
  readonly content: string | null;
  /** The text is gone; an empty one may have come so. */
  readonly contentErased: boolean;
}

/** What a message must be like. Absent: anything. */
export interface ReceivedFilter {
  /** The subscriber. */
  readonly sender?: string | undefined;
  readonly line?: string | undefined;
  /** A part of the text, in capitals or not. */
  readonly text?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

export interface ReceivedSlice<Key> {
  readonly found: readonly ListedReceived[];
  /** Rows that were read. */
  readonly scanned: number;
  readonly oldest: { readonly key: Key; readonly at: Date } | undefined;
}

/** Messages at most, rows at most. */
export interface ReceivedLimits {
  readonly limit: number;
  readonly scan: number;
  readonly filter: ReceivedFilter;
}

const columns = `m.id, m.sequence, a.name as account, m.sender, m.recipient, m.received_at as "receivedAt", m.complete, m.content_erased as "contentErased",
       coalesce(c.name, 'connector ' || m.connector_id) as connector`;

const fits = `($1::text is null or m.sender = $1) and ($2::text is null or m.recipient = $2)
   and ($3::text is null or position(lower($3) in lower(m.content)) > 0)
   and ($4::timestamptz is null or m.received_at >= $4) and ($5::timestamptz is null or m.received_at < $5)`;

function firstValues({ limit, scan, filter }: ReceivedLimits): unknown[] {
  const { sender, line, text, from, to } = filter;
  return [...[sender, line, text, from, to].map((value) => value ?? null), limit, scan];
}

/**
 * Of one account (0: those that no account got), in the order of its sequence: those before the
 * given one.
 */
export async function walkReceivedOf(
  db: Queryable,
  account: { readonly accountId: number; readonly before: bigint; readonly withText: boolean },
  limits: ReceivedLimits,
): Promise<ReceivedSlice<bigint>> {
  const rows = await db.query<SliceRow<bigint>>({
    name: "walkReceivedOf",
    text: `/* walkReceivedOf */
with scanned as materialized (
  select m.sequence, m.received_at, ${fits} as fits from inbound_message m where m.account_id = $8 and m.sequence < $9 order by m.sequence desc limit $7),
found as materialized (select sequence from scanned where fits order by sequence desc limit $6),
whole as (select count(*)::int as scanned from scanned),
last as (select sequence as oldest, received_at as "oldestAt" from scanned order by sequence limit 1)
select whole.*, last.*, listed.*
  from whole left join last on true left join (
    select ${columns}, case when $10::boolean then m.content end as content
      from found f join inbound_message m on m.account_id = $8 and m.sequence = f.sequence
      left join account a on a.id = m.account_id left join connector c on c.id = m.connector_id) listed on true
 order by listed.sequence desc`,
    values: [...firstValues(limits), account.accountId, account.before, account.withText],
  });
  return sliceOf(rows);
}

/**
 * Of all accounts, and those that no account got: with ids from `from` up to but without `before`.
 * `scanned` = `scan`: there are more, and the bounds must be narrowed. Without texts. Call it in a
 * transaction: the planner would rather read everything.
 */
export async function walkReceivedOfAll(
  tx: Queryable,
  { from, before }: { readonly from: string; readonly before: string },
  limits: ReceivedLimits,
): Promise<ReceivedSlice<string>> {
  const preferring = preferIndexes(tx);
  const reading = tx.query<SliceRow<string>>({
    name: "walkReceivedOfAll",
    text: `/* walkReceivedOfAll */
with scanned as materialized (
  select m.account_id, m.sequence, m.id, m.received_at, ${fits} as fits from inbound_message m where m.id >= $8 and m.id < $9 limit $7),
found as materialized (select account_id, sequence from scanned where fits order by id desc limit $6),
whole as (select count(*)::int as scanned from scanned),
last as (select id as oldest, received_at as "oldestAt" from scanned order by id limit 1)
select whole.*, last.*, listed.*
  from whole left join last on true left join (
    select ${columns}, null as content
      from found f join inbound_message m on m.account_id = f.account_id and m.sequence = f.sequence
      left join account a on a.id = m.account_id left join connector c on c.id = m.connector_id) listed on true
 order by listed.id desc`,
    values: [...firstValues(limits), from, before],
  });
  const [, rows] = await Promise.all([preferring, reading]);
  return sliceOf(rows);
}

interface SliceRow<Key> extends Omit<ListedReceived, "id"> {
  readonly id: string | null;
  readonly scanned: number;
  readonly oldest: Key | null;
  readonly oldestAt: Date | null;
}

function sliceOf<Key>(rows: readonly SliceRow<Key>[]): ReceivedSlice<Key> {
  const { scanned = 0, oldest = null, oldestAt = null } = rows[0] ?? {};
  const found = rows.flatMap(({ id, ...row }) => (id === null ? [] : [{ ...row, id }]));
  return { found, scanned, oldest: oldest === null || oldestAt === null ? undefined : { key: oldest, at: oldestAt } };
}
