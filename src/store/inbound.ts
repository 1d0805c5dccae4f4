// Statements on what subscribers send us: parts as they come, whole messages as they are read.
import type { Queryable } from "./database.ts";

export interface InboundPartToStore {
  readonly connectorId: number;
  readonly fingerprint: Buffer;
  readonly sender: string;
  readonly recipient: string;
  readonly text: string;
  readonly concatenation: { readonly reference: number; readonly total: number; readonly number: number } | undefined;
}

/**
 * Keeps one part and answers its id. An equal one whose first coming was never confirmed on its link is the same part sent again: it is not kept
 * twice, and answers `isNew: false`.
 */
export async function storeInboundPart(
  tx: Queryable,
  part: InboundPartToStore,
): Promise<{ id: bigint; isNew: boolean }> {
  const rows = await tx.query<{ id: bigint; isNew: boolean }>({
    name: "storeInboundPart",
    text: `/* storeInboundPart */
with known as (
  select id from inbound_part where fingerprint = $2 and connector_id = $1 and not confirmed order by id limit 1 for update
),
stored as (
  insert into inbound_part (connector_id, fingerprint, sender, recipient, text_utf16, reference, total, number)
  select $1, $2, $3, $4, $5, $6, $7, $8 where not exists (select from known) returning id
)
select id, true as "isNew" from stored union all select id, false from known`,
    values: [
      part.connectorId,
      part.fingerprint,
      part.sender,
      part.recipient,
      Buffer.from(part.text, "utf16le"),
      part.concatenation?.reference ?? null,
      part.concatenation?.total ?? null,
      part.concatenation?.number ?? null,
    ],
  });
  const row = rows[0];
  if (row === undefined) throw new Error("storeInboundPart answered no row");
  return row;
}

/** Our answers to these parts have left: an equal one from now on is another message. */
export async function confirmInboundParts(db: Queryable, ids: readonly bigint[]): Promise<void> {
  await db.query({
    name: "confirmInboundParts",
    text: `/* confirmInboundParts */
update inbound_part set confirmed = true where id = any ($1::bigint[])`,
    values: [ids],
  });
}

/** Makes the parts of one concatenated message come one after another, until the transaction ends: the last of them sees all others. */
export async function lockConcatenatedMessage(
  tx: Queryable,
  key: { connectorId: number; sender: string; recipient: string; reference: number },
): Promise<void> {
  await tx.query({
    name: "lockConcatenatedMessage",
    text: `/* lockConcatenatedMessage */
select pg_advisory_xact_lock(hashtextextended($1, 0))`,
    values: [`inbound ${key.connectorId} ${key.sender} ${key.recipient} ${key.reference}`],
  });
}

/** The same for equal parts that belong to no concatenated message: of two copies at once the second one sees the first. */
export async function lockFingerprint(tx: Queryable, fingerprint: Buffer): Promise<void> {
  await tx.query({
    name: "lockFingerprint",
    text: `/* lockFingerprint */
select pg_advisory_xact_lock($1)`,
    values: [fingerprint.readBigInt64BE()],
  });
}

export interface OpenPart {
  readonly id: bigint;
  readonly text: string;
  readonly total: number;
  readonly number: number;
  readonly receivedAt: Date;
}

/** The parts so far of one concatenated message, locked in their order, so that only one of two last parts at once joins them. */
export async function findOpenParts(
  tx: Queryable,
  key: { connectorId: number; sender: string; recipient: string; reference: number; total: number },
): Promise<OpenPart[]> {
  const rows = await tx.query<Omit<OpenPart, "text"> & { textUtf16: Buffer }>({
    name: "findOpenParts",
    text: `/* findOpenParts */
select id, text_utf16 as "textUtf16", total, number, received_at as "receivedAt" from inbound_part
 where connector_id = $1 and sender = $2 and recipient = $3 and reference = $4 and total = $5 and not joined
 order by id for update`,
    values: [key.connectorId, key.sender, key.recipient, key.reference, key.total],
  });
  return rows.map(({ textUtf16, ...row }) => ({ ...row, text: textUtf16.toString("utf16le") }));
}

export async function markPartsJoined(tx: Queryable, ids: readonly bigint[]): Promise<void> {
  await tx.query({
    name: "markPartsJoined",
    text: `/* markPartsJoined */
update inbound_part set joined = true where id = any ($1::bigint[])`,
    values: [ids],
  });
}

export interface InboundMessageToStore {
  readonly id: string;
  /** 0: no account owns the line. */
  readonly accountId: number;
  readonly sender: string;
  readonly recipient: string;
  readonly content: string;
  readonly receivedAt: Date;
  readonly complete: boolean;
}

/**
 * Enters a whole message. Its number is given under the lock of the account's counter, which is held until the commit: no reader ever sees a number
 * before all lower ones.
 */
export async function insertInboundMessage(tx: Queryable, message: InboundMessageToStore): Promise<void> {
  await tx.query({
    name: "insertInboundMessage",
    text: `/* insertInboundMessage */
with counted as (
  insert into inbound_counter (account_id, last) values ($1, 1)
  on conflict (account_id) do update set last = inbound_counter.last + 1 returning last
)
insert into inbound_message (account_id, sequence, id, sender, recipient, content, received_at, complete)
select $1, last, $2, $3, $4, $5, $6, $7 from counted`,
    values: [
      message.accountId,
      message.id,
      message.sender,
      message.recipient,
      message.content,
      message.receivedAt,
      message.complete,
    ],
  });
}

/** A concatenated message that has waited too long for a part. */
export interface IncompleteMessage {
  readonly connectorId: number;
  readonly sender: string;
  readonly recipient: string;
  readonly reference: number;
  readonly total: number;
}

export function findIncompleteMessages(db: Queryable, ageHours: number): Promise<IncompleteMessage[]> {
  return db.query<IncompleteMessage>({
    name: "findIncompleteMessages",
    text: `/* findIncompleteMessages */
select connector_id as "connectorId", sender, recipient, reference, total from inbound_part
 where not joined and reference is not null
 group by connector_id, sender, recipient, reference, total
having min(received_at) < now() - make_interval(secs => $1 * 3600) limit 100`,
    values: [ageHours],
  });
}

/** Drops parts that are joined and too old to come again. */
export async function dropJoinedParts(db: Queryable, ageHours: number): Promise<void> {
  await db.query({
    name: "dropJoinedParts",
    text: `/* dropJoinedParts */
delete from inbound_part where joined and received_at < now() - make_interval(hours => $1)`,
    values: [ageHours],
  });
}

export async function dropOldInboundMessages(db: Queryable, retentionDays: number): Promise<void> {
  await db.query({
    name: "dropOldInboundMessages",
    text: `/* dropOldInboundMessages */
delete from inbound_message where received_at < now() - make_interval(days => $1)`,
    values: [retentionDays],
  });
}
