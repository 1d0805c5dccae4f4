// The statement that records how messages get on: parts taken by an SMSC, parts reported on, claims that are done with. All that one moment has
// brought goes in one statement, one commit and one update a message.
import { int2Array, int4Array, textArray, uuidArray } from "./array-parameters.ts";
import { bitsOf, type PartNumber } from "../sms/message-parts.ts";
import { messageStatus } from "../sms/message-status.ts";
import type { Telemetry } from "../telemetry.ts";
import type { Queryable } from "./database.ts";
import { allPartBits } from "./part-bits.ts";

/** One part of a message. */
export interface PartOfMessage {
  readonly accountId: number;
  readonly messageId: string;
  readonly part: PartNumber;
}

/** One part that an SMSC took. */
export interface PartTaken extends PartOfMessage {
  readonly connectorId: number;
  readonly recipient: string;
  /** The id's normal form that receipts are looked up by; "" when the SMSC gave none. */
  readonly messageKey: string;
  readonly smscMessageId: string;
}

/** What a receipt says of one part. */
export interface PartReport extends PartOfMessage {
  readonly verdict: "delivered" | "undelivered";
  /** Of an undelivered part: the receipt's state and error, for the caller. */
  readonly detail: string;
}

export interface Progress {
  readonly taken?: readonly PartTaken[];
  readonly reports?: readonly PartReport[];
  readonly finishedClaims?: readonly string[];
}

/** Messages that came to their final status. */
export interface Ended {
  readonly delivered: number;
  readonly undelivered: number;
}

// All is reckoned from the row as it stands when its lock is held, so that another node's change of the same message is never undone. An answer
// counts while the message waits. A receipt counts until the message is final, and beyond where only the lack of a receipt (1301) or of an answer
// (1302) had ended it; it is also the proof that its part was taken, whether or not the answer that said so came in time. Delivered when all parts
// are, undelivered when one is; the first report on a part counts.
const taken = `((m.parts_taken | case when m.status = 0 then t.taken else 0 end | t.delivered | t.undelivered) & ${allPartBits})`;
const delivered = `(m.parts_delivered | (t.delivered & ~m.parts_undelivered & ${allPartBits}))`;
const undelivered = `(m.parts_undelivered | (t.undelivered & ~m.parts_delivered & ${allPartBits}))`;

/** A message's share of the progress: bit n-1 stands for part n. */
interface MessageProgress {
  readonly accountId: number;
  readonly messageId: string;
  connectorId: number | null;
  taken: number;
  delivered: number;
  undelivered: number;
  detail: string | null;
}

/**
 * Records parts that were taken and parts that were reported on. The submission row of a taken part is stored whatever has become of its
 * message meanwhile, for the truth of the record. What is recorded twice changes nothing the second time.
 */
export async function recordProgress(
  db: Queryable,
  { taken: parts = [], reports = [], finishedClaims = [] }: Progress,
): Promise<Ended> {
  const messages = foldByMessage(parts, reports);
  const rows = await db.query<Ended>({
    name: "recordProgress",
    text: `/* recordProgress */
with stored as (
  insert into submission (submitted_at, connector_id, message_key, smsc_message_id, account_id, message_id, part, recipient)
  select now(), connector_id, message_key, nullif(smsc_message_id, message_key), account_id, message_id, part, recipient
    from unnest($1::int[], $2::uuid[], $3::smallint[], $4::int[], $5::text[], $6::text[], $7::text[])
      as p (account_id, message_id, part, connector_id, recipient, message_key, smsc_message_id)
),
finished as (delete from claim where id = any ($8::uuid[])),
changed as (
  update message m
     set parts_taken = ${taken}, parts_delivered = ${delivered}, parts_undelivered = ${undelivered},
         connector_id = case when m.status = 0 then coalesce(t.connector_id, m.connector_id) else m.connector_id end,
         sent_at = case when ${taken} = ${allPartBits} then coalesce(m.sent_at, now()) end,
         status = case when ${taken} <> ${allPartBits} then m.status
                       when ${undelivered} <> 0 then 3 when ${delivered} = ${allPartBits} then 2
                       when m.status = 4 then 4 else 1 end,
         final_at = case when ${taken} = ${allPartBits} and (${undelivered} <> 0 or ${delivered} = ${allPartBits}) then now() else m.final_at end,
         reason = case when ${taken} <> ${allPartBits} then m.reason
                       when ${undelivered} <> 0 then 1306
                       when ${delivered} = ${allPartBits} or m.status = 0 then null else m.reason end,
         reason_detail = case when ${undelivered} <> 0 then coalesce(t.detail, m.reason_detail) end
    from unnest($9::int[], $10::uuid[], $11::int[], $12::int[], $13::int[], $14::int[], $15::text[])
      as t (account_id, message_id, connector_id, taken, delivered, undelivered, detail)
   where m.account_id = t.account_id and m.id = t.message_id and m.id between $16 and $17
     and ((m.status = 0 and t.taken <> 0)
       or ((m.status in (0, 1) or m.reason in (1301, 1302))
         and (${delivered} <> m.parts_delivered or ${undelivered} <> m.parts_undelivered)))
  returning m.status
)
select (count(*) filter (where status = 2))::int as delivered, (count(*) filter (where status = 3))::int as undelivered from changed`,
    values: [
      int4Array(parts.map((part) => part.accountId)),
      uuidArray(parts.map((part) => part.messageId)),
      int2Array(parts.map((part) => part.part)),
      int4Array(parts.map((part) => part.connectorId)),
      textArray(parts.map((part) => part.recipient)),
      textArray(parts.map((part) => part.messageKey)),
      textArray(parts.map((part) => part.smscMessageId)),
      uuidArray(finishedClaims),
      int4Array(messages.map((message) => message.accountId)),
      uuidArray(messages.map((message) => message.messageId)),
      int4Array(messages.map((message) => message.connectorId)),
      int4Array(messages.map((message) => message.taken)),
      int4Array(messages.map((message) => message.delivered)),
      int4Array(messages.map((message) => message.undelivered)),
      textArray(messages.map((message) => message.detail)),
      ...idRange(messages),
    ],
  });
  return rows[0] ?? { delivered: 0, undelivered: 0 };
}

/** One entry a message, by account and id: whoever locks messages locks them in that order. */
function foldByMessage(parts: readonly PartTaken[], reports: readonly PartReport[]): MessageProgress[] {
  const messages = new Map<string, MessageProgress>();
  const of = ({ accountId, messageId }: PartOfMessage): MessageProgress => {
    let message = messages.get(messageId);
    if (message === undefined) {
      message = { accountId, messageId, connectorId: null, taken: 0, delivered: 0, undelivered: 0, detail: null };
      messages.set(messageId, message);
    }
    return message;
  };
  for (const part of parts) {
    const message = of(part);
    message.taken |= bitsOf(part.part);
    message.connectorId = part.connectorId;
  }
  for (const report of reports) foldReport(of(report), report);
  return [...messages.values()].sort(
    (left, right) => left.accountId - right.accountId || (left.messageId < right.messageId ? -1 : 1),
  );
}

function foldReport(message: MessageProgress, { part, verdict, detail }: PartReport): void {
  const bits = bitsOf(part) & ~(message.delivered | message.undelivered);
  message[verdict] |= bits;
  if (verdict === "undelivered" && bits !== 0) message.detail ??= detail;
}

/** Tells of messages that came to their final status. */
export function tellEnded(telemetry: Telemetry, { delivered, undelivered }: Ended): void {
  if (delivered > 0) telemetry.emit("message.ended", { status: messageStatus.delivered, count: delivered });
  if (undelivered > 0) telemetry.emit("message.ended", { status: messageStatus.undelivered, count: undelivered });
}

/** The least and the greatest message id: with them the planner leaves out the weeks that none of the messages lies in. */
export function idRange(rows: readonly { messageId: string }[]): [string, string] {
  let least = "ffffffff-ffff-ffff-ffff-ffffffffffff";
  let greatest = "00000000-0000-0000-0000-000000000000";
  for (const { messageId } of rows) {
    if (messageId < least) least = messageId;
    if (messageId > greatest) greatest = messageId;
  }
  return [least, greatest];
}
