// Reads messages by their ids, by batch, and by the number they went to.
import { latestUuidMs, uuidCeiling, uuidFloor, uuidv7Time } from "../platform/uuid.ts";
import type { FailureReason } from "../sms/failure-reason.ts";
import { codeOf, undefinedTable } from "./database-errors.ts";
import { firstOf, type Queryable, type Transactional } from "./database.ts";
import { listMessageParts, weekOfIds, weekStart } from "./partitions.ts";
import { idRange } from "./row-statement.ts";
import { refundedCost, statusCounts } from "./sql-texts.ts";
import { readAsOfNow } from "./transaction-settings.ts";

export interface StoredMessage {
  readonly id: string;
  readonly batchId: string;
  /** The line's number, as submitted. */
  readonly sender: string;
  /** 989… */
  readonly recipient: string;
  /** As the caller wrote it, if it differs. */
  readonly givenSender: string | null;
  readonly givenRecipient: string | null;
  readonly content: string;
  readonly language: "fa" | "en" | "other";
  readonly operator: string;
  readonly parts: number;
  readonly cost: bigint;
  readonly status: number;
  /** 1301…1310 */
  readonly reason: number | null;
  readonly reasonDetail: string | null;
  readonly failure: FailureReason | null;
  /** For a scheduled message. */
  readonly sendAt: Date | null;
  readonly sentAt: Date | null;
  readonly finalAt: Date | null;
}

const columns = `id, batch_id as "batchId", sender, recipient, given_sender as "givenSender", given_recipient as "givenRecipient",
       content, language, operator, parts, cost, status, reason, reason_detail as "reasonDetail", failure,
       send_at as "sendAt", sent_at as "sentAt", final_at as "finalAt"`;

/** The batch's messages in the order of the call; none when the account has no such batch. */
export async function findMessagesOfBatch(
  db: Queryable,
  { accountId, batchId }: { accountId: number; batchId: string },
): Promise<StoredMessage[]> {
  const acceptedMs = uuidv7Time(batchId);
  // The messages carry their batch's millisecond, so the primary key's range finds them in one
  // partition.
  return db.query<StoredMessage>(
    "findMessagesOfBatch",
    `select ${columns}
  from message
 where account_id = $1 and id between $2 and $3 and batch_id = $4
 order by id`,
    [accountId, uuidFloor(acceptedMs), uuidCeiling(acceptedMs), batchId],
  );
}

/** The account's messages among these lower-case ids, unordered. */
export async function findMessagesByIds(
  db: Queryable,
  { accountId, ids }: { accountId: number; ids: readonly string[] },
): Promise<StoredMessage[]> {
  return findMessagesOfAccounts(
    db,
    ids.map((messageId) => ({ accountId, messageId })),
  );
}

/** Messages of many accounts, unordered. */
export async function findMessagesOfAccounts(
  db: Queryable,
  messages: readonly { readonly accountId: number; readonly messageId: string }[],
): Promise<StoredMessage[]> {
  if (messages.length === 0) return [];
  const { leastId, greatestId } = idRange(messages);
  return db.query<StoredMessage>(
    "findMessagesOfAccounts",
    `select ${columns}
  from message
 where (account_id, id) in (select * from unnest($1::int[], $2::uuid[])) and id between $3 and $4`,
    [
      ...[messages.map(({ accountId }) => accountId), messages.map(({ messageId }) => messageId)],
      ...[leastId, greatestId],
    ],
  );
}

export interface BatchSummary {
  readonly account: string;
  readonly sendAt: Date | null;
  readonly messages: number;
  readonly waiting: number;
  readonly sent: number;
  readonly delivered: number;
  readonly undelivered: number;
  readonly unsent: number;
  readonly parts: number;
  /** Rials, before refunds. */
  readonly cost: bigint;
  readonly refunded: bigint;
}

/**
 * Undefined for a batch that is not there, or is not of this account; undefined: of any. Messages of
 * a batch carry its millisecond.
 */
export async function summarizeBatch(
  db: Queryable,
  { batchId, accountId }: { batchId: string; accountId: number | undefined },
): Promise<BatchSummary | undefined> {
  const ms = uuidv7Time(batchId);
  return firstOf(
    db.query<BatchSummary>(
      "summarizeBatch",
      `with recursive ${ownersBetween("$5", "$6")}
select coalesce(a.name, 'account ' || m.account_id) as account, min(m.send_at) as "sendAt", count(*)::int as messages,
       ${statusCounts}, sum(m.parts)::int as parts, sum(m.cost)::bigint as cost,
       ${refundedCost}
  from (select id from owner where $1::int is null union all select $1::int) whose
  join message m on m.account_id = whose.id left join account a on a.id = m.account_id
 where m.id between $3 and $4 and m.batch_id = $2
 group by m.account_id, a.name`,
      [accountId, batchId, uuidFloor(ms), uuidCeiling(ms), ...weekOf(batchId)],
    ),
  );
}

/** The text of one message, whosever it is. */
export async function findMessageText(
  db: Queryable,
  id: string,
): Promise<{ readonly account: string; readonly content: string } | undefined> {
  return firstOf(
    db.query<{ account: string; content: string }>(
      "findMessageText",
      `with recursive ${ownersBetween("$2", "$3")}
select coalesce(a.name, 'account ' || m.account_id) as account, m.content
  from owner o join message m on m.account_id = o.id and m.id = $1 left join account a on a.id = m.account_id`,
      [id, ...weekOf(id)],
    ),
  );
}

/** Ids from `from` up to but without `before`, and where their rows lie. */
export interface TimeRange {
  readonly from: string;
  readonly before: string;
  /** Partitions of `message`. */
  readonly parts: readonly string[];
}

export interface RangeBounds {
  /** Since 1970. */
  readonly fromMs: number;
  /** An id. */
  readonly before: string;
}

/** One for each week, the newest first: the first has all that lies ahead, the last all before. */
export async function listRanges(db: Queryable, { fromMs, before }: RangeBounds): Promise<readonly TimeRange[]> {
  const { weeks, others } = await listMessageParts(db);
  const ahead = weeks.filter(({ monday }) => monday.getTime() > Date.now());
  const present = weeks.slice(ahead.length);
  const ranges: TimeRange[] = [];
  let end = before;
  let parts = [...ahead.map(({ name }) => name), ...others];
  for (const { monday, name } of [...present, { monday: new Date(0), name: undefined }]) {
    const week = monday.getTime();
    const from = uuidFloor(Math.max(week, fromMs));
    if (name !== undefined) parts.push(name);
    if (from < end) ranges.push({ from, before: end, parts });
    if (week <= fromMs) break;
    if (from < end) end = from;
    parts = [...others];
  }
  return ranges;
}

const tries = 3;

/**
 * Lists ranges and reads them as of one instant, so that rows that a new week takes from the
 * default partition meanwhile are found where they were. A week that was listed may be dropped
 * before it is read: then all of it is done again.
 */
export async function readRanges<T>(
  db: Transactional,
  bounds: RangeBounds,
  read: (tx: Queryable, ranges: readonly TimeRange[]) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction(async (tx) => {
        await readAsOfNow(tx);
        const ranges = await listRanges(tx, bounds);
        return read(tx, ranges);
      });
    } catch (error) {
      if (attempt === tries || codeOf(error) !== undefinedTable) throw error;
    }
  }
}

export interface PagesAsked<Message> {
  /** Since 1970. */
  readonly fromMs: number;
  readonly limit: number;
  /** Those of a range, the newest first, up to the limit. */
  readonly read: (tx: Queryable, range: TimeRange, limit: number) => Promise<readonly Message[]>;
  readonly idOf: (message: Message) => string;
}

/**
 * Week by week, from the newest one. The walk may take long, so each page looks again which
 * partitions there are.
 */
export async function* walkPages<Message>(
  db: Transactional,
  { fromMs, limit, read, idOf }: PagesAsked<Message>,
): AsyncGenerator<{ readonly range: TimeRange; readonly page: readonly Message[] }> {
  for (let before = uuidCeiling(latestUuidMs); ;) {
    const found = await readRanges(db, { fromMs, before }, async (tx, [range]) =>
      range === undefined ? undefined : { range, page: await read(tx, range, limit) },
    );
    if (found === undefined) return;
    yield found;
    const last = found.page[limit - 1];
    before = last === undefined ? found.range.from : idOf(last);
  }
}

/** Placeholders of a statement, such as `$1`. */
interface Asked {
  readonly recipient: string;
  readonly from: string;
  readonly before: string;
  /** Whose value may be null: of any account. */
  readonly accountId?: string;
}

/**
 * SQL for a range's messages to a number: a source of rows `m`. Call the statement in a
 * transaction that prefers indexes, and without a name: its text depends on the parts.
 */
export function messagesTo({ parts }: TimeRange, { recipient, from, before, accountId }: Asked): string {
  const others = [`(id >= ${from}) is true`, `(id < ${before}) is true`];
  if (accountId !== undefined) others.push(`(account_id = ${accountId}) is not false`);
  const rows = parts.map((part) => `select * from ${part} where recipient = ${recipient} and ${others.join(" and ")}`);
  return `(${rows.join(" union all ")}) m`;
}

/**
 * `owner (id)` for a statement `with recursive`: who has messages of these ids, removed accounts
 * included, whose messages stay, and one null. One index descent per account.
 */
export function ownersBetween(first: string, end: string): string {
  return `owner (id) as (
  (select account_id from message where id >= ${first} and id < ${end} order by account_id limit 1)
  union all
  select (select m.account_id from message m where m.account_id > o.id and m.id >= ${first} and m.id < ${end} order by m.account_id limit 1)
    from owner o where o.id is not null
)`;
}

/** The ids of the week of this id, as a statement's values. */
export function weekOf(id: string): readonly [string, string] {
  return weekOfIds(weekStart(new Date(uuidv7Time(id))));
}
