// Statements behind the lists of messages sent: newest first, each with a bounded number of rows.
// Texts are read only where they are asked for. Filters on columns that change have no index; the
// walk back in time reads the rows and leaves out what does not fit.
import { type MessageStatus, messageStatus, reasonCode, type ReasonCode } from "../sms/message-status.ts";
import { uuidCeiling, uuidFloor, uuidv7Time } from "../platform/uuid.ts";
import type { Queryable } from "./database.ts";
import { ownersBetween, weekOf } from "./message-owners.ts";
import { messagesTo, type TimeRange } from "./messages-to-number.ts";
import { preferIndexes, preferIndexOrder } from "./transaction-settings.ts";

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

const columns = `m.id, m.batch_id as "batchId", coalesce(a.name, 'account ' || m.account_id) as account, m.sender, m.recipient, m.operator,
       m.language, m.parts, m.cost, m.template_id as "templateId", m.status, m.reason, m.reason_detail as "reasonDetail", m.send_at as "sendAt",
       m.sent_at as "sentAt", m.final_at as "finalAt", case when $10::boolean then m.content end as content`;

/** Of the first parameters, those of `filterValues`. */
const fits = `($1::text is null or m.sender = $1) and ($2::text is null or m.operator = $2) and ($3::text is null or m.template_id = $3)
   and ($4::smallint is null or m.status = $4) and ($5::boolean is null or (m.status in (${messageStatus.waiting}, ${messageStatus.unsent}) and m.reason is not distinct from ${reasonCode.outcomeUnknown}) = $5)
   and ($6::text is null or position(lower($6) in lower(m.content)) > 0)`;

function firstValues({ from, before, limit, withText, filter }: MessageBounds): unknown[] {
  const { line, operator, template, status, isOpen, text } = filter;
  const filters = [line, operator, template, status, isOpen, text].map((value) => value ?? null);
  return [...filters, from, before, limit, withText];
}

/**
 * Messages of one account: `scan` rows at most, by the primary key. Call it in a transaction: the
 * planner knows an average account, and would rather sort all messages of one that has a million.
 */
export async function walkMessagesOf(
  tx: Queryable,
  bounds: MessageBounds & { readonly accountId: number; readonly scan: number },
): Promise<MessageSlice> {
  const preferring = preferIndexOrder(tx);
  const reading = tx.query<SliceRow>({
    name: "walkMessagesOf",
    text: `/* walkMessagesOf */
with scanned as materialized (
  select m.account_id, m.id, ${fits} as fits from message m where m.account_id = $11 and m.id >= $7 and m.id < $8 order by m.id desc limit $12),
found as materialized (select account_id, id from scanned where fits order by id desc limit $9),
whole as (select count(*)::int as scanned, (select id from scanned order by id limit 1) as oldest from scanned)
select whole.*, listed.*
  from whole left join (
    select ${columns} from found f join message m on m.account_id = f.account_id and m.id = f.id and m.id >= $7 and m.id < $8
      left join account a on a.id = m.account_id) listed on true
 order by listed.id desc`,
    values: [...firstValues(bounds), bounds.accountId, bounds.scan],
  });
  const [, rows] = await Promise.all([preferring, reading]);
  return sliceOf(rows);
}

/**
 * Messages of all accounts. `scanned` = `scan`: there are more between the bounds, and it is not
 * known which were read, so that the bounds must be narrowed. Call it in a transaction: the planner
 * would rather read everything.
 */
export async function walkMessagesOfAll(
  tx: Queryable,
  bounds: MessageBounds & { readonly scan: number },
): Promise<MessageSlice> {
  const preferring = preferIndexes(tx);
  const reading = tx.query<SliceRow>({
    name: "walkMessagesOfAll",
    text: `/* walkMessagesOfAll */
with scanned as materialized (
  select m.account_id, m.id, ${fits} as fits from message m where m.id >= $7 and m.id < $8 limit $11),
found as materialized (select account_id, id from scanned where fits order by id desc limit $9),
whole as (select count(*)::int as scanned, (select id from scanned order by id limit 1) as oldest from scanned)
select whole.*, listed.*
  from whole left join (
    select ${columns} from found f join message m on m.account_id = f.account_id and m.id = f.id and m.id >= $7 and m.id < $8
      left join account a on a.id = m.account_id) listed on true
 order by listed.id desc`,
    values: [...firstValues(bounds), bounds.scan],
  });
  const [, rows] = await Promise.all([preferring, reading]);
  return sliceOf(rows);
}

/**
 * Messages of a campaign's rows: `scan` of them at most, of 100,000 that it may have. `accountId`:
 * whose it must be; undefined: anybody's.
 */
export async function walkMessagesOfCampaign(
  db: Queryable,
  bounds: MessageBounds & {
    readonly campaignId: string;
    readonly accountId: number | undefined;
    readonly recipient: string | undefined;
    readonly scan: number;
  },
): Promise<MessageSlice> {
  const rows = await db.query<SliceRow>({
    name: "walkMessagesOfCampaign",
    text: `/* walkMessagesOfCampaign */
with scanned as materialized (
  select c.account_id, r.message_id as id
    from campaign c join campaign_row r on r.campaign_id = c.id
   where c.id = $11 and ($12::int is null or c.account_id = $12) and r.message_id >= $7 and r.message_id < $8
     and ($13::text is null or r.recipient = $13)
   order by r.message_id desc limit $14),
whole as (select count(*)::int as scanned, (select id from scanned order by id limit 1) as oldest from scanned)
select whole.*, listed.*
  from whole left join (
    select ${columns} from scanned s join message m on m.account_id = s.account_id and m.id = s.id and m.id >= $7 and m.id < $8
      left join account a on a.id = m.account_id
     where ${fits} order by m.id desc limit $9) listed on true
 order by listed.id desc`,
    values: [
      ...firstValues(bounds),
      ...[bounds.campaignId, bounds.accountId ?? null, bounds.recipient ?? null, bounds.scan],
    ],
  });
  return sliceOf(rows);
}

interface SliceRow extends Omit<ListedMessage, "id"> {
  readonly id: string | null;
  readonly scanned: number;
  readonly oldest: string | null;
}

function sliceOf(rows: readonly SliceRow[]): MessageSlice {
  const { scanned = 0, oldest } = rows[0] ?? {};
  const found = rows.flatMap(({ id, ...row }) => (id === null ? [] : [{ ...row, id }]));
  return { found, scanned, oldest: oldest ?? undefined };
}

/** Those to a number: of each range the newest, up to the limit. Call it in a transaction. */
export async function listMessagesTo(
  tx: Queryable,
  { ranges, ...bounds }: BoundsOfNumber & { readonly ranges: readonly TimeRange[] },
): Promise<ListedMessage[]> {
  const [, ...found] = await Promise.all([preferIndexes(tx), ...ranges.map((range) => listRangeTo(tx, range, bounds))]);
  return found.flat();
}

interface BoundsOfNumber extends Omit<MessageBounds, "from" | "before"> {
  readonly recipient: string;
  readonly accountId: number | undefined;
}

function listRangeTo(tx: Queryable, range: TimeRange, bounds: BoundsOfNumber): Promise<ListedMessage[]> {
  return tx.query<ListedMessage>({
    name: "",
    text: `/* listMessagesTo */
select ${columns}
  from (select * from ${messagesTo(range, { recipient: "$11", from: "$7", before: "$8", accountId: "$12" })} where ${fits}
         order by id desc limit $9) m
  left join account a on a.id = m.account_id
 order by m.id desc`,
    values: [...firstValues({ ...bounds, ...range }), bounds.recipient, bounds.accountId ?? null],
  });
}

/**
 * Messages of a batch carry its millisecond. `accountId`: whose it must be; undefined: anybody's.
 */
export function listMessagesOfBatch(
  db: Queryable,
  bounds: MessageBounds & {
    readonly batchId: string;
    readonly accountId: number | undefined;
    readonly recipient: string | undefined;
  },
): Promise<ListedMessage[]> {
  const ms = uuidv7Time(bounds.batchId);
  return db.query<ListedMessage>({
    name: "listMessagesOfBatch",
    text: `/* listMessagesOfBatch */
with recursive ${ownersBetween("$16", "$17")}
select ${columns}
  from (select id from owner where $12::int is null union all select $12::int) whose
  join message m on m.account_id = whose.id left join account a on a.id = m.account_id
 where m.id between $13 and $14 and m.id >= $7 and m.id < $8 and m.batch_id = $11
   and ($15::text is null or m.recipient = $15) and ${fits}
 order by m.id desc limit $9`,
    values: [
      ...firstValues(bounds),
      ...[bounds.batchId, bounds.accountId ?? null, uuidFloor(ms), uuidCeiling(ms), bounds.recipient ?? null],
      ...weekOf(bounds.batchId),
    ],
  });
}
