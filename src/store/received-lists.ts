// Reads the messages that subscribers sent. Lists are newest first, each with a bounded number of rows,
// and texts are read only where they are asked for. A message's sequence is its place in the order of
// commits, so a reader who has seen n never meets a new one at or below n.
import { composed, type Queryable } from "./database.ts";
import { preferIndexes } from "./transaction-settings.ts";
import { conditions } from "./row-statement.ts";

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

interface SliceAsked {
  /** Of what is read, and in which order. */
  readonly where: string;
  /** By which what is found is ordered. */
  readonly key: "sequence" | "id";
  readonly withText: boolean;
  readonly values: unknown[];
}

async function readSlice<Key>(
  db: Queryable,
  { where, key, withText, values }: SliceAsked,
  { limit, scan, filter: { sender, line, text, from, to } }: ReceivedLimits,
): Promise<ReceivedSlice<Key>> {
  const fits = conditions(
    {
      "m.sender = ?": sender,
      "m.recipient = ?": line,
      "position(lower(?) in lower(m.content)) > 0": text,
      "m.received_at >= ?": from,
      "m.received_at < ?": to,
    },
    values,
  );
  const rows = await db.query<SliceRow<Key>>(
    composed(
      "walkReceived",
      `with scanned as materialized (
  select m.account_id, m.sequence, m.id, m.received_at, ${fits.text} as fits from inbound_message m where ${where} limit ${fits.value(scan)}),
found as materialized (select account_id, sequence from scanned where fits order by ${key} desc limit ${fits.value(limit)}),
whole as (select count(*)::int as scanned from scanned),
last as (select ${key} as oldest, received_at as "oldestAt" from scanned order by ${key} limit 1)
select whole.*, last.*, listed.*
  from whole left join last on true left join (
    select m.id, m.sequence, a.name as account, m.sender, m.recipient, m.received_at as "receivedAt", m.complete, m.content_erased as "contentErased",
           coalesce(c.name, 'connector ' || m.connector_id) as connector, ${withText ? "m.content" : "null"} as content
      from found f join inbound_message m on m.account_id = f.account_id and m.sequence = f.sequence
      left join account a on a.id = m.account_id left join configured_object c on c.id = m.connector_id) listed on true
 order by listed.${key} desc`,
      values,
    ),
  );
  const { scanned = 0, oldest = null, oldestAt = null } = rows[0] ?? {};
  const found = rows.flatMap(({ id, ...row }) => (id === null ? [] : [{ ...row, id }]));
  return { found, scanned, oldest: oldest === null || oldestAt === null ? undefined : { key: oldest, at: oldestAt } };
}

/**
 * Of one account (0: those that no account got), in the order of its sequence: those before the
 * given one.
 */
export function walkReceivedOf(
  db: Queryable,
  { accountId, before, withText }: { readonly accountId: number; readonly before: bigint; readonly withText: boolean },
  limits: ReceivedLimits,
): Promise<ReceivedSlice<bigint>> {
  const { text, values } = conditions({ "m.account_id = ?": accountId, "m.sequence < ?": before });
  return readSlice(db, { where: `${text} order by m.sequence desc`, key: "sequence", withText, values }, limits);
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
  const { text: where, values } = conditions({ "m.id >= ?": from, "m.id < ?": before });
  await preferIndexes(tx);
  const slice = await readSlice<string>(tx, { where, key: "id", withText: false, values }, limits);
  return slice;
}

interface SliceRow<Key> extends Omit<ListedReceived, "id"> {
  readonly id: string | null;
  readonly scanned: number;
  readonly oldest: Key | null;
  readonly oldestAt: Date | null;
}

export interface ReceivedMessage {
  readonly sequence: bigint;
  readonly id: string;
  /** 989…, or the text that the network sent. */
  readonly sender: string;
  /** The line's short form. */
  readonly recipient: string;
  readonly content: string;
  readonly receivedAt: Date;
  /** The text is gone; an empty one may have come so. */
  readonly contentErased: boolean;
}

const columns = `sequence, id, sender, recipient, content, received_at as "receivedAt", content_erased as "contentErased"`;

/** Oldest first, after the given sequence; without one the newest, newest first. */
export function listReceivedMessages(
  db: Queryable,
  { accountId, after, count }: { accountId: number; after?: bigint; count: number },
): Promise<ReceivedMessage[]> {
  const where = conditions({ "account_id = ?": accountId, "sequence > ?": after });
  return db.query<ReceivedMessage>(
    after === undefined ? "listNewestReceived" : "listReceivedAfter",
    `select ${columns} from inbound_message where ${where.text}
 order by sequence ${after === undefined ? "desc" : ""} limit ${where.value(count)}`,
    where.values,
  );
}

/** Messages of many accounts, unordered. */
export async function findReceivedMessages(
  db: Queryable,
  messages: readonly { readonly accountId: number; readonly messageId: string }[],
): Promise<ReceivedMessage[]> {
  if (messages.length === 0) return [];
  return db.query<ReceivedMessage>(
    "findReceivedMessages",
    `select ${columns}
  from inbound_message
 where id = any ($2::uuid[]) and (account_id, id) in (select * from unnest($1::int[], $2::uuid[]))`,
    [messages.map(({ accountId }) => accountId), messages.map(({ messageId }) => messageId)],
  );
}
