// Statements behind the lists of messages sent: newest first, each with a bounded number of rows.
// Texts are read only where they are asked for. Filters on columns that change have no index; the
// walk back in time reads the rows and leaves out what does not fit.
import type { FailureKind, FailureReason } from "../sms/failure-reason.ts";
import { type MessageStatus, messageStatus, reasonCode, type ReasonCode } from "../sms/message-status.ts";
import { uuidCeiling, uuidFloor, uuidv7Time } from "../platform/uuid.ts";
import { composed, type Queryable } from "./database.ts";
import { messagesTo, ownersBetween, type TimeRange, weekOf } from "./message-reads.ts";
import { preferIndexes, preferIndexOrder } from "./transaction-settings.ts";
import { type Conditions, conditions } from "./row-statement.ts";

export interface ListedMessage {
  readonly id: string;
  readonly batchId: string;
  readonly account: string;
  readonly sender: string;
  /** 989… */
  readonly recipient: string;
  readonly operator: string;
  readonly language: string;
  readonly parts: number;
  readonly cost: bigint;
  readonly templateId: string | null;
  readonly status: MessageStatus;
  readonly reason: ReasonCode | null;
  readonly reasonDetail: string | null;
  readonly failure: FailureReason | null;
  readonly sendAt: Date | null;
  readonly sentAt: Date | null;
  readonly finalAt: Date | null;
  /** Null where it was not asked for. */
  readonly content: string | null;
}

/** What a message must be like. Absent: anything. */
export interface MessageFilter {
  /** The sender's number. */
  readonly line?: string | undefined;
  readonly operator?: string | undefined;
  readonly template?: string | undefined;
  readonly status?: MessageStatus | undefined;
  readonly failureKind?: FailureKind | undefined;
  /** Whether it was submitted and never answered, and is not known to have been taken. */
  readonly isOpen?: boolean | undefined;
  /** A part of the text, in capitals or not. */
  readonly text?: string | undefined;
}

export interface MessageBounds {
  /** Ids from `from` up to but without `before`. */
  readonly from: string;
  readonly before: string;
  /** Messages at most. */
  readonly limit: number;
  readonly withText: boolean;
  readonly filter: MessageFilter;
}

/** A range of time that was read. */
export interface MessageSlice {
  readonly found: readonly ListedMessage[];
  /** Rows that were read. */
  readonly scanned: number;
  /** The oldest id that was read. */
  readonly oldest: string | undefined;
}

function columns(withText: boolean): string {
  return `m.id, m.batch_id as "batchId", coalesce(a.name, 'account ' || m.account_id) as account, m.sender, m.recipient, m.operator,
       m.language, m.parts, m.cost, m.template_id as "templateId", m.status, m.reason, m.reason_detail as "reasonDetail", m.failure, m.send_at as "sendAt",
       m.sent_at as "sentAt", m.final_at as "finalAt", ${withText ? "m.content" : "null"} as content`;
}

const isOpenText = `(m.status in (${messageStatus.waiting}, ${messageStatus.unsent}) and m.reason is not distinct from ${reasonCode.outcomeUnknown})`;

function fits(
  { line, operator, template, status, failureKind, isOpen, text }: MessageFilter,
  values: unknown[],
): string {
  return conditions(
    {
      "m.sender = ?": line,
      "m.operator = ?": operator,
      "m.template_id = ?": template,
      "m.status = ?": status,
      "m.failure ->> 'kind' = ?": failureKind,
      [`${isOpenText} = ?`]: isOpen,
      "position(lower(?) in lower(m.content)) > 0": text,
    },
    values,
  ).text;
}

/** Undefined: of anybody, to anybody. */
interface OfWhom {
  readonly accountId: number | undefined;
  readonly recipient: string | undefined;
}

interface ScanBounds extends MessageBounds {
  /** Rows that are read at most. */
  readonly scan: number;
}

/**
 * Messages of one account by the primary key, or of all. Of all, `scanned` = `scan` means that there
 * are more between the bounds, and it is not known which were read, so that the bounds must be
 * narrowed. Call it in a transaction: the planner knows an average account, and would rather sort
 * all messages of one that has a million.
 */
export async function walkMessages(
  tx: Queryable,
  bounds: ScanBounds & Pick<OfWhom, "accountId">,
): Promise<MessageSlice> {
  const { from, before, scan, filter, accountId } = bounds;
  const { text, values, value } = conditions({ "m.id >= ?": from, "m.id < ?": before, "m.account_id = ?": accountId });
  const scanned = `select m.account_id, m.id, ${fits(filter, values)} as fits from message m
 where ${text} ${accountId === undefined ? "" : "order by m.id desc"} limit ${value(scan)}`;
  const preferring = accountId === undefined ? preferIndexes(tx) : preferIndexOrder(tx);
  const [, slice] = await Promise.all([preferring, readSlice(tx, scanned, { ...bounds, values, value })]);
  return slice;
}

/** Messages of a campaign's rows, of 100,000 that it may have. */
export function walkMessagesOfCampaign(
  db: Queryable,
  bounds: ScanBounds & OfWhom & { readonly campaignId: string },
): Promise<MessageSlice> {
  const { from, before, scan, filter, campaignId, accountId, recipient } = bounds;
  const { text, values, value } = conditions({
    "c.id = ?": campaignId,
    "c.account_id = ?": accountId,
    "r.recipient = ?": recipient,
    "r.message_id >= ?": from,
    "r.message_id < ?": before,
  });
  // A message that was dropped with its week fits nothing.
  const scanned = `select s.account_id, s.id, ${fits(filter, values)} and m.id is not null as fits
  from (select c.account_id, r.message_id as id from campaign c join campaign_row r on r.campaign_id = c.id
         where ${text} order by r.message_id desc limit ${value(scan)}) s
  left join message m on m.account_id = s.account_id and m.id = s.id and m.id >= ${value(from)} and m.id < ${value(before)}`;
  return readSlice(db, scanned, { ...bounds, values, value });
}

/** `scanned`: rows with account_id, id and whether the message fits. */
async function readSlice(
  db: Queryable,
  scanned: string,
  { from, before, limit, withText, values, value }: MessageBounds & Omit<Conditions, "text">,
): Promise<MessageSlice> {
  const rows = await db.query<SliceRow>(
    composed(
      "walkMessages",
      `with scanned as materialized (${scanned}),
found as materialized (select account_id, id from scanned where fits order by id desc limit ${value(limit)}),
whole as (select count(*)::int as scanned, (select id from scanned order by id limit 1) as oldest from scanned)
select whole.*, listed.*
  from whole left join (
    select ${columns(withText)}
      from found f join message m on m.account_id = f.account_id and m.id = f.id and m.id >= ${value(from)} and m.id < ${value(before)}
      left join account a on a.id = m.account_id) listed on true
 order by listed.id desc`,
      values,
    ),
  );
  const { scanned: count = 0, oldest } = rows[0] ?? {};
  const found = rows.flatMap(({ id, ...row }) => (id === null ? [] : [{ ...row, id }]));
  return { found, scanned: count, oldest: oldest ?? undefined };
}

interface SliceRow extends Omit<ListedMessage, "id"> {
  readonly id: string | null;
  readonly scanned: number;
  readonly oldest: string | null;
}

type BoundsOfNumber = Omit<MessageBounds, "from" | "before"> & OfWhom & { readonly recipient: string };

/** Those to a number: of each range the newest, up to the limit. Call it in a transaction. */
export async function listMessagesTo(
  tx: Queryable,
  { ranges, ...bounds }: BoundsOfNumber & { readonly ranges: readonly TimeRange[] },
): Promise<ListedMessage[]> {
  const { recipient, accountId } = bounds;
  const preferring = preferIndexes(tx);
  const listed = ranges.map((range) => {
    const values: unknown[] = [recipient, range.from, range.before, accountId];
    const source = messagesTo(range, { recipient: "$1", from: "$2", before: "$3", accountId: "$4" });
    return listNewest(tx, source, bounds, values);
  });
  const [, ...found] = await Promise.all([preferring, ...listed]);
  return found.flat();
}

/** Messages of a batch carry its millisecond. */
export function listMessagesOfBatch(
  db: Queryable,
  bounds: MessageBounds & OfWhom & { readonly batchId: string },
): Promise<ListedMessage[]> {
  const { batchId, from, before, accountId, recipient } = bounds;
  const ms = uuidv7Time(batchId);
  const { text, values, value } = conditions({
    "m.id >= ?::uuid": uuidFloor(ms),
    "m.id <= ?": uuidCeiling(ms),
    "m.id >= ?": from,
    "m.id < ?": before,
    "m.batch_id = ?": batchId,
    "m.account_id = ?": accountId,
    "m.recipient = ?": recipient,
  });
  const [first, end] = weekOf(batchId);
  const whose =
    accountId === undefined
      ? `(with recursive ${ownersBetween(value(first), value(end))} select id from owner) whose join message m on m.account_id = whose.id`
      : "message m";
  return listNewest(db, `(select m.* from ${whose} where ${text}) m`, bounds, values);
}

/** Of the messages m of `source`. */
function listNewest(
  db: Queryable,
  source: string,
  { filter, withText, limit }: Pick<MessageBounds, "filter" | "withText" | "limit">,
  values: unknown[],
): Promise<ListedMessage[]> {
  return db.query<ListedMessage>(
    composed(
      "listMessages",
      `select ${columns(withText)}
  from (select * from ${source} where ${fits(filter, values)} order by m.id desc limit ${conditions({}, values).value(limit)}) m
  left join account a on a.id = m.account_id
 order by m.id desc`,
      values,
    ),
  );
}
