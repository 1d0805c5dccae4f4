// What is kept of receipts for people to see: the first of each part with the change that it makes
// (progress.ts), and some repeated ones.
import { boolArray, int2Array, int4Array, textArray, timestamptzArray, uuidArray } from "./array-parameters.ts";
import type { Queryable } from "./database.ts";
import type { PartOfMessage } from "./progress.ts";

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

/** Parameters of the statements that keep receipts. */
export function receiptValues(receipts: readonly ReceiptOfPart[]): readonly Buffer[] {
  return [
    timestamptzArray(receipts.map(({ receipt }) => receipt.receivedAt)),
    uuidArray(receipts.map(({ messageId }) => messageId)),
    int4Array(receipts.map(({ accountId }) => accountId)),
    int4Array(receipts.map(({ receipt }) => receipt.connectorId)),
    int2Array(receipts.map(({ part }) => part)),
    boolArray(receipts.map(({ repeated }) => repeated)),
    textArray(receipts.map(({ receipt }) => receipt.state)),
    textArray(receipts.map(({ receipt }) => receipt.error)),
    textArray(receipts.map(({ receipt }) => receipt.content)),
  ];
}

/** Receipts of a part beyond this are not kept. */
export const receiptsKept = 10;

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
  await db.query({
    name: "keepRepeatedReceipts",
    text: `/* keepRepeatedReceipts */
insert into receipt (received_at, message_id, account_id, connector_id, part, repeated, state, error, content)
select coalesce(r.received_at, now()), r.message_id, r.account_id, r.connector_id, r.part, true, r.state, r.error, r.content
  from (select *, row_number() over (partition by message_id, part) as place
          from unnest($1::timestamptz[], $2::uuid[], $3::int[], $4::int[], $5::smallint[], $6::boolean[], $7::text[], $8::text[], $9::text[])
            as u (received_at, message_id, account_id, connector_id, part, repeated, state, error, content)) r
 where r.place + (select count(*) from receipt k where k.message_id = r.message_id and k.part = r.part and k.repeated) < ${receiptsKept}`,
    values: [...receiptValues(kept)],
  });
}
