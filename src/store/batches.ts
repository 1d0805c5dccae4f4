// What has become of the messages of one batch.
import { uuidCeiling, uuidFloor, uuidv7Time } from "../platform/uuid.ts";
import type { Queryable } from "./database.ts";
import { refundedCost, statusCounts } from "./status-texts.ts";

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
 * Undefined for a batch that none of these accounts has. Messages of a batch carry its millisecond.
 */
export async function summarizeBatch(
  db: Queryable,
  { batchId, accountIds }: { batchId: string; accountIds: readonly number[] },
): Promise<BatchSummary | undefined> {
  const ms = uuidv7Time(batchId);
  const [row] = await db.query<BatchSummary>({
    name: "summarizeBatch",
    text: `/* summarizeBatch */
select coalesce(a.name, 'account ' || m.account_id) as account, min(m.send_at) as "sendAt", count(*)::int as messages,
       ${statusCounts}, sum(m.parts)::int as parts, sum(m.cost)::bigint as cost,
       ${refundedCost}
  from message m left join account a on a.id = m.account_id
 where m.account_id = any ($1::int[]) and m.id between $3 and $4 and m.batch_id = $2
 group by m.account_id, a.name`,
    values: [accountIds, batchId, uuidFloor(ms), uuidCeiling(ms)],
  });
  return row;
}
