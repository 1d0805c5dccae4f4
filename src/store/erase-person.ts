// Empties the number and the texts of one person in all tables, a limited number of rows at a time.
// Waiting messages stay as they are. An erased number, like an erased text, is the empty string.
import { messageStatus } from "../sms/message-status.ts";
import { composed, type Queryable } from "./database.ts";
import { messagesTo, type TimeRange } from "./message-reads.ts";
import { preferIndexes } from "./transaction-settings.ts";

export interface MessageOfPerson {
  readonly accountId: number;
  readonly id: string;
  readonly isWaiting: boolean;
  /** When it was sent or ended, whichever is later; null while it waits. */
  readonly lastAt: Date | null;
}

/** Messages to a number in a range, the newest first. Call it in a transaction. */
export async function listMessagesOfPerson(
  tx: Queryable,
  { number, range, limit }: { number: string; range: TimeRange; limit: number },
): Promise<MessageOfPerson[]> {
  await preferIndexes(tx);
  return tx.query<MessageOfPerson>(
    composed(
      "listMessagesOfPerson",
      `select account_id as "accountId", id, status = ${messageStatus.waiting} as "isWaiting", greatest(sent_at, final_at) as "lastAt"
  from ${messagesTo(range, { recipient: "$1", from: "$2", before: "$3" })} order by id desc limit $4`,
      [number, range.from, range.before, limit],
    ),
  );
}

export interface ErasedMessages {
  readonly messages: number;
  readonly receipts: number;
}

export interface MessagesToErase {
  readonly number: string;
  readonly accountIds: readonly number[];
  /** Beside them, of a short time: submissions and receipts are found by the range of ids. */
  readonly ids: readonly string[];
  readonly leastId: string;
  readonly greatestId: string;
  /** Their submissions and receipts lie between. */
  readonly since: Date;
  readonly until: Date;
}

/**
 * Empties messages that do not wait, with the receipts and submissions of their parts. A receipt
 * that comes later still finds its part by the operator's id.
 */
export async function eraseMessagesOfPerson(
  tx: Queryable,
  { number, accountIds, ids, leastId, greatestId, since, until }: MessagesToErase,
): Promise<ErasedMessages> {
  await preferIndexes(tx);
  const erased = await tx.query<{ id: string }>(
    "eraseMessagesOfPerson",
    `update message m set recipient = '', given_recipient = null, content = ''
  from unnest($2::int[], $3::uuid[]) as t (account_id, id)
 where m.account_id = t.account_id and m.id = t.id and m.id between $4 and $5
   and m.recipient = $1 and m.status <> ${messageStatus.waiting}
returning m.id`,
    [number, accountIds, ids, leastId, greatestId],
  );
  const messageIds = erased.map(({ id }) => id);
  if (messageIds.length === 0) return { messages: 0, receipts: 0 };
  await tx.query(
    "eraseSubmissionsOfPerson",
    `update submission s set recipient = '' from unnest($1::uuid[]) as t (id)
 where s.message_id = t.id and s.message_id between $2 and $3 and s.submitted_at >= $4 and s.submitted_at < $5 and s.recipient <> ''`,
    [messageIds, leastId, greatestId, since, until],
  );
  const receipts = await tx.query(
    "eraseReceiptsOfPerson",
    `update receipt r set content = '' from unnest($1::uuid[]) as t (id)
 where r.message_id = t.id and r.message_id between $2 and $3 and r.received_at >= $4 and r.received_at < $5 and r.content <> ''
returning 1`,
    [messageIds, leastId, greatestId, since, until],
  );
  return { messages: messageIds.length, receipts: receipts.length };
}

/** The place of a received message. */
export interface ReceivedPlace {
  readonly accountId: number;
  readonly sequence: bigint;
}

export const beforeAllReceived: ReceivedPlace = { accountId: -1, sequence: 0n };

/**
 * Reads received messages in the order of their keys, at most `scan`: there is no index by sender.
 * `last`: the last one that was read; undefined where nothing was left.
 */
export async function findReceivedOfPerson(
  db: Queryable,
  { number, after, scan }: { number: string; after: ReceivedPlace; scan: number },
): Promise<{ readonly found: readonly ReceivedPlace[]; readonly last: ReceivedPlace | undefined }> {
  const rows = await db.query<ReceivedPlace & { readonly isTheirs: boolean }>(
    "findReceivedOfPerson",
    `with scanned as materialized (
  select account_id, sequence, sender = $1 as theirs from inbound_message
   where (account_id, sequence) > ($2, $3) order by account_id, sequence limit $4
),
last as (select account_id, sequence from scanned order by account_id desc, sequence desc limit 1)
select account_id as "accountId", sequence, true as "isTheirs" from scanned where theirs
union all
select account_id, sequence, false from last`,
    [number, after.accountId, after.sequence, scan],
  );
  const found = rows.filter(({ isTheirs }) => isTheirs);
  return { found, last: rows.find(({ isTheirs }) => !isTheirs) };
}

/** Answers how many. */
export async function eraseReceivedOfPerson(
  db: Queryable,
  number: string,
  places: readonly ReceivedPlace[],
): Promise<number> {
  const rows = await db.query(
    "eraseReceivedOfPerson",
    `update inbound_message m set sender = '', content = '', content_erased = true
  from unnest($2::int[], $3::bigint[]) as t (account_id, sequence)
 where m.account_id = t.account_id and m.sequence = t.sequence and m.sender = $1
returning 1`,
    [number, places.map(({ accountId }) => accountId), places.map(({ sequence }) => sequence)],
  );
  return rows.length;
}

/**
 * Empties at most `limit` rows of one kind and returns how many. Fewer than the limit means that no
 * more are left.
 */
export type EraseSome = (db: Queryable, number: string, limit: number) => Promise<number>;

function eraseSome(name: string, text: string): EraseSome {
  return async (db, number, limit) => {
    const rows = await db.query(name, `${text}\nreturning 1`, [number, limit]);
    return rows.length;
  };
}

/**
 * A part whose message is not whole waits, and so does one whose answer is not known to be sent.
 */
export const erasePartsOfPerson = eraseSome(
  "erasePartsOfPerson",
  `update inbound_part set sender = '', text_utf16 = ''
 where id in (select id from inbound_part where sender = $1 and joined and confirmed limit $2) and joined and confirmed`,
);

/** A receipt that may belong to an unanswered part still needs the number. */
export const eraseParkedOfPerson = eraseSome(
  "eraseParkedOfPerson",
  `update unmatched_receipt set recipient = '', content = ''
 where id in (select u.id from unmatched_receipt u
               where u.recipient = $1 and not exists (select from held_message h where h.recipient = u.recipient) limit $2)`,
);

/** The stored text keeps the order of its keys. */
export const eraseEventsOfPerson = eraseSome(
  "eraseEventsOfPerson",
  `update event e set detail = replace(e.detail::text, '"recipientNumber":"' || $1 || '"', '"recipientNumber":""')::json
  from (select at, position, subject_id, type from event where detail is not null and detail ->> 'recipientNumber' = $1 limit $2) found
 where e.at = found.at and e.position = found.position and e.subject_id = found.subject_id and e.type = found.type`,
);

/** What limits the replies to a number; a reply that is due waits. */
export const eraseRepliesOfPerson = eraseSome(
  "eraseRepliesOfPerson",
  `delete from inbound_reply where id in (select id from inbound_reply where number = $1 and content is null limit $2)`,
);

/** Staff write down whom they sent a test message. */
export const eraseTracesOfPerson = eraseSome(
  "eraseTracesOfPerson",
  `update audit_entry set after = jsonb_set(after, '{recipientNumber}', '""')
 where id in (select id from audit_entry where kind = 'test message' and after ->> 'recipientNumber' = $1 limit $2)`,
);

/** What counts the references of long messages, unless one uses it now. */
export const eraseReferencesOfPerson = eraseSome(
  "eraseReferencesOfPerson",
  `delete from concatenation_reference c
 where recipient in (select $1::text limit $2) and numbers = '{}'
   and not exists (select from reference_wait w where w.recipient = c.recipient)`,
);

/** Ids of campaigns that have begun, after an id, in their order. */
export async function listBegunCampaigns(db: Queryable, after: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    "listBegunCampaigns",
    `select id from campaign where id > $1 and state <> 'draft' order by id limit $2`,
    [after, limit],
  );
  return rows.map(({ id }) => id);
}

/** Of rows that are fed, or never will be, and whose message does not wait. */
export async function eraseRowsOfPerson(
  tx: Queryable,
  { number, campaignIds, limit }: { number: string; campaignIds: readonly string[]; limit: number },
): Promise<number> {
  await preferIndexes(tx);
  const rows = await tx.query(
    "eraseRowsOfPerson",
    `with found as materialized (
  select r.campaign_id, r.number
    from campaign_row r join campaign c on c.id = r.campaign_id
   where r.campaign_id = any ($2::uuid[]) and r.recipient = $1 and (c.state in ('stopped', 'done') or r.number <= c.fed)
     and (select m.status from message m where m.account_id = c.account_id and m.id = r.message_id) is distinct from ${messageStatus.waiting}
   limit $3
)
update campaign_row r set recipient = '', given = '[]'
  from found f where r.campaign_id = f.campaign_id and r.number = f.number
returning 1`,
    [number, campaignIds, limit],
  );
  return rows.length;
}
