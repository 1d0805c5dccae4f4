// Records the progress of messages: parts accepted by an SMSC, receipts for parts, and finished
// claims. One statement and one commit write a group of changes, with one update per message.
import type { FailureReason } from "../sms/failure-reason.ts";
import { bitsOf } from "../sms/segmentation.ts";
import { messageStatus, reasonCode } from "../sms/message-status.ts";
import type { Queryable } from "./database.ts";
import {
  keepRepeatedReceipts,
  type KeptReceipt,
  type ReceiptOfPart,
  receiptRows,
  receiptsKept,
} from "./kept-receipts.ts";
import {
  allPartBits,
  idBounds,
  noteChanges,
  type PartOfMessage,
  receiptCounts,
  writeMessageEvents,
} from "./sql-texts.ts";
import { byWeek, idRange, int2, int4, rows, type RowsInText, text, uuid } from "./row-statement.ts";

/** One part that an SMSC accepted. */
export interface PartTaken extends PartOfMessage {
  readonly connectorId: number;
  readonly recipient: string;
  /** The normalized id that receipts are looked up by; "" if the SMSC gave none. */
  readonly smscIdKey: string;
  readonly smscMessageId: string;
  /** How it was submitted and answered; absent where that is not known. */
  readonly bindNumber?: number;
  /** The number of the node's run. */
  readonly node?: number;
  /** When it was written, by the monotonic clock of `performance.now`. */
  readonly writtenAt?: number;
  /** Whole milliseconds. */
  readonly answerMs?: number;
  /** It was never answered: a receipt proves it, and the id is that of the receipt. */
  readonly byReceipt?: true;
}

/** The state of one part in a receipt. */
export interface PartReport extends PartOfMessage {
  readonly verdict: "delivered" | "undelivered";
  /** For an undelivered part: the receipt's state and error, shown to the caller. */
  readonly detail: string;
  /** What that error means. */
  readonly failure?: FailureReason | undefined;
  /** Kept for staff and customers to see. */
  readonly receipt?: KeptReceipt | undefined;
}

export interface Progress {
  readonly taken?: readonly PartTaken[];
  readonly reports?: readonly PartReport[];
  readonly finishedClaims?: readonly string[];
}

/** How many messages reached a status by it. */
export interface Ended {
  /** Those whose last part has been taken by this. */
  readonly sent: number;
  readonly delivered: number;
  readonly undelivered: number;
}

export const nothingEnded: Ended = { sent: 0, delivered: 0, undelivered: 0 };

// The new state is computed from the row while its lock is held, so another node's change of the
// same message is never undone. An answer counts while the message waits. A receipt counts until
// the message is final, and later if the message ended only for lack of a receipt (1301) or of an
// answer (1302). A receipt also proves that its part was accepted, even if the answer was late or
// missing. A message is delivered when all parts are, and undelivered when one part is. The first
// receipt for a part counts. Times are those of the statement.
//
// The range of ids excludes nothing. Of the table, it skips partitions. Of the rows given, it makes the
// planner expect a single one, so that each message is looked up by its key. Otherwise a plan that
// was made while the table was small reads all of it.
const taken = `((m.parts_taken | case when m.status = ${messageStatus.waiting} then t.taken else 0 end | t.delivered | t.undelivered) & ${allPartBits})`;
const delivered = `(m.parts_delivered | (t.delivered & ~m.parts_undelivered & ${allPartBits}))`;
const undelivered = `(m.parts_undelivered | (t.undelivered & ~m.parts_delivered & ${allPartBits}))`;

/** The progress of one message: bit n-1 is part n. */
interface MessageProgress {
  readonly accountId: number;
  readonly messageId: string;
  connectorId: number | null;
  taken: number;
  delivered: number;
  undelivered: number;
  detail: string | null;
  /** Of that detail: JSON. */
  failure: string | undefined;
  /** Reports of parts that had one. */
  repeated: number;
}

const progressParameters = {
  part: rows<PartTaken>({
    account_id: int4("accountId"),
    message_id: uuid("messageId"),
    part: int2("part"),
    connector_id: int4("connectorId"),
    recipient: text("recipient"),
    message_key: text("smscIdKey"),
    smsc_message_id: text("smscMessageId"),
    recorded_ms: int4(recordedMs),
    answer_ms: int4("answerMs"),
    node: int4("node"),
    bind_number: int2("bindNumber"),
  }),
  finishedClaim: rows<string>({ id: uuid((id) => id) }),
  message: rows<MessageProgress>({
    account_id: int4("accountId"),
    message_id: uuid("messageId"),
    connector_id: int4("connectorId"),
    taken: int4("taken"),
    delivered: int4("delivered"),
    undelivered: int4("undelivered"),
    detail: text("detail"),
    failure: text("failure"),
  }),
  ...idBounds,
  receipt: receiptRows,
};

/**
 * Without an answer: what a receipt proves (message-timeline.ts). Within the column's range, 24 days. Not
 * rounded up: the part would seem to be written earlier than it was.
 */
function recordedMs({ writtenAt, byReceipt }: PartTaken): number | undefined {
  if (byReceipt === true) return 0;
  if (writtenAt === undefined) return undefined;
  return Math.min(Math.max(0, Math.floor(performance.now() - writtenAt)), 2 ** 31 - 1);
}

type ProgressInText = {
  readonly [Name in keyof typeof progressParameters]: Name extends "leastId" | "greatestId" ? string : RowsInText;
};

function recordProgressText(
  { part, finishedClaim, message, leastId, greatestId, receipt }: ProgressInText,
  isInWeek: string,
  wanted?: RowsInText,
): string {
  return `with stored as (
  insert into submission (submitted_at, connector_id, message_key, smsc_message_id, account_id, message_id, part, recipient,
                          recorded_ms, answer_ms, node, bind_number)
  select statement_timestamp(), connector_id, message_key, nullif(smsc_message_id, message_key), account_id, message_id, part, recipient,
         recorded_ms, answer_ms, node, bind_number
    from ${part.as("p")}
),
finished as (delete from claim where id = any (${finishedClaim.array("id")})),
changed as (
  update message m
     set parts_taken = ${taken}, parts_delivered = ${delivered}, parts_undelivered = ${undelivered},
         connector_id = case when m.status = ${messageStatus.waiting} then coalesce(t.connector_id, m.connector_id) else m.connector_id end,
         sent_at = case when ${taken} = ${allPartBits} then coalesce(m.sent_at, statement_timestamp()) end,
         status = case when ${taken} <> ${allPartBits} then m.status
                       when ${undelivered} <> 0 then ${messageStatus.undelivered} when ${delivered} = ${allPartBits} then ${messageStatus.delivered}
                       when m.status = ${messageStatus.unsent} then ${messageStatus.unsent} else ${messageStatus.sent} end,
         final_at = case when ${taken} = ${allPartBits} and (${undelivered} <> 0 or ${delivered} = ${allPartBits}) then statement_timestamp() else m.final_at end,
         reason = case when ${taken} <> ${allPartBits} then m.reason
                       when ${undelivered} <> 0 then ${reasonCode.undelivered}
                       when ${delivered} = ${allPartBits} or m.status = ${messageStatus.waiting} then null else m.reason end,
         reason_detail = case when ${undelivered} <> 0 then coalesce(t.detail, m.reason_detail) end,
         failure = case when ${undelivered} <> 0 then case when t.detail is null then m.failure else t.failure::jsonb end end
    from (select * from ${message.as("u")} where message_id between ${leastId} and ${greatestId}) t
   where m.account_id = t.account_id and m.id = t.message_id and m.id between ${leastId} and ${greatestId} and ${isInWeek}
     and ((m.status = ${messageStatus.waiting} and t.taken <> 0)
       or (${receiptCounts}
         and (${delivered} <> m.parts_delivered or ${undelivered} <> m.parts_undelivered)))
  returning m.account_id, m.id, m.status, m.sent_at, m.reason, m.recipient,
            case when m.status in (${messageStatus.delivered}, ${messageStatus.undelivered}) or (m.status = ${messageStatus.sent} and m.sent_at = statement_timestamp())
                 then statement_timestamp() end as moved_at
),
${noteChanges("changed")},${
    wanted === undefined
      ? ""
      : `
${writeMessageEvents("changed", `(select * from ${wanted.as("g")})`)},`
  }
told as (
  insert into receipt (received_at, message_id, account_id, connector_id, part, repeated, state, error, content)
  select coalesce(received_at, statement_timestamp()), message_id, account_id, connector_id, part, repeated, state, error,
         case when message_id in (select id from changed where recipient = '') then '' else content end
    from ${receipt.as("r")}
   where message_id in (select id from changed)
)
select (count(*) filter (where sent_at = statement_timestamp()))::int as sent, (count(*) filter (where status = ${messageStatus.delivered}))::int as delivered, (count(*) filter (where status = ${messageStatus.undelivered}))::int as undelivered,
       case when count(*) < cardinality(${message.array("message_id")}) then (
         select array_agg(message_id) from unnest(${receipt.array("message_id")}) as r (message_id) where message_id not in (select id from changed)) end as repeated
  from changed`;
}

/** Where nobody wants events of these messages. */
export const recordProgressStatement = byWeek("recordProgress", progressParameters, recordProgressText);

export const recordProgressWithEventsStatement = byWeek(
  "recordProgressWithEvents",
  {
    ...progressParameters,
    wanted: rows<readonly [accountId: number, mask: number]>({
      account_id: int4(([accountId]) => accountId),
      mask: int4(([, mask]) => mask),
    }),
  },
  ({ wanted, ...given }, isInWeek) => recordProgressText(given, isInWeek, wanted),
);

/**
 * Records accepted parts and receipts. The submission row of an accepted part is always stored,
 * even if its message has ended meanwhile. Recording the same fact twice has no further effect.
 */
export async function recordProgress(
  db: Queryable,
  { taken: parts = [], reports = [], finishedClaims = [] }: Progress,
  wantedOf: WantedEvents = nothingWanted,
): Promise<Ended> {
  const { messages, receipts } = foldByMessage(parts, reports);
  const range = idRange(messages);
  const given = { part: parts, finishedClaim: finishedClaims, message: messages, ...range, receipt: receipts };
  const wanted = wantedByAccounts(messages, wantedOf);
  const [row] = await db.query<Ended & { readonly repeated: readonly string[] | null }>(
    wanted === undefined
      ? recordProgressStatement.of(range).with(given)
      : recordProgressWithEventsStatement.of(range).with({ ...given, wanted }),
  );
  if (row === undefined) return nothingEnded;
  const { repeated, ...ended } = row;
  if (repeated !== null) await keepRepeatedReceipts(db, receipts, new Set(repeated));
  return ended;
}

/** The events that an account wants, as a mask of types (event-types.ts). */
export type WantedEvents = (accountId: number) => number;

const nothingWanted: WantedEvents = () => 0;

/** By account, in whose order the messages are; undefined where nothing is wanted. */
function wantedByAccounts(
  messages: readonly MessageProgress[],
  wantedOf: WantedEvents,
): (readonly [accountId: number, mask: number])[] | undefined {
  let wanted: [number, number][] | undefined;
  let before: number | undefined;
  for (const { accountId } of messages) {
    if (accountId === before) continue;
    before = accountId;
    const mask = wantedOf(accountId);
    if (mask !== 0) (wanted ??= []).push([accountId, mask]);
  }
  return wanted;
}

/**
 * One entry per message, ordered by account and id, the order in which all statements lock
 * messages.
 */
function foldByMessage(
  parts: readonly PartTaken[],
  reports: readonly PartReport[],
): { readonly messages: readonly MessageProgress[]; readonly receipts: readonly ReceiptOfPart[] } {
  const messages = new Map<string, MessageProgress>();
  const of = ({ accountId, messageId }: PartOfMessage): MessageProgress => {
    let message = messages.get(messageId);
    if (message === undefined) {
      message = {
        accountId,
        messageId,
        connectorId: null,
        taken: 0,
        delivered: 0,
        undelivered: 0,
        detail: null,
        failure: undefined,
        repeated: 0,
      };
      messages.set(messageId, message);
    }
    return message;
  };
  for (const part of parts) {
    const message = of(part);
    message.taken |= bitsOf(part.part);
    message.connectorId = part.connectorId;
  }
  const receipts: ReceiptOfPart[] = [];
  for (const report of reports) {
    const message = of(report);
    const repeated = !foldReport(message, report);
    if (repeated) message.repeated += 1;
    const { accountId, messageId, part, receipt } = report;
    if (receipt && message.repeated < receiptsKept) receipts.push({ accountId, messageId, part, receipt, repeated });
  }
  const sorted = [...messages.values()].sort(
    (left, right) => left.accountId - right.accountId || (left.messageId < right.messageId ? -1 : 1),
  );
  return { messages: sorted, receipts };
}

/** Returns whether it is the part's first report. */
function foldReport(message: MessageProgress, { part, verdict, detail, failure }: PartReport): boolean {
  const bits = bitsOf(part) & ~(message.delivered | message.undelivered);
  message[verdict] |= bits;
  if (verdict === "undelivered" && bits !== 0 && message.detail === null) {
    message.detail = detail;
    message.failure = failure && JSON.stringify(failure);
  }
  return bits !== 0;
}
