// Reads the messages that subscribers sent to an account's lines. A message's sequence is its place
// in the order of commits, so a reader who has seen n never meets a new one at or below n.
import type { Queryable } from "./database.ts";
import { conditions } from "./conditions.ts";

export interface ReceivedMessage {
  readonly sequence: bigint;
  readonly id: string;
  /** 989…, or the text that the network sent. */
  readonly sender: string;
  /** The line's short form. */
  readonly recipient: string;
  readonly content: string;
  readonly receivedAt: Date;
  /** The text is gone; an empty one may have come so. */
  readonly contentErased: boolean;
}

const columns = `sequence, id, sender, recipient, content, received_at as "receivedAt", content_erased as "contentErased"`;

/** Oldest first, after the given sequence; without one the newest, newest first. */
export function listReceivedMessages(
  db: Queryable,
  { accountId, after, count }: { accountId: number; after?: bigint; count: number },
): Promise<ReceivedMessage[]> {
  const where = conditions({ "account_id = ?": accountId, "sequence > ?": after });
  return db.query<ReceivedMessage>({
    name: after === undefined ? "listNewestReceived" : "listReceivedAfter",
    text: `/* listReceived */
select ${columns} from inbound_message where ${where.text}
 order by sequence ${after === undefined ? "desc" : ""} limit ${where.value(count)}`,
    values: where.values,
  });
}

/** Messages of many accounts, unordered. */
export async function findReceivedMessages(
  db: Queryable,
  messages: readonly { readonly accountId: number; readonly messageId: string }[],
): Promise<ReceivedMessage[]> {
  if (messages.length === 0) return [];
  return db.query<ReceivedMessage>({
    name: "findReceivedMessages",
    text: `/* findReceivedMessages */
select ${columns}
  from inbound_message
 where id = any ($2::uuid[]) and (account_id, id) in (select * from unnest($1::int[], $2::uuid[]))`,
    values: [messages.map(({ accountId }) => accountId), messages.map(({ messageId }) => messageId)],
  });
}
