// Statements on messages from subscribers: parts as they arrive, whole messages as accounts read
// them.
import type { Queryable } from "./database.ts";
import { writeReceivedEvents } from "./sql-texts.ts";

export interface InboundPartToStore {
  readonly connectorId: number;
  readonly fingerprint: Buffer;
  readonly sender: string;
  readonly recipient: string;
  readonly text: string;
  readonly concatenation: { readonly reference: number; readonly total: number; readonly number: number } | undefined;
}

/** A part that, as far as the database knows, has not been answered. */
export interface UnconfirmedInboundPart {
  readonly id: bigint;
  /** The living node whose session owes the answer; null when none does. */
  readonly carriedBy: string | null;
  readonly owedForMs: number;
}

/**
 * The unconfirmed equal parts, oldest first. Locked, so that no confirmation is recorded while they
 * are judged.
 */
export function findUnconfirmedParts(
  tx: Queryable,
  { connectorId, fingerprint }: { connectorId: number; fingerprint: Buffer },
): Promise<UnconfirmedInboundPart[]> {
  return tx.query<UnconfirmedInboundPart>(
    "findUnconfirmedParts",
    `select p.id, (select n.id from node n where n.id = p.carried_by and n.lease_until > now()) as "carriedBy",
       extract(epoch from now() - coalesce(p.carried_at, p.received_at))::float8 * 1000 as "owedForMs"
  from inbound_part p where p.fingerprint = $2 and p.connector_id = $1 and not p.confirmed order by p.id for update of p`,
    [connectorId, fingerprint],
  );
}

/** Stores one part, whose answer a session of the node now owes, and returns its id. */
export async function insertInboundPart(tx: Queryable, nodeId: string, part: InboundPartToStore): Promise<bigint> {
  const rows = await tx.query<{ id: bigint }>(
    "insertInboundPart",
    `insert into inbound_part (connector_id, fingerprint, sender, recipient, text_utf16, reference, total, number, joined, carried_by, carried_at)
select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now() returning id`,
    [
      part.connectorId,
      part.fingerprint,
      part.sender,
      part.recipient,
      Buffer.from(part.text, "utf16le"),
      part.concatenation?.reference,
      part.concatenation?.total,
      part.concatenation?.number,
      part.concatenation === undefined,
      nodeId,
    ],
  );
  const row = rows[0];
  if (row === undefined) throw new Error("insertInboundPart returned no row");
  return row.id;
}

/** Records a repetition of the part: from now on a session of the node owes the answer. */
export async function carryInboundPart(tx: Queryable, nodeId: string, id: bigint): Promise<void> {
  await tx.query("carryInboundPart", `update inbound_part set carried_by = $2, carried_at = now() where id = $1`, [
    id,
    nodeId,
  ]);
}

/** Records that the sessions which owed the answers to these parts are over. */
export async function releaseInboundParts(db: Queryable, nodeId: string, ids: readonly bigint[]): Promise<void> {
  await db.query(
    "releaseInboundParts",
    `update inbound_part p set carried_by = null
  from (select id from inbound_part where id = any ($2::bigint[]) order by id for update) as locked
 where p.id = locked.id and p.carried_by = $1`,
    [nodeId, ids],
  );
}

/**
 * Records that these parts were answered: an equal part from now on is another message. Locks in
 * the same order as the other statements.
 */
export async function confirmInboundParts(db: Queryable, ids: readonly bigint[]): Promise<void> {
  await db.query(
    "confirmInboundParts",
    `update inbound_part p set confirmed = true
  from (select id from inbound_part where id = any ($1::bigint[]) order by id for update) as locked
 where p.id = locked.id`,
    [ids],
  );
}

export interface OpenPart {
  readonly id: bigint;
  readonly text: string;
  readonly total: number;
  readonly number: number;
  readonly receivedAt: Date;
}

/**
 * The parts under one reference that are not joined, in order of arrival, locked: those that the
 * next part may belong to, or those that `supersededBy` superseded.
 */
export async function findOpenParts(
  tx: Queryable,
  key: { connectorIds: readonly number[]; sender: string; recipient: string; reference: number; total: number },
  supersededBy: bigint | null,
): Promise<OpenPart[]> {
  const rows = await tx.query<Omit<OpenPart, "text"> & { textUtf16: Buffer }>(
    "findOpenParts",
    `select id, text_utf16 as "textUtf16", total, number, received_at as "receivedAt" from inbound_part
 where connector_id = any ($1::int[]) and sender = $2 and recipient = $3 and reference = $4 and total = $5 and not joined
   and superseded_by is not distinct from $6
 order by id for update`,
    [key.connectorIds, key.sender, key.recipient, key.reference, key.total, supersededBy],
  );
  return rows.map(({ textUtf16, ...row }) => ({ ...row, text: textUtf16.toString("utf16le") }));
}

export async function markPartsJoined(tx: Queryable, ids: readonly bigint[]): Promise<void> {
  await tx.query("markPartsJoined", `update inbound_part set joined = true where id = any ($1::bigint[])`, [ids]);
}

/** Another message has begun under the reference of these parts: they take no further parts. */
export async function supersedeParts(tx: Queryable, ids: readonly bigint[], supersededBy: bigint): Promise<void> {
  await tx.query("supersedeParts", `update inbound_part set superseded_by = $2 where id = any ($1::bigint[])`, [
    ids,
    supersededBy,
  ]);
}

export interface InboundMessageToStore {
  readonly id: string;
  /** 0 when no account owns the line. */
  readonly accountId: number;
  readonly sender: string;
  readonly recipient: string;
  readonly content: string;
  readonly receivedAt: Date;
  readonly complete: boolean;
  readonly connectorId: number;
  /** The line does not list the connector: no account ever gets the message. */
  readonly stray: boolean;
}

/**
 * Inserts a whole message. Its number is assigned under the lock of the account's counter, which is
 * held until the commit, so no reader sees a number before all lower ones.
 */
export async function insertInboundMessage(tx: Queryable, message: InboundMessageToStore): Promise<void> {
  await tx.query(
    "insertInboundMessage",
    `with counted as (
  insert into inbound_counter (account_id, last) values ($1, 1)
  on conflict (account_id) do update set last = inbound_counter.last + 1 returning last
),
stored as (
  insert into inbound_message (account_id, sequence, id, sender, recipient, content, received_at, complete, connector_id, stray)
  select $1, last, $2, $3, $4, $5, $6, $7, $8, $9 from counted
  returning account_id, id
),
${writeReceivedEvents("stored")}
select from stored`,
    [
      message.accountId,
      message.id,
      message.sender,
      message.recipient,
      message.content,
      message.receivedAt,
      message.complete,
      message.connectorId,
      message.stray,
    ],
  );
}

/**
 * Recipients with messages that wait for an account, in order, after a given one. Skips through the
 * index from one recipient to the next.
 */
export async function listUnassignedRecipients(
  db: Queryable,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await db.query<{ recipient: string }>(
    "listUnassignedRecipients",
    `with recursive step as (
  (select recipient from inbound_message where account_id = 0 and not stray and recipient > $1 order by recipient limit 1)
  union all
  select (select m.recipient from inbound_message m
           where m.account_id = 0 and not m.stray and m.recipient > step.recipient order by m.recipient limit 1)
    from step where step.recipient is not null
)
select recipient from step where recipient is not null limit $2`,
    [after, limit],
  );
  return rows.map(({ recipient }) => recipient);
}

/**
 * The number of the latest message without an account. They get their numbers in the order of their
 * commits, so none that comes later has a lower one.
 */
export async function lastUnassigned(db: Queryable): Promise<bigint> {
  const [row] = await db.query<{ last: bigint }>(
    "lastUnassigned",
    `select last from inbound_counter where account_id = 0`,
  );
  return row?.last ?? 0n;
}

/**
 * Marks messages from connectors that the line does not list: no account ever gets them. Looks at
 * those after the given one.
 */
export async function markStrays(
  db: Queryable,
  { recipient, connectorIds, after }: { recipient: string; connectorIds: readonly number[]; after: bigint },
): Promise<void> {
  await db.query(
    "markStrays",
    `update inbound_message set stray = true
 where account_id = 0 and not stray and recipient = $1 and sequence > $3
   and connector_id <> all ($2::integer[])`,
    [recipient, connectorIds, after],
  );
}

export interface MessagesToAssign {
  /** As the network wrote it. */
  readonly recipient: string;
  readonly line: string;
  readonly accountId: number;
  /** The connectors that may bring messages for the line; null means all. */
  readonly connectorIds: readonly number[] | null;
  readonly limit: number;
  /** Absent: whichever there are. */
  readonly ids?: readonly string[];
}

export interface UnassignedMessage {
  readonly sequence: bigint;
  readonly id: string;
  readonly content: string;
}

/** Messages that wait for an account, oldest first, for a line whose rules judge their texts. */
export function listUnassignedMessages(
  db: Queryable,
  asked: Pick<MessagesToAssign, "recipient" | "connectorIds" | "limit"> & { readonly after: bigint },
): Promise<UnassignedMessage[]> {
  return db.query<UnassignedMessage>(
    "listUnassignedMessages",
    `select sequence, id, content from inbound_message
 where account_id = 0 and not stray and recipient = $1 and sequence > $3
   and ($2::integer[] is null or connector_id is null or connector_id = any ($2))
 order by sequence limit $4`,
    [asked.recipient, asked.connectorIds, asked.after, asked.limit],
  );
}

/**
 * Assigns waiting messages to the account of their line, oldest first, and returns how many. Like
 * new messages, they get their numbers under the lock of the account's counter. Two nodes at the
 * same time assign each message once.
 */
export async function assignMessages(
  db: Queryable,
  { recipient, line, accountId, connectorIds, limit, ids }: MessagesToAssign,
): Promise<number> {
  const rows = await db.query<{ sequence: bigint }>(
    "assignMessages",
    `with taken as materialized (
  select sequence from inbound_message
   where account_id = 0 and not stray and recipient = $1
     and ($4::integer[] is null or connector_id is null or connector_id = any ($4))
     and ($6::uuid[] is null or id = any ($6))
   order by sequence limit $5 for update
),
counted as (
  insert into inbound_counter (account_id, last) select $2::integer, count(*) from taken having count(*) > 0
  on conflict (account_id) do update set last = inbound_counter.last + excluded.last returning last
),
numbered as (
  select sequence, row_number() over (order by sequence) as place, count(*) over () as total from taken
),
given as (
  update inbound_message m
     set account_id = $2, recipient = $3, sequence = counted.last - numbered.total + numbered.place
    from numbered, counted where m.account_id = 0 and m.sequence = numbered.sequence
  returning m.account_id, m.id, m.sequence
),
${writeReceivedEvents("given")}
select sequence from given`,
    [recipient, accountId, line, connectorIds, limit, ids],
  );
  return rows.length;
}

/** A concatenated message that has waited too long for a part. */
export interface IncompleteMessage {
  readonly connectorId: number;
  readonly sender: string;
  readonly recipient: string;
  readonly reference: number;
  readonly total: number;
  readonly supersededBy: bigint | null;
  /** Parts that arrived before this have waited too long. */
  readonly overdueBefore: Date;
}

export function findIncompleteMessages(db: Queryable, ageHours: number): Promise<IncompleteMessage[]> {
  return db.query<IncompleteMessage>(
    "findIncompleteMessages",
    `select connector_id as "connectorId", sender, recipient, reference, total, superseded_by as "supersededBy",
       now() - make_interval(secs => $1 * 3600) as "overdueBefore"
  from inbound_part
 where not joined and reference is not null
 group by connector_id, sender, recipient, reference, total, superseded_by
having min(received_at) < now() - make_interval(secs => $1 * 3600) limit 100`,
    [ageHours],
  );
}

/** Under this name the parts of one message wait for each other: the last one sees all others. */
export function concatenatedName({
  sender,
  recipient,
  reference,
}: Pick<IncompleteMessage, "sender" | "recipient" | "reference">): string {
  return `inbound ${sender} ${recipient} ${reference}`;
}
