// Reads everything that is on disk about one message of any account, for staff. Writes nothing and
// reads by keys, so it can be used on a busy database.
import type {
  ClaimRecord,
  HeldRecord,
  OrphanedClaimRecord,
  MessageRecord,
  NotTakenRecord,
  ParkedReceiptRecord,
  QueuedRecord,
  ReceiptRecord,
  SubmissionRecord,
} from "../sms/message-timeline.ts";
import { notTakenRuns, type StoredNotTaken } from "../sms/not-taken.ts";
import { uuidCeiling, uuidFloor } from "../platform/uuid.ts";
import type { Queryable, Transactional } from "./database.ts";
import { preferIndexes, readAsOfNow } from "./transaction-settings.ts";
import { timeOfId } from "./sql-texts.ts";
import { entriesKept, type StoredLateAnswer, type StoredOrphanedClaim } from "./claims.ts";
import { ownersBetween, weekOf } from "./message-reads.ts";

interface FoundMessage extends Omit<
  MessageRecord,
  | "turnedAway"
  | "queued"
  | "claims"
  | "submissions"
  | "notTaken"
  | "notTakenDropped"
  | "lateAnswers"
  | "orphanedClaims"
  | "moreDropped"
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
  readonly storedLateAnswers: readonly StoredLateAnswer[] | null;
  readonly storedOrphanedClaims: readonly StoredOrphanedClaim[] | null;
  readonly accountId: number;
  readonly connectorId: number | null;
}

/**
 * Reads as of one instant. `accountId`: whose it must be; undefined: anybody's. Undefined when
 * there is no such message. Its statements go to the database in two groups, each of them sent
 * at once: `db` must be pipelined.
 */
export function readMessageRecord(
  db: Transactional,
  id: string,
  accountId?: number,
): Promise<MessageRecord | undefined> {
  return db.transaction(async (tx) => {
    const [, , message] = await Promise.all([readAsOfNow(tx), preferIndexes(tx), findMessage(tx, id, accountId)]);
    return message && readAround(tx, message);
  });
}

async function readAround(tx: Queryable, found: FoundMessage): Promise<MessageRecord> {
  const { turnedAwayTimes, turnedAwayAt, turnedAwayBy, turnedAwayAnswer, ...others } = found;
  const { storedNotTaken, storedLateAnswers, storedOrphanedClaims, ...message } = others;
  const runs = notTakenRuns(storedNotTaken);
  const [late, orphaned] = [storedLateAnswers ?? [], storedOrphanedClaims ?? []];
  const [queued, claims, submissions, receipts, held, refunds, parkedReceipts, names] = await Promise.all([
    findQueued(tx, found),
    listClaims(tx, found.id),
    listSubmissions(tx, found),
    listReceipts(tx, found),
    listHeld(tx, found),
    listRefunds(tx, found),
    listParked(tx, found),
    runs.length + late.length + orphaned.length === 0 ? noNames : readNames(tx),
  ]);
  const turnedAway =
    turnedAwayTimes !== null && turnedAwayAt !== null && turnedAwayBy !== null && turnedAwayAnswer !== null
      ? { times: turnedAwayTimes, at: turnedAwayAt, connector: turnedAwayBy, answer: turnedAwayAnswer }
      : undefined;
  return {
    ...message,
    ...{ turnedAway, queued, claims, submissions, receipts, held, refunds, parkedReceipts },
    notTaken: runs.map(({ connectorId, node, ...run }) => ({ ...run, ...names.of(connectorId, node) })),
    notTakenDropped: storedNotTaken?.dropped ?? 0,
    lateAnswers: late.slice(0, entriesKept).map((answer) => describeLate(answer, names)),
    orphanedClaims: orphaned.slice(0, entriesKept).map((claim) => describeOrphaned(claim, names)),
    moreDropped: Math.max(late.length, orphaned.length) > entriesKept,
  };
}

function describeLate(
  { part, connector, bind: bindNumber, node, answer, answerMs, writtenAt }: StoredLateAnswer,
  names: Names,
): NotTakenRecord {
  const at = new Date(writtenAt);
  return { part, bindNumber, answer, answerMs, times: 1, firstAt: at, lastAt: at, ...names.of(connector, node) };
}

function describeOrphaned(
  { connector, bind: bindNumber, host, ...times }: StoredOrphanedClaim,
  names: Names,
): OrphanedClaimRecord {
  const [claimedAt, at] = [new Date(times.claimedAt), new Date(times.at)];
  return { claimedAt, at, bindNumber, connector: names.of(connector, -1).connector, node: host };
}

// The batch's charge carries the database's time; the id carries the time of the node that took the
// call.
async function findMessage(
  tx: Queryable,
  id: string,
  accountId: number | undefined,
): Promise<FoundMessage | undefined> {
  const rows = await tx.query<FoundMessage>(
    "findMessageForTimeline",
    `with recursive ${ownersBetween("$3", "$4")}
select m.account_id as "accountId", coalesce(n.name, 'account ' || m.account_id) as account, m.id, m.batch_id as "batchId", m.sender, m.recipient, m.operator, m.parts, m.encoding, m.cost,
       m.status, m.reason, m.reason_detail as "reasonDetail", m.failure, m.parts_taken as "partsTaken", m.parts_delivered as "partsDelivered",
       m.parts_undelivered as "partsUndelivered", m.send_at as "sendAt", m.valid_until as "validUntil", m.sent_at as "sentAt",
       m.final_at as "finalAt", m.connector_id as "connectorId",
       coalesce(c.name, 'connector ' || m.connector_id) as connector, m.turned_away as "turnedAwayTimes", m.turned_away_at as "turnedAwayAt", m.not_taken as "storedNotTaken",
       m.late_answers as "storedLateAnswers", m.orphaned_claims as "storedOrphanedClaims",
       coalesce(t.name, 'connector ' || m.turned_away_by) as "turnedAwayBy", m.turned_away_answer as "turnedAwayAnswer",
       coalesce(e.created_at, ${timeOfId("m.id")})
         as "acceptedAt"
  from (select id from owner where $2::int is null union all select $2::int) whose
  join message m on m.account_id = whose.id and m.id = $1
  left join account n on n.id = m.account_id
  left join configured_object c on c.id = m.connector_id
  left join configured_object t on t.id = m.turned_away_by
  left join ledger_entry e on e.account_id = m.account_id and e.id = m.batch_id
 limit 1`,
    [id, accountId, ...weekOf(id)],
  );
  return rows[0];
}

async function findQueued(tx: Queryable, message: FoundMessage): Promise<QueuedRecord | undefined> {
  const rows = await tx.query<QueuedRecord>(
    "findQueuedForTimeline",
    `select least(greatest(due_at, now()), valid_until) as "dueAt", due_at <= now() as "isDue", route_id as "routeId", wanted_at as "wantedAt", unanswered, exists (select from reference_wait w where w.recipient = $3 and w.message_id = $2) as "heldBack"
  from message_queue where account_id = $1 and message_id = $2`,
    [message.accountId, message.id, message.recipient],
  );
  return rows[0];
}

function listClaims(tx: Queryable, id: string): Promise<ClaimRecord[]> {
  return tx.query<ClaimRecord>(
    "listClaimsForTimeline",
    `select l.claimed_at as "claimedAt", coalesce(c.name, 'connector ' || l.connector_id) as connector, l.bind_number as "bindNumber",
       exists (select from node n where n.id = l.node_id and n.lease_until > now()) as alive
  from claim l left join configured_object c on c.id = l.connector_id
 where $1 = any (l.message_ids) order by l.claimed_at`,
    [id],
  );
}

// The time from acceptance to end narrows the search to few partitions. A late answer, if any, comes
// soon after the end. What only a receipt proves has no answer but a time (progress.ts).
function listSubmissions(tx: Queryable, message: FoundMessage): Promise<SubmissionRecord[]> {
  return tx.query<SubmissionRecord>(
    "listSubmissionsForTimeline",
    `select s.submitted_at as at, s.part, coalesce(c.name, 'connector ' || s.connector_id) as connector,
       coalesce(s.smsc_message_id, s.message_key) as "smscMessageId", s.submitted_at - make_interval(secs => s.recorded_ms / 1000.0) as "writtenAt",
       s.answer_ms as "answerMs", s.bind_number as "bindNumber", r.host as node
  from submission s left join configured_object c on c.id = s.connector_id left join node_run r on r.number = s.node
 where s.account_id = $1 and s.message_id = $2 and s.submitted_at >= $3
   and s.submitted_at <= coalesce(greatest($4::timestamptz, $5::timestamptz) + interval '1 hour', now())
   and (s.answer_ms is not null or s.recorded_ms is null)
 order by s.submitted_at, s.part`,
    [message.accountId, message.id, message.acceptedAt, message.sentAt, message.finalAt],
  );
}

/** More than are kept of a message with many parts, each of which may have ten. */
const receiptsShown = 500;

function listReceipts(tx: Queryable, message: FoundMessage): Promise<ReceiptRecord[]> {
  return tx.query<ReceiptRecord>(
    "listReceiptsForTimeline",
    `select r.received_at as at, r.part, coalesce(c.name, 'connector ' || r.connector_id) as connector, r.state, r.error, r.content, r.repeated
  from receipt r left join configured_object c on c.id = r.connector_id
 where r.account_id = $1 and r.message_id = $2 and r.received_at >= $3
 order by r.received_at, r.part limit ${receiptsShown}`,
    [message.accountId, message.id, message.acceptedAt],
  );
}

interface Names {
  readonly of: (connectorId: number, node: number) => { readonly connector: string; readonly node: string | null };
}

const noNames: Names = { of: (connectorId) => ({ connector: `connector ${connectorId}`, node: null }) };

/** Of connectors, and of the hosts of nodes by the numbers of their runs: few rows. */
async function readNames(tx: Queryable): Promise<Names> {
  const [row] = await tx.query<{
    readonly connectors: Readonly<Record<string, string>> | null;
    readonly nodes: Readonly<Record<string, string>> | null;
  }>(
    "readNamesForTimeline",
    `select (select jsonb_object_agg(id, name) from configured_object where section = 'connectors') as connectors, (select jsonb_object_agg(number, host) from node_run) as nodes`,
  );
  return {
    of: (connectorId, node) => ({
      connector: row?.connectors?.[connectorId] ?? `connector ${connectorId}`,
      node: row?.nodes?.[node] ?? null,
    }),
  };
}

function listHeld(tx: Queryable, message: FoundMessage): Promise<HeldRecord[]> {
  return tx.query<HeldRecord>(
    "listHeldForTimeline",
    `select h.part, coalesce(c.name, 'connector ' || h.connector_id) as connector, h.held_until as until
  from held_message h left join configured_object c on c.id = h.connector_id
 where h.account_id = $1 and h.message_id = $2 order by h.part`,
    [message.accountId, message.id],
  );
}

// There is no index by message here either. The refund was written with the message's end, and its
// id carries a node's time of that moment.
function listRefunds(tx: Queryable, message: FoundMessage): Promise<{ at: Date; amount: bigint }[]> {
  return tx.query<{ at: Date; amount: bigint }>(
    "listRefundsForTimeline",
    `select created_at as at, amount from ledger_entry
 where account_id = $1 and message_id = $2 and kind = 'refund' and id between $3 and $4 order by created_at`,
    [message.accountId, message.id, ...aroundEnd(message)],
  );
}

/** The refund is found if the nodes' clocks are off by at most this. */
const clockErrorMs = 3_600_000;

function aroundEnd({ finalAt }: FoundMessage): readonly [string, string] {
  const endMs = finalAt?.getTime() ?? 0;
  return [uuidFloor(Math.max(0, endMs - clockErrorMs)), uuidCeiling(endMs + clockErrorMs)];
}

function listParked(
  tx: Queryable,
  { accountId, id, connectorId, recipient }: FoundMessage,
): Promise<ParkedReceiptRecord[]> {
  return tx.query<ParkedReceiptRecord>(
    "listParkedForTimeline",
    `select u.received_at as at, coalesce(c.name, 'connector ' || u.connector_id) as connector, u.smsc_message_id as "smscMessageId", u.state
  from unmatched_receipt u left join configured_object c on c.id = u.connector_id
 where u.recipient = $2 and u.recipient <> ''
   and u.connector_id in (select $1::int union select connector_id from held_message where account_id = $3 and message_id = $4)
 order by u.id`,
    [connectorId, recipient, accountId, id],
  );
}
