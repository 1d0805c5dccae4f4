// What is kept of receipts for people to see: the first of each part with the change that it makes
// (progress.ts), and some repeated ones. And how many may wait that match no submission yet.
import type { Queryable } from "./database.ts";
import { bool, int2, int4, rows, rowStatement, text, timestamptz, uuid } from "./row-statement.ts";
import type { PartOfMessage } from "./sql-texts.ts";

export interface KeptReceipt {
  readonly connectorId: number;
  readonly state: string;
  readonly error: string;
  readonly content: string;
  /** Absent: now. */
  readonly receivedAt?: Date | undefined;
}

export interface ReceiptOfPart extends PartOfMessage {
  readonly receipt: KeptReceipt;
  /** Not the first one of its part. */
  readonly repeated: boolean;
}

/** As the statements that keep receipts take them. */
export const receiptRows = rows<ReceiptOfPart>({
  received_at: timestamptz(({ receipt }) => receipt.receivedAt),
  message_id: uuid("messageId"),
  account_id: int4("accountId"),
  connector_id: int4(({ receipt }) => receipt.connectorId),
  part: int2("part"),
  repeated: bool("repeated"),
  state: text(({ receipt }) => receipt.state),
  error: text(({ receipt }) => receipt.error),
  content: text(({ receipt }) => receipt.content),
});

/** Receipts of a part beyond this are not kept. */
export const receiptsKept = 10;

export const keepRepeatedReceiptsStatement = rowStatement(
  "keepRepeatedReceipts",
  { receipt: receiptRows },
  ({
    receipt,
  }) => `insert into receipt (received_at, message_id, account_id, connector_id, part, repeated, state, error, content)
select coalesce(r.received_at, statement_timestamp()), r.message_id, r.account_id, r.connector_id, r.part, true, r.state, r.error,
       case when exists (select from message m where m.account_id = r.account_id and m.id = r.message_id and m.recipient = '') then '' else r.content end
  from (select *, row_number() over (partition by message_id, part) as place
          from ${receipt.as("u")}) r
 where r.place + (select count(*) from receipt k where k.message_id = r.message_id and k.part = r.part and k.repeated) < ${receiptsKept}`,
);

/**
 * Receipts that changed nothing: they repeat what is known, or come after the end. An operator may
 * repeat them without end.
 */
export async function keepRepeatedReceipts(
  db: Queryable,
  receipts: readonly ReceiptOfPart[],
  messageIds: ReadonlySet<string>,
): Promise<void> {
  const kept = receipts.filter(({ messageId }) => messageIds.has(messageId));
  await db.query(keepRepeatedReceiptsStatement.with({ receipt: kept }));
}

/**
 * Drops a connector's oldest parked receipts beyond the newest ones, at most `limit`, and returns how
 * many. Skips those that another transaction is applying or deleting.
 */
export async function dropParkedBeyond(
  db: Queryable,
  { connectorId, newest, limit }: { connectorId: number; newest: number; limit: number },
): Promise<number> {
  const [row] = await db.query<{ dropped: number }>(
    "dropParkedBeyond",
    `with dropped as (
  delete from unmatched_receipt where id = any (array(
    select id from unmatched_receipt
     where connector_id = $1 and id <= (select id from unmatched_receipt where connector_id = $1 order by id desc offset $2 limit 1)
     order by id limit $3 for update skip locked)) returning 1
)
select count(*)::int as dropped from dropped`,
    [connectorId, newest, limit],
  );
  return row?.dropped ?? 0;
}
