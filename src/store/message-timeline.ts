// Reads everything that is on disk about one message of any account, for staff. Writes nothing and
// reads by keys, so it can be used on a busy database.
import type {
  ClaimRecord,
  HeldRecord,
  MessageRecord,
  NotTakenRecord,
  ParkedReceiptRecord,
  QueuedRecord,
  ReceiptRecord,
  SubmissionRecord,
} from "../sms/message-timeline.ts";
import { type NotTakenRun, notTakenRuns, type StoredNotTaken } from "../sms/not-taken.ts";
import { uuidCeiling, uuidFloor } from "../uuid.ts";
import type { Queryable } from "./database.ts";
import { findMessageOwners } from "./message-owners.ts";

interface FoundMessage extends Omit<
  MessageRecord,
  | "turnedAway"
  | "queued"
  | "claims"
  | "submissions"
  | "notTaken"
  | "notTakenDropped"
  | "receipts"
  | "held"
  | "refunds"
  | "parkedReceipts"
> {
  readonly turnedAwayTimes: number | null;
  readonly turnedAwayAt: Date | null;
  readonly turnedAwayBy: string | null;
  readonly turnedAwayAnswer: string | null;
  readonly storedNotTaken: StoredNotTaken | null;
  readonly accountId: number;
  readonly connectorId: number | null;
}

/**
 * Call it in a transaction that reads as of one instant. Returns undefined when no account has such
 * a message.
 */
export async function readMessageRecord(tx: Queryable, id: string): Promise<MessageRecord | undefined> {
  // Where statistics are missing, the planner would rather read everything.
  await tx.query({
    name: "preferIndexesOfTimeline",
    text: "/* preferIndexesOfTimeline */ set local enable_seqscan = off",
    values: [],
  });
  const message = await findMessage(tx, id);
  if (message === undefined) return undefined;
  const { connectorId, turnedAwayTimes, turnedAwayAt, turnedAwayBy, turnedAwayAnswer, storedNotTaken, ...rest } =
    message;
  const turnedAway =
    turnedAwayTimes !== null && turnedAwayAt !== null && turnedAwayBy !== null && turnedAwayAnswer !== null
      ? { times: turnedAwayTimes, at: turnedAwayAt, connector: turnedAwayBy, answer: turnedAwayAnswer }
      : undefined;
  const held = await listHeld(tx, message);
  const connectorIds = [...new Set([connectorId, ...held.map((part) => part.connectorId)])].filter(
    (each) => each !== null,
  );
  return {
    ...rest,
    turnedAway,
    queued: await findQueued(tx, message),
    claims: await listClaims(tx, id),
    submissions: await listSubmissions(tx, message),
    notTaken: await nameNotTaken(tx, notTakenRuns(storedNotTaken)),
    notTakenDropped: storedNotTaken?.dropped ?? 0,
    receipts: await listReceipts(tx, message),
    held: held.map(({ part, connector, until }) => ({ part, connector, until })),
    refunds: await listRefunds(tx, message),
    parkedReceipts: await listParked(tx, connectorIds, message.recipient),
  };
}

// The batch's charge carries the database's time; the id carries the time of the node that took the
// call.
async function findMessage(tx: Queryable, id: string): Promise<FoundMessage | undefined> {
  const rows = await tx.query<FoundMessage>({
    name: "findMessageForTimeline",
    text: `/* findMessageForTimeline */
select m.account_id as "accountId", coalesce(n.name, 'account ' || m.account_id) as account, m.id, m.batch_id as "batchId", m.sender, m.recipient, m.operator, m.parts, m.encoding, m.cost,
       m.status, m.reason, m.reason_detail as "reasonDetail", m.parts_taken as "partsTaken", m.parts_delivered as "partsDelivered",
       m.parts_undelivered as "partsUndelivered", m.send_at as "sendAt", m.valid_until as "validUntil", m.sent_at as "sentAt",
       m.final_at as "finalAt", m.connector_id as "connectorId",
       coalesce(c.name, 'connector ' || m.connector_id) as connector, m.turned_away as "turnedAwayTimes", m.turned_away_at as "turnedAwayAt", m.not_taken as "storedNotTaken",
       coalesce(t.name, 'connector ' || m.turned_away_by) as "turnedAwayBy", m.turned_away_answer as "turnedAwayAnswer",
       coalesce(e.created_at, to_timestamp(('x' || lpad(left(replace(m.id::text, '-', ''), 12), 16, '0'))::bit(64)::bigint / 1000.0))
         as "acceptedAt"
  from message m
  left join account n on n.id = m.account_id
  left join connector c on c.id = m.connector_id
  left join connector t on t.id = m.turned_away_by
  left join ledger_entry e on e.account_id = m.account_id and e.id = m.batch_id
 where m.account_id = any($2::int[]) and m.id = $1`,
    values: [id, await findMessageOwners(tx, id)],
  });
  return rows[0];
}

async function findQueued(tx: Queryable, message: FoundMessage): Promise<QueuedRecord | undefined> {
  const rows = await tx.query<QueuedRecord>({
    name: "findQueuedForTimeline",
    text: `/* findQueuedForTimeline */
select due_at as "dueAt", unanswered, exists (select from reference_wait w where w.recipient = $3 and w.message_id = $2) as "heldBack"
  from message_queue where account_id = $1 and message_id = $2`,
    values: [message.accountId, message.id, message.recipient],
  });
  return rows[0];
}

function listClaims(tx: Queryable, id: string): Promise<ClaimRecord[]> {
  return tx.query<ClaimRecord>({
    name: "listClaimsForTimeline",
    text: `/* listClaimsForTimeline */
select l.claimed_at as "claimedAt", coalesce(c.name, 'connector ' || l.connector_id) as connector, l.bind_number as "bindNumber",
       exists (select from node n where n.id = l.node_id and n.lease_until > now()) as alive
  from claim l left join connector c on c.id = l.connector_id
 where $1 = any (l.message_ids) order by l.claimed_at`,
    values: [id],
  });
}

// The index by message may be missing in weeks that an older version made: the time from acceptance
// to end narrows the search. A late answer, if any, comes soon after the end.
function listSubmissions(tx: Queryable, message: FoundMessage): Promise<SubmissionRecord[]> {
  return tx.query<SubmissionRecord>({
    name: "listSubmissionsForTimeline",
    text: `/* listSubmissionsForTimeline */
select s.submitted_at as at, s.part, coalesce(c.name, 'connector ' || s.connector_id) as connector,
       coalesce(s.smsc_message_id, s.message_key) as "smscMessageId", s.submitted_at - make_interval(secs => s.recorded_ms / 1000.0) as "writtenAt",
       s.answer_ms as "answerMs", s.bind_number as "bindNumber", r.host as node
  from submission s left join connector c on c.id = s.connector_id left join node_run r on r.number = s.node
 where s.account_id = $1 and s.message_id = $2 and s.submitted_at >= $3
   and s.submitted_at <= coalesce(greatest($4::timestamptz, $5::timestamptz) + interval '1 hour', now())
 order by s.submitted_at, s.part`,
    values: [message.accountId, message.id, message.acceptedAt, message.sentAt, message.finalAt],
  });
}

/** More than are kept of a message with many parts, each of which may have ten. */
const receiptsShown = 500;

function listReceipts(tx: Queryable, message: FoundMessage): Promise<ReceiptRecord[]> {
  return tx.query<ReceiptRecord>({
    name: "listReceiptsForTimeline",
    text: `/* listReceiptsForTimeline */
select r.received_at as at, r.part, coalesce(c.name, 'connector ' || r.connector_id) as connector, r.state, r.error, r.content, r.repeated
  from receipt r left join connector c on c.id = r.connector_id
 where r.account_id = $1 and r.message_id = $2 and r.received_at >= $3
 order by r.received_at, r.part limit ${receiptsShown}`,
    values: [message.accountId, message.id, message.acceptedAt],
  });
}

async function nameNotTaken(tx: Queryable, runs: readonly NotTakenRun[]): Promise<NotTakenRecord[]> {
  if (runs.length === 0) return [];
  const names = await tx.query<{ connector: string; node: string | null }>({
    name: "nameNotTakenForTimeline",
    text: `/* nameNotTakenForTimeline */
select coalesce(c.name, 'connector ' || u.connector_id) as connector, r.host as node
  from unnest($1::int[], $2::int[]) with ordinality as u (connector_id, node, place)
  left join connector c on c.id = u.connector_id left join node_run r on r.number = u.node
 order by u.place`,
    values: [runs.map(({ connectorId }) => connectorId), runs.map(({ node }) => node)],
  });
  return runs.map(({ connectorId, ...run }, index) => ({
    ...run,
    connector: names[index]?.connector ?? `connector ${connectorId}`,
    node: names[index]?.node ?? null,
  }));
}

function listHeld(tx: Queryable, message: FoundMessage): Promise<(HeldRecord & { connectorId: number })[]> {
  return tx.query<HeldRecord & { connectorId: number }>({
    name: "listHeldForTimeline",
    text: `/* listHeldForTimeline */
select h.part, h.connector_id as "connectorId", coalesce(c.name, 'connector ' || h.connector_id) as connector, h.held_until as until
  from held_message h left join connector c on c.id = h.connector_id
 where h.account_id = $1 and h.message_id = $2 order by h.part`,
    values: [message.accountId, message.id],
  });
}

// There is no index by message here either. The refund was written with the message's end, and its
// id carries a node's time of that moment.
function listRefunds(tx: Queryable, message: FoundMessage): Promise<{ at: Date; amount: bigint }[]> {
  return tx.query<{ at: Date; amount: bigint }>({
    name: "listRefundsForTimeline",
    text: `/* listRefundsForTimeline */
select created_at as at, amount from ledger_entry
 where account_id = $1 and message_id = $2 and kind = 'refund' and id between $3 and $4 order by created_at`,
    values: [message.accountId, message.id, ...aroundEnd(message)],
  });
}

/** The refund is found if the nodes' clocks are off by at most this. */
const clockErrorMs = 3_600_000;

function aroundEnd({ finalAt }: FoundMessage): readonly [string, string] {
  const endMs = finalAt?.getTime() ?? 0;
  return [uuidFloor(Math.max(0, endMs - clockErrorMs)), uuidCeiling(endMs + clockErrorMs)];
}

function listParked(tx: Queryable, connectorIds: readonly number[], recipient: string): Promise<ParkedReceiptRecord[]> {
  return tx.query<ParkedReceiptRecord>({
    name: "listParkedForTimeline",
    text: `/* listParkedForTimeline */
select u.received_at as at, coalesce(c.name, 'connector ' || u.connector_id) as connector, u.smsc_message_id as "smscMessageId", u.state
  from unmatched_receipt u left join connector c on c.id = u.connector_id
 where u.connector_id = any ($1::int[]) and u.recipient = $2 order by u.id`,
    values: [connectorIds, recipient],
  });
}
