// What is kept of receipts for people to see: the first of each part with the change that it makes
// (progress.ts), and some repeated ones.
import type { Queryable } from "./database.ts";
import type { PartOfMessage } from "./part-bits.ts";
import { bool, int2, int4, rows, rowStatement, text, timestamptz, uuid } from "./row-statement.ts";

export interface KeptReceipt {
  readonly connectorId: number;
  readonly state: string;
  readonly error: string;
  readonly content: string;
  /** Absent: now. */
  readonly receivedAt?: Date;
}

export interface ReceiptOfPart extends PartOfMessage {
  readonly receipt: KeptReceipt;
  /** Not the first one of its part. */
  readonly repeated: boolean;
}

/** As the statements that keep receipts take them. */
export const receiptRows = rows<ReceiptOfPart>({
  received_at: timestamptz(({ receipt }) => receipt.receivedAt),
  message_id: uuid(({ messageId }) => messageId),
  account_id: int4(({ accountId }) => accountId),
  connector_id: int4(({ receipt }) => receipt.connectorId),
  part: int2(({ part }) => part),
  repeated: bool(({ repeated }) => repeated),
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
