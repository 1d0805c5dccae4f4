// Rows of campaigns: sent up as a draft, listed with their outcomes.
import type { Fault } from "../sms/fault.ts";
import type { MessageStatus, ReasonCode } from "../sms/message-status.ts";
import { textArray } from "./array-parameters.ts";
import type { Queryable } from "./database.ts";
import { int4, rows, rowStatement, single, text } from "./row-statement.ts";
import { refundedCost, statusCounts } from "./status-texts.ts";

/** The first row of each of these recipients that a draft already has. */
export async function findFirstRows(
  tx: Queryable,
  id: string,
  recipients: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const first = await tx.query<{ recipient: string; number: number }>({
    name: "findFirstRows",
    text: `/* findFirstRows */
select recipient, min(number) as number from campaign_row
 where campaign_id = $1 and recipient = any ($2::text[]) and fault is null group by recipient`,
    values: [id, textArray(recipients)],
  });
  return new Map(first.map(({ recipient, number }) => [recipient, number]));
}

export interface NewRow {
  readonly number: number;
  readonly recipient: string;
  readonly given: readonly (string | null)[];
  readonly duplicateOf: number | null;
  readonly fault: Fault | null;
}

export const insertRowsStatement = rowStatement(
  "insertRows",
  {
    campaignId: single<string>(),
    row: rows<NewRow>({
      number: int4(({ number }) => number),
      recipient: text(({ recipient }) => recipient),
      given: text(({ given }) => JSON.stringify(given)),
      duplicate_of: int4(({ duplicateOf }) => duplicateOf),
      fault: text(({ fault }) => fault && JSON.stringify(fault)),
    }),
  },
  ({ campaignId, row }) => `insert into campaign_row (campaign_id, number, recipient, given, duplicate_of, fault)
select ${campaignId}, t.number, t.recipient, t.given::jsonb, t.duplicate_of, t.fault::jsonb
  from ${row.as("t")}`,
);

export async function insertRows(tx: Queryable, id: string, newRows: readonly NewRow[]): Promise<void> {
  await tx.query(insertRowsStatement.with({ campaignId: id, row: newRows }));
}

export interface ListedRow {
  readonly number: number;
  readonly recipient: string;
  readonly duplicateOf: number | null;
  readonly fault: Fault | null;
  readonly messageId: string | null;
  /** Of its message, as long as that is kept. */
  readonly status: MessageStatus | null;
  readonly reason: ReasonCode | null;
  readonly reasonDetail: string | null;
}

/** `faulty`: those with a fault; `duplicate`: those of an earlier recipient; `blank`: those without a value. */
export type RowFilter = "faulty" | "duplicate" | "blank";

const isBlank = "coalesce(trim(v.value), '') = ''";

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
  return db.query<ListedRow>({
    name: "listRows",
    text: `/* listRows */
select r.number, r.recipient, r.duplicate_of as "duplicateOf", r.fault, r.message_id as "messageId", m.status, m.reason,
       m.reason_detail as "reasonDetail"
  from (select * from campaign_row
         where campaign_id = $1 and number > $3 and ($5::text is null or ($5 = 'faulty' and fault is not null)
               or ($5 = 'duplicate' and duplicate_of is not null)
               or ($5 = 'blank' and exists (select from jsonb_array_elements_text(given) v (value) where ${isBlank})))
         order by number limit $4) r
  left join message m on m.account_id = $2 and m.id = r.message_id
 order by r.number`,
    values: [id, accountId, after, limit, filter ?? null],
  });
}

/** The first rows of a draft that are to be sent. */
export function listSampleRows(
  db: Queryable,
  { id, skipDuplicates, limit }: { id: string; skipDuplicates: boolean; limit: number },
): Promise<Pick<NewRow, "number" | "recipient" | "given">[]> {
  return db.query<Pick<NewRow, "number" | "recipient" | "given">>({
    name: "listSampleRows",
    text: `/* listSampleRows */
select number, recipient, given from campaign_row
 where campaign_id = $1 and fault is null and not ($2 and duplicate_of is not null)
 order by number limit $3`,
    values: [id, skipDuplicates, limit],
  });
}

export interface BlankValues {
  /** Of the columns, from 1. */
  readonly column: number;
  readonly rows: number;
}

/** In how many rows of a draft which value is missing or blank. */
export function countBlankValues(db: Queryable, id: string): Promise<BlankValues[]> {
  return db.query<BlankValues>({
    name: "countBlankValues",
    text: `/* countBlankValues */
select v.place::int as "column", count(*)::int as rows
  from campaign_row r cross join lateral jsonb_array_elements_text(r.given) with ordinality v (value, place)
 where r.campaign_id = $1 and ${isBlank}
 group by 1 order by 1`,
    values: [id],
  });
}

/** How many messages of a campaign have which status. Reads each of them by its key. */
export interface CampaignOutcomes {
  readonly waiting: number;
  readonly sent: number;
  readonly delivered: number;
  readonly undelivered: number;
  readonly unsent: number;
  /** Rials given back for messages that were not sent. */
  readonly refunded: bigint;
}

export async function countOutcomes(
  db: Queryable,
  { id, accountId }: { id: string; accountId: number },
): Promise<CampaignOutcomes | undefined> {
  const [row] = await db.query<CampaignOutcomes>({
    name: "countOutcomes",
    text: `/* countOutcomes */
select ${statusCounts}, ${refundedCost}
  from campaign_row r join message m on m.account_id = $2 and m.id = r.message_id
 where r.campaign_id = $1 and r.message_id is not null`,
    values: [id, accountId],
  });
  return row;
}
