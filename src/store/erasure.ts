// Erases texts that are older than they are kept, and what is known of one person.
import { messageStatus } from "../sms/message-status.ts";
import { composed, firstOf, type Queryable } from "./database.ts";
import { messagesTo, type TimeRange } from "./message-reads.ts";
import { sendsCode } from "./sql-texts.ts";
import { preferIndexes } from "./transaction-settings.ts";

/** Texts and codes that were sent, and what came in. */
export type TextKind = "text" | "code" | "received";

/** A range of the time in the ids: from the first (included) to the second (excluded). */
export interface IdRange {
  readonly from: string;
  readonly to: string;
}

export interface ErasureProgress {
  readonly doneUntil: Date;
  readonly now: Date;
}

/**
 * How far the kind is done, locked for the rest of the transaction. Undefined: another node is at
 * it.
 */
export async function lockErasure(
  tx: Queryable,
  { kind, startDays }: { kind: TextKind; startDays: number },
): Promise<ErasureProgress | undefined> {
  await tx.query(
    "startErasure",
    `insert into erasure (kind, done_until) select $1, date_trunc('hour', now() - make_interval(days => $2))
 where not exists (select from erasure where kind = $1) on conflict do nothing`,
    [kind, startDays],
  );
  return firstOf(
    tx.query<ErasureProgress>(
      "lockErasure",
      `select done_until as "doneUntil", now() as now from erasure where kind = $1 for update skip locked`,
      [kind],
    ),
  );
}

export async function moveErasure(tx: Queryable, kind: TextKind, doneUntil: Date): Promise<void> {
  await tx.query("moveErasure", "update erasure set done_until = $2 where kind = $1", [kind, doneUntil]);
}

export interface ErasedRange {
  /** Messages with a text that were looked at, at most as many as asked for. */
  readonly found: number;
  readonly erased: number;
  /** Texts that are due and are not erased yet: the range is to be erased again. */
  readonly due: number;
  /** Messages that keep their texts for now. */
  readonly left: number;
  /** When the first of them ended, if one has. */
  readonly firstEnd: Date | null;
}

/**
 * How many texts of one page are erased in one transaction. Each new row version needs room beside
 * the old one, which stays until the transaction ends. This many fit on a page (fillfactor 50).
 * More would move to other pages, which would change all indexes of the messages at random places.
 */
const textsOfPage = 5;

/** Where as many texts are found as may be looked at, there may be others. */
export interface BoundedRange extends IdRange {
  /** Undefined: all. */
  readonly most: number | undefined;
}

export interface SentRange extends BoundedRange {
  readonly isCode: boolean;
  readonly endedBy: Date;
}

/** Of messages that ended by then, at most a few of each page. */
export async function eraseSent(tx: Queryable, { from, to, isCode, endedBy, most }: SentRange): Promise<ErasedRange> {
  await preferIndexes(tx);
  const [row] = await tx.query<ErasedRange>(
    "eraseSent",
    `with found as materialized (
  select account_id, id, final_at, m.tableoid as week, (m.ctid::text::point)[0] as page from message m
   where id >= $1 and id < $2 and content <> '' and (${sendsCode}) = $3
   limit $5
),
due as materialized (
  select account_id, id, row_number() over (partition by week, page) as nth from found where final_at <= $4
),
erased as (
  update message m set content = '' from due d
   where d.nth <= ${textsOfPage} and m.account_id = d.account_id and m.id = d.id and m.id >= $1 and m.id < $2
  returning 1
),
kept as (select final_at from found where final_at is null or final_at > $4)
select (select count(*)::int from found) as found, (select count(*)::int from erased) as erased,
       (select count(*)::int from due where nth > ${textsOfPage}) as due, (select count(*)::int from kept) as left,
       (select min(final_at) from kept) as "firstEnd"`,
    [from, to, isCode, endedBy, most],
  );
  return row ?? { found: 0, erased: 0, due: 0, left: 0, firstEnd: null };
}

/** Of what came in. Returns how many. */
export async function eraseReceived(tx: Queryable, { from, to, most }: BoundedRange): Promise<number> {
  await preferIndexes(tx);
  const rows = await tx.query(
    "eraseReceived",
    `with found as materialized (
  select account_id, sequence from inbound_message where id >= $1 and id < $2 and not content_erased limit $3
)
update inbound_message m set content = '', content_erased = true from found f
 where m.account_id = f.account_id and m.sequence = f.sequence
returning 1`,
    [from, to, most],
  );
  return rows.length;
}

export interface LeftRange {
  readonly fromAt: Date;
  readonly toAt: Date;
}

/** A range that is to be looked at again. */
export function takeLeft(tx: Queryable, kind: TextKind): Promise<LeftRange | undefined> {
  return firstOf(
    tx.query<LeftRange>(
      "takeLeft",
      `delete from erasure_left l using (
  select from_at from erasure_left where kind = $1 and look_at <= now() order by from_at limit 1) first
 where l.kind = $1 and l.from_at = first.from_at
returning l.from_at as "fromAt", l.to_at as "toAt"`,
      [kind],
    ),
  );
}

export async function noteLeft(
  tx: Queryable,
  kind: TextKind,
  { fromAt, toAt, lookAt }: LeftRange & { readonly lookAt: Date },
): Promise<void> {
  await tx.query("noteLeft", `insert into erasure_left (kind, from_at, to_at, look_at) values ($1, $2, $3, $4)`, [
    kind,
    fromAt,
    toAt,
    lookAt,
  ]);
}

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
