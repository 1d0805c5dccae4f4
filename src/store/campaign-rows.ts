// Rows of campaigns: sent up as a draft, listed with their outcomes, and fed by the duty that finds
// which campaigns have work.
import type { FailureReason } from "../sms/failure-reason.ts";
import type { Fault } from "../sms/fault.ts";
import { type MessageStatus, messageStatus, type ReasonCode, reasonCode } from "../sms/message-status.ts";
import { textArray } from "./array-parameters.ts";
import { firstOf, type Queryable } from "./database.ts";
import { int4, rows, rowStatement, single, text, uuid } from "./row-statement.ts";
import type { CampaignRow } from "../sms/campaign.ts";
import type { DequeuedMessage } from "./message-queue.ts";
import { isWithdrawn } from "./delivery-quality.ts";
import { refundedCost, statusCounts } from "./sql-texts.ts";

/** The first row of each of these recipients that a draft already has. */
export async function findFirstRows(
  tx: Queryable,
  id: string,
  recipients: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const first = await tx.query<{ recipient: string; number: number }>(
    "findFirstRows",
    `select recipient, min(coalesce(file_row, number)) as number from campaign_row
 where campaign_id = $1 and recipient = any ($2::text[]) and fault is null group by recipient`,
    [id, textArray(recipients)],
  );
  return new Map(first.map(({ recipient, number }) => [recipient, number]));
}

export interface FileRow extends CampaignRow {
  /** As the file counts it, for people. */
  readonly fileRow: number;
}

export interface NewRow extends FileRow {
  readonly duplicateOf: number | null;
  readonly fault: Fault | null;
}

export const insertRowsStatement = rowStatement(
  "insertRows",
  {
    campaignId: single<string>(),
    row: rows<NewRow>({
      number: int4("number"),
      file_row: int4("fileRow"),
      recipient: text("recipient"),
      given: text(({ given }) => JSON.stringify(given)),
      duplicate_of: int4("duplicateOf"),
      fault: text(({ fault }) => fault && JSON.stringify(fault)),
    }),
  },
  ({
    campaignId,
    row,
  }) => `insert into campaign_row (campaign_id, number, file_row, recipient, given, duplicate_of, fault)
select ${campaignId}, t.number, t.file_row, t.recipient, t.given::jsonb, t.duplicate_of, t.fault::jsonb
  from ${row.as("t")}`,
);

export async function insertRows(tx: Queryable, id: string, newRows: readonly NewRow[]): Promise<void> {
  await tx.query(insertRowsStatement.with({ campaignId: id, row: newRows }));
}

export interface ListedRow {
  readonly number: number;
  readonly fileRow: number;
  readonly recipient: string;
  readonly duplicateOf: number | null;
  readonly fault: Fault | null;
  readonly messageId: string | null;
  /** Of its message, as long as that is kept. */
  readonly status: MessageStatus | null;
  readonly reason: ReasonCode | null;
  readonly reasonDetail: string | null;
  readonly failure: FailureReason | null;
  readonly cost: bigint | null;
  readonly finalAt: Date | null;
}

/** `duplicate`: those of an earlier recipient; `failed`: those whose message was not delivered, or not sent. */
export type RowFilter = "faulty" | "duplicate" | "failed";

/** In the order of the file, after a number. At most 100,000 rows of one key are read. */
export function listRows(
  db: Queryable,
  {
    id,
    accountId,
    after,
    limit,
    filter,
  }: { id: string; accountId: number; after: number; limit: number; filter: RowFilter | undefined },
): Promise<ListedRow[]> {
  return db.query<ListedRow>(
    "listRows",
    `select r.number, coalesce(r.file_row, r.number) as "fileRow", r.recipient, r.duplicate_of as "duplicateOf", r.fault, r.message_id as "messageId", m.status, m.reason,
       m.reason_detail as "reasonDetail", m.failure, m.cost, m.final_at as "finalAt"
  from (select * from campaign_row
         where campaign_id = $1 and number > $3 and ($5::text is null or ($5 = 'faulty' and fault is not null)
               or ($5 = 'duplicate' and duplicate_of is not null)
               or ($5 = 'failed' and exists (select from message f where f.account_id = $2 and f.id = message_id
                     and f.status in (${messageStatus.undelivered}, ${messageStatus.unsent}))))
         order by number limit $4) r
  left join message m on m.account_id = $2 and m.id = r.message_id
 order by r.number`,
    [id, accountId, after, limit, filter],
  );
}

/** Whose row the message is of, among the latest campaigns of its account before it. */
export function findCampaignOf(
  db: Queryable,
  { id, accountId, recipient }: { id: string; accountId: number; recipient: string },
): Promise<{ readonly id: string; readonly name: string } | undefined> {
  return firstOf(
    db.query<{ id: string; name: string }>(
      "findCampaignOf",
      `select c.id, c.name from (select id, name from campaign where account_id = $1 and id < $2 order by id desc limit 100) c
 where exists (select from campaign_row r where r.campaign_id = c.id and r.recipient = $3 and r.message_id = $2)`,
      [accountId, id, recipient],
    ),
  );
}

/** The first rows of a draft that are to be sent. */
export function listSampleRows(
  db: Queryable,
  { id, skipDuplicates, limit }: { id: string; skipDuplicates: boolean; limit: number },
): Promise<FileRow[]> {
  return db.query<FileRow>(
    "listSampleRows",
    `select number, coalesce(file_row, number) as "fileRow", recipient, given from campaign_row
 where campaign_id = $1 and fault is null and not ($2 and duplicate_of is not null)
 order by number limit $3`,
    [id, skipDuplicates, limit],
  );
}

export interface BlankValues {
  /** Of the columns, from 1. */
  readonly column: number;
  readonly rows: number;
}

/** In how many rows of a draft which value is missing. */
export function countBlankValues(db: Queryable, id: string): Promise<BlankValues[]> {
  return db.query<BlankValues>(
    "countBlankValues",
    `select v.place::int as "column", count(*)::int as rows
  from campaign_row r cross join lateral jsonb_array_elements_text(r.given) with ordinality v (value, place)
 where r.campaign_id = $1 and v.value is null
 group by 1 order by 1`,
    [id],
  );
}

/** How many messages of a campaign have which status. Reads each of them by its key. */
export interface CampaignOutcomes {
  readonly waiting: number;
  readonly sent: number;
  readonly delivered: number;
  readonly undelivered: number;
  readonly unsent: number;
  readonly withdrawn: number;
  /** Rials given back for messages that were not sent. */
  readonly refunded: bigint;
}

export function countOutcomes(
  db: Queryable,
  { id, accountId }: { id: string; accountId: number },
): Promise<CampaignOutcomes | undefined> {
  return firstOf(
    db.query<CampaignOutcomes>(
      "countOutcomes",
      `select ${statusCounts}, (count(*) filter (where ${isWithdrawn}))::int as withdrawn, ${refundedCost}
  from campaign_row r join message m on m.account_id = $2 and m.id = r.message_id
 where r.campaign_id = $1 and r.message_id is not null`,
      [id, accountId],
    ),
  );
}

/**
 * Between two passes over the rows of a stopped campaign, while some of its messages are in the
 * windows of binds.
 */
const cancelRestSeconds = 10;

/** There is something to do now: a row to feed, the end to note, or a message to cancel. */
const isAtWork = `(state = 'sending' and (fed < rows or send_at is null or send_at <= now())
       or canceling and (canceled_to < fed or fed_at < now() - interval '${cancelRestSeconds} seconds'))`;

/** Campaigns to feed or to cancel messages of: those longest without a turn first. */
export async function listCampaignsAtWork(db: Queryable, limit: number): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>(
    "listCampaignsAtWork",
    `select id from campaign where ${isAtWork} order by fed_at nulls first, id limit $1`,
    [limit],
  );
  return rows.map(({ id }) => id);
}

export interface CampaignAtWork {
  readonly id: string;
  readonly accountId: number;
  readonly state: "sending" | "stopped";
  readonly sender: string | null;
  readonly content: string | null;
  readonly templateId: string | null;
  readonly columns: readonly string[];
  readonly skipDuplicates: boolean;
  /** Null: at once, also when the time has passed by the database's clock. */
  readonly sendAt: Date | null;
  readonly rows: number;
  readonly fed: number;
  readonly canceledTo: number;
}

/** Undefined where there is nothing to do, or another node does it. */
export function lockCampaignAtWork(tx: Queryable, id: string): Promise<CampaignAtWork | undefined> {
  return firstOf(
    tx.query<CampaignAtWork>(
      "lockCampaignAtWork",
      `select id, account_id as "accountId", state, sender, content, template_id as "templateId", columns, skip_duplicates as "skipDuplicates",
       case when send_at > now() then send_at end as "sendAt", rows, fed, canceled_to as "canceledTo"
  from campaign where id = $1 and ${isAtWork} for no key update skip locked`,
      [id],
    ),
  );
}

/** Whatever came of the turn, so that no campaign keeps standing before others. */
export async function noteTurn(db: Queryable, id: string): Promise<void> {
  await db.query("noteTurn", `update campaign set fed_at = now() where id = $1`, [id]);
}

/**
 * How many messages of this priority the account has waiting and due on these routes, as far as it
 * matters.
 */
export async function countWaiting(
  db: Queryable,
  {
    accountId,
    priority,
    routeIds,
    limit,
  }: { accountId: number; priority: number; routeIds: readonly number[]; limit: number },
): Promise<number> {
  const [row] = await db.query<{ waiting: number }>(
    "countWaiting",
    `select count(*)::int as waiting from (
  select from unnest($1::int[]) as r (route_id) cross join lateral (
    select from message_queue q
     where q.route_id = r.route_id and q.priority = $2 and q.account_id = $3 and q.due_at <= now() limit $4) q
   limit $4) w`,
    [routeIds, priority, accountId, limit],
  );
  return row?.waiting ?? 0;
}

export interface RowToFeed extends CampaignRow {
  readonly duplicateOf: number | null;
  /** As found when the row was sent up. */
  readonly isFaulty: boolean;
}

export function findRowsToFeed(
  tx: Queryable,
  { id, after, limit }: { id: string; after: number; limit: number },
): Promise<RowToFeed[]> {
  return tx.query<RowToFeed>(
    "findRowsToFeed",
    `select number, recipient, given, duplicate_of as "duplicateOf", fault is not null as "isFaulty" from campaign_row
 where campaign_id = $1 and number > $2 order by number limit $3`,
    [id, after, limit],
  );
}

export interface RowOutcome {
  readonly number: number;
  /** Of an accepted row. */
  readonly messageId: string | null;
  readonly fault: Fault | null;
}

export const saveRowOutcomesStatement = rowStatement(
  "saveRowOutcomes",
  {
    campaignId: single<string>(),
    outcome: rows<RowOutcome>({
      number: int4("number"),
      message_id: uuid("messageId"),
      fault: text(({ fault }) => fault && JSON.stringify(fault)),
    }),
  },
  ({ campaignId, outcome }) => `update campaign_row r
   set message_id = t.message_id, fault = t.fault::jsonb, given = case when t.message_id is null then r.given else '[]' end
  from ${outcome.as("t")}
 where r.campaign_id = ${campaignId} and r.number = t.number`,
);

/**
 * To be called in the transaction that accepts the messages. Of accepted rows the message has the
 * text.
 */
export async function saveRowOutcomes(tx: Queryable, id: string, outcomes: readonly RowOutcome[]): Promise<void> {
  await tx.query(saveRowOutcomesStatement.with({ campaignId: id, outcome: outcomes }));
}

export interface FeedStep {
  readonly fed: number;
  readonly accepted: number;
  readonly refused: number;
  readonly skipped: number;
  readonly parts: number;
  readonly cost: bigint;
}

/** Moves the campaign on. Only the node that has it locked does. */
export async function advanceCampaign(tx: Queryable, id: string, step: FeedStep): Promise<void> {
  await tx.query(
    "advanceCampaign",
    `update campaign set fed = $2, accepted = accepted + $3, refused = refused + $4, skipped = skipped + $5, parts = parts + $6, cost = cost + $7,
       fed_at = now(), changed_at = now() where id = $1`,
    [id, step.fed, step.accepted, step.refused, step.skipped, step.parts, step.cost],
  );
}

/** The next accepted rows of a stopped campaign, whose messages may still wait. */
export async function findRowsToCancel(
  tx: Queryable,
  { id, accountId, after, limit }: { id: string; accountId: number; after: number; limit: number },
): Promise<{ readonly last: number; readonly messages: readonly DequeuedMessage[] }> {
  const rows = await tx.query<{ number: number; messageId: string }>(
    "findRowsToCancel",
    `select number, message_id as "messageId" from campaign_row
 where campaign_id = $1 and number > $2 and message_id is not null order by number limit $3`,
    [id, after, limit],
  );
  return { last: rows.at(-1)?.number ?? after, messages: rows.map(({ messageId }) => ({ accountId, messageId })) };
}

/**
 * Whether a message of the campaign is neither submitted nor ended. Reads each message of it by its
 * key.
 */
export async function hasUnsubmitted(
  tx: Queryable,
  { id, accountId }: { id: string; accountId: number },
): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>(
    "hasUnsubmitted",
    `select exists (
  select from campaign_row r join message m on m.account_id = $2 and m.id = r.message_id
   where r.campaign_id = $1 and r.message_id is not null and m.status = ${messageStatus.waiting} and (m.reason is null or m.reason = ${reasonCode.inReview}) and m.parts_taken = 0) as found`,
    [id, accountId],
  );
  return row?.found ?? false;
}

export async function noteCanceled(
  tx: Queryable,
  id: string,
  { to, canceled, isLast }: { to: number; canceled: number; isLast: boolean },
): Promise<void> {
  await tx.query(
    "noteCanceled",
    `update campaign set canceled_to = $2, canceled = canceled + $3, canceling = not $4, fed_at = now(), changed_at = now() where id = $1`,
    [id, to, canceled, isLast],
  );
}
