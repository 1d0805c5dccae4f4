// Reads messages by their keys, for status answers and single pages of the console, and sums up a batch.
// An account sees only its own messages.
import type { FailureReason } from "../sms/failure-reason.ts";
import { uuidCeiling, uuidFloor, uuidv7Time } from "../platform/uuid.ts";
import type { Queryable } from "./database.ts";
import { idRange } from "./progress.ts";
import { refundedCost, statusCounts } from "./sql-texts.ts";
import { findMessageOwners } from "./messages-to-number.ts";

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
export function findMessagesByIds(
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
 * Undefined for a batch that none of these accounts has. Messages of a batch carry its millisecond.
 */
export async function summarizeBatch(
  db: Queryable,
  { batchId, accountIds }: { batchId: string; accountIds: readonly number[] },
): Promise<BatchSummary | undefined> {
  const ms = uuidv7Time(batchId);
  const [row] = await db.query<BatchSummary>(
    "summarizeBatch",
    `select coalesce(a.name, 'account ' || m.account_id) as account, min(m.send_at) as "sendAt", count(*)::int as messages,
       ${statusCounts}, sum(m.parts)::int as parts, sum(m.cost)::bigint as cost,
       ${refundedCost}
  from message m left join account a on a.id = m.account_id
 where m.account_id = any ($1::int[]) and m.id between $3 and $4 and m.batch_id = $2
 group by m.account_id, a.name`,
    [accountIds, batchId, uuidFloor(ms), uuidCeiling(ms)],
  );
  return row;
}

/** The text of one message, whosever it is. */
export async function findMessageText(
  db: Queryable,
  id: string,
): Promise<{ readonly account: string; readonly content: string } | undefined> {
  const [row] = await db.query<{ account: string; content: string }>(
    "findMessageText",
    `select coalesce(a.name, 'account ' || m.account_id) as account, m.content
  from message m left join account a on a.id = m.account_id
 where m.account_id = any ($2::int[]) and m.id = $1`,
    [id, await findMessageOwners(db, id)],
  );
  return row;
}
