// Statements on delivery receipts: match them to their parts, park those that arrive before their
// submission is recorded, and end the wait for those that never come.
import { messageStatus, reasonCode } from "../sms/message-status.ts";
import { parseRecipient } from "../sms/msisdn.ts";
import type { Queryable } from "./database.ts";
import { hasMoreThan, type PartOfMessage, receiptCounts, writeMessageEvents } from "./sql-texts.ts";
import type { PartReport } from "./progress.ts";
import { bool, int4, json, rows, rowStatement, text } from "./row-statement.ts";

/**
 * A received receipt, with the normal forms of its id under which a submission may be stored, best
 * first.
 */
export interface ReceiptToApply {
  readonly connectorId: number;
  readonly smscMessageId: string;
  readonly keys: readonly string[];
  /**
   * False when the connector's receipts write ids in another base, so that equal text proves
   * nothing.
   */
  readonly exact: boolean;
  /** Digits of the subscriber's number as in the receipt, or "". */
  readonly recipient: string;
  /** The number may be that of the line instead. */
  readonly isRecipientUnsure?: boolean;
  /** Other connectors of the same receipt group. */
  readonly group: readonly number[];
  readonly verdict: PartReport["verdict"];
  readonly state: string;
  readonly error: string | null;
  /** The first octets of its text. */
  readonly content: string | null;
  /** Absent: now. */
  readonly receivedAt?: Date;
}

interface MatchedRow extends PartOfMessage {
  readonly receiptNumber: number;
}

/** A part that was never answered. */
export interface PartNeverAnswered extends PartOfMessage {
  /** That it was submitted to. */
  readonly connectorId: number;
  /** "" if the person was erased. */
  readonly recipient: string;
}

// Receipts come within days. Older submissions under the same id come from an SMSC that has
// restarted its numbering.
const longestReceiptDelay = "interval '10 days'";

/**
 * Joins the submissions s under the key of each receipt r. As a subquery of its own, each key is looked up in the
 * index: a plan that was made while the table was small would read all of it. The later bound leaves out weeks to come;
 * an hour is more than clocks differ.
 */
const submissionsOfKey = `cross join lateral (
    select * from submission s
     where s.connector_id = r.connector_id and s.message_key = r.key and s.message_key <> ''
       and s.submitted_at > now() - ${longestReceiptDelay} and s.submitted_at < now() + interval '1 hour' offset 0) s`;

interface Candidate {
  readonly number: number;
  readonly receipt: ReceiptToApply;
  readonly connectorId: number;
  /** Whether this is the connector that received the receipt. */
  readonly isOwn: boolean;
}

/**
 * Whether the id alone is enough. It is on the receipt's own connector, unless the receipt names a
 * subscriber. A part to another subscriber only happens to have the same id: the SMSC has restarted
 * its numbering since, or the ids are equal only as numbers.
 */
function needsNoNumber({ receipt, isOwn }: Candidate): boolean {
  return isOwn && (receipt.isRecipientUnsure === true || parseRecipient(receipt.recipient) === undefined);
}

/** One row per receipt and connector of its group, so that one statement searches all of them. */
function candidatesOf(receipts: readonly ReceiptToApply[]): Candidate[] {
  return receipts.flatMap((receipt, number) => [
    { number, receipt, connectorId: receipt.connectorId, isOwn: true },
    ...receipt.group.map((connectorId) => ({ number, receipt, connectorId, isOwn: false })),
  ]);
}

/** A submission s that was erased (erase-person.ts) has no number: its id must do. */
const isSameRecipient = "s.recipient in (r.recipient, '')";

/**
 * Whether the receipt's own connector names the line of the message m: some lines have the form of
 * a subscriber's number, and then the receipt names no subscriber. Compared without the prefix.
 */
const isOfLine = "r.own and right(m.sender, 10) = right(r.recipient, 10)";

const candidateColumns = {
  receipt_number: int4<Candidate>("number"),
  connector_id: int4<Candidate>("connectorId"),
  own: bool<Candidate>("isOwn"),
  any_number: bool<Candidate>(needsNoNumber),
  recipient: text<Candidate>(({ receipt }) => receipt.recipient),
};

export const matchReceiptsExactlyStatement = rowStatement(
  "matchReceiptsExactly",
  {
    candidate: rows<Candidate>({
      ...candidateColumns,
      smsc_message_id: text(({ receipt }) => receipt.smscMessageId),
      key: text(({ receipt }) => receipt.keys[0] ?? ""),
    }),
  },
  ({ candidate }) => `with fitting as (
  select r.receipt_number, s.connector_id, s.account_id, s.message_id, s.part,
         first_value(s.connector_id) over best as best_connector_id, first_value(s.message_id) over best as best_message_id
    from ${candidate.as("r")}
    ${submissionsOfKey}
   where coalesce(s.smsc_message_id, s.message_key) = r.smsc_message_id
     and (r.any_number or ${isSameRecipient} or exists (select from message m where m.account_id = s.account_id and m.id = s.message_id and ${isOfLine}))
  window best as (partition by r.receipt_number order by r.own desc, (s.recipient = r.recipient) desc, s.submitted_at desc)
)
select distinct receipt_number as "receiptNumber", account_id as "accountId", message_id as "messageId", part
  from fitting where connector_id = best_connector_id and message_id = best_message_id`,
);

/**
 * Finds the parts whose SMSC id equals the receipt's id as text. Among several messages it prefers
 * the receipt's own connector, then the same recipient, then the latest. Returns receipt index →
 * the parts of one message that have the id.
 */
export async function matchReceiptsExactly(
  db: Queryable,
  receipts: readonly ReceiptToApply[],
): Promise<ReadonlyMap<number, readonly PartOfMessage[]>> {
  return byReceipt(
    await db.query<MatchedRow>(matchReceiptsExactlyStatement.with({ candidate: candidatesOf(receipts) })),
  );
}

function byReceipt<Row extends MatchedRow>(matched: readonly Row[]): ReadonlyMap<number, readonly Row[]> {
  const parts = new Map<number, Row[]>();
  for (const row of matched) {
    const others = parts.get(row.receiptNumber);
    if (others === undefined) parts.set(row.receiptNumber, [row]);
    else others.push(row);
  }
  return parts;
}

export const matchReceiptsByNumberStatement = rowStatement(
  "matchReceiptsByNumber",
  { candidate: rows<Candidate & { readonly key: string }>({ ...candidateColumns, key: text("key") }) },
  ({ candidate }) => `with fitting as (
  select distinct r.receipt_number, r.own, s.account_id, s.message_id, s.part, (s.recipient = r.recipient) as same_recipient,
         concat_ws(' ', s.connector_id, s.message_id, s.message_key) as id_of_message,
         ${receiptCounts}
           and ${hasMoreThan("s.part", "m.parts_delivered | m.parts_undelivered")} as open
    from ${candidate.as("r")}
    ${submissionsOfKey}
    join message m on m.account_id = s.account_id and m.id = s.message_id
     and (r.any_number or ${isSameRecipient} or ${isOfLine})
),
ranked as (
  select *, rank() over (partition by receipt_number order by own desc, open desc, same_recipient desc) as place from fitting where open or same_recipient
),
best as (
  select *, min(id_of_message) over of_receipt = max(id_of_message) over of_receipt as is_one
    from ranked where place = 1
  window of_receipt as (partition by receipt_number)
)
select receipt_number as "receiptNumber", account_id as "accountId", message_id as "messageId", part from best where is_one`,
);

/**
 * Finds the parts whose SMSC id is the same number as the receipt's id in another notation, when
 * the open parts of the connector, or else of its group, that fit are of one message and have one
 * id. If none fits, finds parts to the same recipient that already have a report: the receipt is a
 * repetition and need not wait.
 */
export async function matchReceiptsByNumber(
  db: Queryable,
  receipts: readonly ReceiptToApply[],
): Promise<ReadonlyMap<number, readonly PartOfMessage[]>> {
  const candidates = candidatesOf(receipts).flatMap((candidate) =>
    candidate.receipt.keys.map((key) => ({ ...candidate, key })),
  );
  return byReceipt(await db.query<MatchedRow>(matchReceiptsByNumberStatement.with({ candidate: candidates })));
}

export const matchReceiptsToUnansweredStatement = rowStatement(
  "matchReceiptsToUnanswered",
  {
    candidate: rows<Candidate>({ ...candidateColumns, keys: json(({ receipt }) => JSON.stringify(receipt.keys)) }),
  },
  ({ candidate }) => `with receipt as materialized (
  select * from ${candidate.as("r")}
),
held as (
  select r.receipt_number, h.account_id, h.message_id, h.part, h.connector_id, m.recipient, rank() over (partition by r.receipt_number order by r.own desc) as place
    from receipt r
    join held_message h on h.connector_id = r.connector_id and h.recipient = r.recipient
    join message m on m.account_id = h.account_id and m.id = h.message_id and m.reason = ${reasonCode.outcomeUnknown}
     and ${hasMoreThan("h.part", "m.parts_delivered | m.parts_undelivered")}
   where not exists (select from receipt same join claim c on c.connector_id = same.connector_id
                       cross join lateral unnest(c.account_ids, c.message_ids) as i (account_id, message_id)
                       join message o on o.account_id = i.account_id and o.id = i.message_id
                      where same.receipt_number = r.receipt_number and o.recipient = h.recipient)
     and not exists (select from receipt same cross join lateral json_array_elements_text(same.keys) as k (key)
                       join submission s on s.connector_id = same.connector_id and s.message_key = k.key and s.message_key <> ''
                        and s.recipient = h.recipient and s.submitted_at > now() - ${longestReceiptDelay}
                      where same.receipt_number = r.receipt_number)
),
fitting as (
  select h.receipt_number, h.account_id, h.message_id, h.part, h.connector_id, h.recipient,
         dense_rank() over (partition by h.account_id, h.message_id order by h.receipt_number) as receipt_place,
         dense_rank() over (partition by h.account_id, h.message_id order by h.part) as part_place,
         min(h.message_id::text) over one = max(h.message_id::text) over one as is_one
    from held h where place = 1
  window one as (partition by h.receipt_number)
)
select receipt_number as "receiptNumber", account_id as "accountId", message_id as "messageId", part, connector_id as "connectorId", recipient
  from fitting where is_one and receipt_place = part_place`,
);

/**
 * Finds parts for receipts that match no stored id: the unanswered parts to the recipient on the
 * connector, or else on its group, if all belong to one message. It does not matter which of its
 * parts gets which receipt; each part gets one. Finds nothing while another message to that
 * recipient is in progress, because the receipt may have arrived before that message's answer, nor
 * where that answer was recorded after the id was looked up: both are judged by one snapshot. No
 * two of the receipts may be equal: a repetition would be taken for the receipt of another part.
 */
export async function matchReceiptsToUnanswered(
  db: Queryable,
  receipts: readonly ReceiptToApply[],
): Promise<ReadonlyMap<number, readonly PartNeverAnswered[]>> {
  return byReceipt(
    await db.query<MatchedRow & PartNeverAnswered>(
      matchReceiptsToUnansweredStatement.with({ candidate: candidatesOf(receipts) }),
    ),
  );
}

/** A receipt's state and error, as shown in status answers. */
export function describeReceipt({ state, error }: { state: string; error?: string | null | undefined }): string {
  return error === null || error === undefined ? state : `${state} ${error}`;
}

export const parkReceiptsStatement = rowStatement(
  "parkReceipts",
  {
    receipt: rows<ReceiptToApply>({
      connector_id: int4("connectorId"),
      smsc_message_id: text("smscMessageId"),
      keys: json((receipt) => JSON.stringify(receipt.keys)),
      exact: bool("exact"),
      recipient: text("recipient"),
      verdict: text("verdict"),
      state: text("state"),
      error: text("error"),
      content: text("content"),
    }),
  },
  ({
    receipt,
  }) => `insert into unmatched_receipt (connector_id, smsc_message_id, keys, exact, recipient, verdict, state, error, content)
select connector_id, smsc_message_id, array(select json_array_elements_text(keys)), exact, recipient, verdict, state, error, content
  from ${receipt.as("r")}`,
);

/** Stores receipts that match nothing yet. */
export async function parkReceipts(tx: Queryable, receipts: readonly ReceiptToApply[]): Promise<void> {
  await tx.query(parkReceiptsStatement.with({ receipt: receipts }));
}

export interface ParkedReceipt extends Omit<ReceiptToApply, "group"> {
  readonly id: bigint;
  /**
   * A submission under one of its keys is recorded, or an unanswered part to its recipient is open.
   */
  readonly matchable: boolean;
}

/**
 * A page of the parked receipts, the latest first, below an id (without one from the top). `group`:
 * pairs of connectors of one receipt group. Not locked: `takeParkedReceipts` decides which node
 * applies a receipt.
 */
export function listParkedReceipts(
  tx: Queryable,
  { below, limit, group }: { below: bigint | undefined; limit: number; group: readonly (readonly [number, number])[] },
): Promise<ParkedReceipt[]> {
  return tx.query<ParkedReceipt>(
    "listParkedReceipts",
    `select u.id, u.connector_id as "connectorId", u.smsc_message_id as "smscMessageId", u.keys, u.exact, u.recipient, u.verdict, u.state, u.error,
       u.content, u.received_at as "receivedAt",
       exists (select from submission s where s.connector_id = u.connector_id and s.message_key = any (u.keys) and s.message_key <> ''
                  and s.submitted_at > now() - ${longestReceiptDelay})
       or exists (select from held_message h where h.connector_id = u.connector_id and h.recipient = u.recipient)
       or exists (select from unnest($3::int[], $4::int[]) as k (connector_id, kin_id)
                    join submission s on s.connector_id = k.kin_id and s.message_key = any (u.keys) and s.message_key <> ''
                     and s.recipient in (u.recipient, '') and s.submitted_at > now() - ${longestReceiptDelay}
                   where k.connector_id = u.connector_id)
       or exists (select from unnest($3::int[], $4::int[]) as k (connector_id, kin_id)
                    join held_message h on h.connector_id = k.kin_id and h.recipient = u.recipient
                   where k.connector_id = u.connector_id) as matchable
  from unmatched_receipt u
 where u.id < coalesce($1, 9223372036854775807) order by u.id desc limit $2`,
    [below, limit, group.map(([connectorId]) => connectorId), group.map(([, otherId]) => otherId)],
  );
}

/**
 * Takes receipts out, to be applied in the same transaction. Returns the ids of those that no other
 * node has taken.
 */
export async function takeParkedReceipts(tx: Queryable, ids: readonly bigint[]): Promise<ReadonlySet<bigint>> {
  const rows = await tx.query<{ id: bigint }>(
    "takeParkedReceipts",
    `delete from unmatched_receipt where id = any ($1::bigint[]) returning id`,
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Connectors whose receipt deadline was applied before, including removed ones. */
export async function listSweptConnectors(db: Queryable): Promise<number[]> {
  const rows = await db.query<{ connectorId: number }>(
    "listSweptConnectors",
    `select connector_id as "connectorId" from receipt_deadline order by connector_id`,
  );
  return rows.map(({ connectorId }) => connectorId);
}

/**
 * Ends the wait for receipts of one connector's parts: sent messages without a report within
 * `deadlineHours` get reason 1301. Proceeds in slices of submission time, and remembers its
 * position. Returns how many messages it ended.
 */
export async function endUnreported(
  tx: Queryable,
  { connectorId, deadlineHours }: { connectorId: number; deadlineHours: number },
): Promise<number> {
  const rows = await tx.query<{ ended: number }>(
    "endUnreported",
    `with slice as materialized (
  select coalesce((select done_until from receipt_deadline where connector_id = $1), '-infinity') as since,
         now() - make_interval(secs => $2 * 3600) as until
),
ended as (
  update message m set reason = ${reasonCode.noReceipt}, final_at = now()
    from (select distinct s.account_id, s.message_id from submission s, slice
           where s.connector_id = $1 and s.submitted_at > slice.since and s.submitted_at <= slice.until) due
   where m.account_id = due.account_id and m.id = due.message_id and m.status = ${messageStatus.sent} and m.reason is null
  returning m.account_id, m.id, m.status, m.reason, m.final_at as moved_at
),
${writeMessageEvents("ended")},
remembered as (
  insert into receipt_deadline (connector_id, done_until) select $1, until from slice where since < until
  on conflict (connector_id) do update set done_until = excluded.done_until
)
select count(*)::int as ended from ended`,
    [connectorId, deadlineHours],
  );
  return rows[0]?.ended ?? 0;
}
