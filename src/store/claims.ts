// Claims whose outcome their node did not record, or did not learn of: those of dead nodes are
// taken over, those of which nothing was written are taken back. Beside them what is kept of a message
// for people to see: answers that came late, and orphaned claims, which a dead node held.
import { messageStatus } from "../sms/message-status.ts";
import { type NotTaken, type StoredNotTaken, timesUnanswered } from "../sms/not-taken.ts";
import { composed, type Queryable } from "./database.ts";
import { type MessageToRequeue, requeueMessages } from "./message-queue.ts";
import {
  type Conditions,
  conditions,
  idRange,
  int4,
  json,
  rows,
  rowStatement,
  timestamptz,
  uuid,
} from "./row-statement.ts";
import { epochMilliseconds, hasMoreToSubmit, heldBits, idBounds, messageColumns, timeOfId } from "./sql-texts.ts";

/**
 * A message of a dead node's claim with an unknown outcome: it may or may not have been written.
 */
export interface UncertainMessage extends MessageOfOrphanedClaim {
  readonly recipient: string;
  readonly parts: number;
  /** Bit n-1 is set when an SMSC is known to have taken part n, or part n is held. */
  readonly partsTaken: number;
  /** Submissions that were never answered, before this claim. */
  readonly unanswered: number;
  readonly tries: number;
  readonly expired: boolean;
  readonly dueAt: Date;
}

/** What tells how often a message went unanswered: a claim does not hold it. */
interface Silences {
  readonly notTaken: StoredNotTaken | null;
  /** Nodes that died with the message in a claim: each may have submitted it. */
  readonly claimsOrphaned: number;
}

const silencesText = `m.not_taken as "notTaken", coalesce(jsonb_array_length(m.orphaned_claims), 0) as "claimsOrphaned"`;

/**
 * SQL for when message m was due first, which a claim does not hold. Of one that waited for review
 * or for its hours it is when it was accepted. The clock of the node that made its id may be ahead.
 */
const placeInQueue = `least(coalesce(m.send_at, ${timeOfId("m.id")}), now())`;

function withSilences<Row extends Silences>({ notTaken, claimsOrphaned, ...row }: Row) {
  return { ...row, unanswered: timesUnanswered(notTaken) + claimsOrphaned };
}

/**
 * Takes over the claims of dead nodes: deletes them and returns their messages that are not known
 * to be sent, waiting, held, ended, or claimed by a living node. (A claim stays until all its
 * messages are settled, so a message put back may have been claimed again; the latest claim
 * counts.) Call it in the transaction that settles these messages.
 *
 * Takes nothing until the calling node has been registered for `standingSeconds`: after an outage
 * of the database all nodes have lost their leases, and each must first record the outcomes it
 * knows.
 */
export async function takeOverOrphanedClaims(
  tx: Queryable,
  { nodeId, standingSeconds, limit }: { nodeId: string; standingSeconds: number; limit: number },
): Promise<UncertainMessage[]> {
  const rows = await tx.query<Omit<UncertainMessage, "unanswered"> & Silences>(
    "takeOverOrphanedClaims",
    `with orphaned as (
  delete from claim where id in (
    select c.id from claim c
     where not exists (select from node n where n.id = c.node_id and n.lease_until > now())
       and exists (select from node self where self.id = $2 and self.lease_until > now() and self.started_at <= now() - make_interval(secs => $3))
     order by c.id limit $1 for update skip locked)
  returning node_id, connector_id, bind_number, claimed_at, account_ids, message_ids
),
item as (
  select distinct on (i.account_id, i.message_id) o.node_id, o.connector_id, o.bind_number, o.claimed_at, i.account_id, i.message_id
    from orphaned o cross join lateral unnest(o.account_ids, o.message_ids) as i (account_id, message_id)
   order by i.account_id, i.message_id, o.claimed_at desc
),
living as (
  select unnest(c.message_ids) as message_id from claim c join node n on n.id = c.node_id and n.lease_until > now()
)
select i.account_id as "accountId", i.message_id as "messageId", i.connector_id as "connectorId", i.bind_number as "bindNumber",
       i.node_id as "nodeId", i.claimed_at as "claimedAt", m.tries, m.recipient, m.valid_until <= now() as expired, ${placeInQueue} as "dueAt", m.parts, m.parts_taken | ${heldBits} as "partsTaken", ${silencesText}
  from item i
  join message m on m.account_id = i.account_id and m.id = i.message_id
 where m.status = ${messageStatus.waiting}
   and not exists (select from message_queue q where q.account_id = i.account_id and q.message_id = i.message_id)
   and ${hasMoreToSubmit}
   and not exists (select from living l where l.message_id = i.message_id)`,
    [limit, nodeId, standingSeconds],
  );
  return rows.map(withSilences);
}

/** A message of a claim from which nothing was written. */
type UnwrittenItem = Pick<MessageToRequeue, "accountId" | "messageId" | "tries" | "dueAt"> & Silences;

/** Puts the messages of claims from which nothing was written back into the queue, as if they had not been claimed. */
async function requeueUnwritten(tx: Queryable, { text, values }: Conditions): Promise<void> {
  const rows = await tx.query<UnwrittenItem>(
    composed(
      "requeueUnwritten",
      `with lost as (delete from claim where ${text} returning account_ids, message_ids)
select i.account_id as "accountId", i.message_id as "messageId", m.tries, ${placeInQueue} as "dueAt", ${silencesText}
  from lost l cross join lateral unnest(l.account_ids, l.message_ids) as i (account_id, message_id)
  join message m on m.account_id = i.account_id and m.id = i.message_id
 where m.status = ${messageStatus.waiting}
   and not exists (select from message_queue q where q.account_id = i.account_id and q.message_id = i.message_id)
   and ${hasMoreToSubmit}`,
      values,
    ),
  );
  if (rows.length === 0) return;
  await requeueMessages(
    tx,
    rows.map((row) => ({ ...withSilences(row), delayMs: undefined, attempt: 0 })),
  );
}

/** Those of these claims that exist. The caller knows that nothing of them was or will be written. */
export function takeBackClaims(tx: Queryable, claimIds: readonly string[]): Promise<void> {
  return requeueUnwritten(tx, conditions({ "id = any (?::uuid[])": claimIds }));
}

/**
 * Claims of a living node that the node does not know: the answer to their statement was lost, so
 * nothing of them was written. `knownIds` are the claims that the node knows. The answer to claims
 * younger than `ageSeconds` may still arrive.
 */
export function takeBackLostClaims(
  tx: Queryable,
  { nodeId, knownIds, ageSeconds }: { nodeId: string; knownIds: readonly string[]; ageSeconds: number },
): Promise<void> {
  return requeueUnwritten(
    tx,
    conditions({
      "node_id = ?": nodeId,
      "id <> all (?::uuid[])": knownIds,
      "claimed_at < now() - make_interval(secs => ?)": ageSeconds,
    }),
  );
}

/**
 * Shown of each kind. One more is kept, so that it is known that there were more; what comes after
 * it is not kept.
 */
export const entriesKept = 20;

/** An answer that came after its part had been given up. */
export interface LateAnswer extends NotTaken {
  readonly answer: string;
  readonly accountId: number;
  readonly messageId: string;
}

/** An entry of the column `late_answers`. Times are Unix milliseconds of the database. */
export interface StoredLateAnswer {
  readonly part: number;
  readonly connector: number;
  readonly bind: number;
  readonly node: number;
  readonly answer: string;
  readonly answerMs: number;
  readonly writtenAt: number;
  /** With the node's run it names the submission, so that a repetition adds nothing. */
  readonly clock: number;
}

export const keepLateAnswersStatement = rowStatement(
  "keepLateAnswers",
  {
    late: rows<LateAnswer>({
      ...messageColumns,
      entry: json(lateAnswerJson),
      ago: int4(({ writtenAt }) => Math.max(0, Math.floor(performance.now() - writtenAt))),
    }),
    ...idBounds,
  },
  ({ late, leastId, greatestId }) => `with late as materialized (
  select account_id, message_id, entry::jsonb || jsonb_build_object('writtenAt', ${epochMilliseconds} - ago) as entry, place
    from ${late.numberedAs("u", "place")}
)
update message m set late_answers = coalesce(m.late_answers, '[]'::jsonb) || t.entries
  from (select l.account_id, l.message_id, jsonb_agg(l.entry order by l.place) as entries
          from late l join message p on p.account_id = l.account_id and p.id = l.message_id and p.id between ${leastId} and ${greatestId}
         where not coalesce(p.late_answers @> jsonb_build_array(jsonb_build_object('node', l.entry -> 'node', 'clock', l.entry -> 'clock')), false)
         group by l.account_id, l.message_id order by l.account_id, l.message_id) t
 where m.account_id = t.account_id and m.id = t.message_id and m.id between ${leastId} and ${greatestId}
   and jsonb_array_length(coalesce(m.late_answers, '[]'::jsonb)) <= ${entriesKept}`,
);

export async function keepLateAnswers(db: Queryable, answers: readonly LateAnswer[]): Promise<void> {
  await db.query(keepLateAnswersStatement.with({ late: answers, ...idRange(answers) }));
}

function lateAnswerJson({ part, connectorId, bindNumber, node, answer, answerMs, writtenAt }: LateAnswer): string {
  const clock = Math.round(writtenAt * 1000);
  return JSON.stringify({
    ...{ part, connector: connectorId, bind: bindNumber, node, answer },
    ...{ answerMs: answerMs && Math.floor(answerMs), clock },
  });
}

/** An entry of the column `orphaned_claims`. Times are Unix milliseconds of the database. */
export interface StoredOrphanedClaim {
  readonly connector: number;
  readonly bind: number;
  readonly host: string | null;
  readonly claimedAt: number;
  readonly at: number;
}

/** A message that a node had claimed when it died. */
export interface MessageOfOrphanedClaim {
  readonly accountId: number;
  readonly messageId: string;
  readonly connectorId: number;
  readonly bindNumber: number;
  /** The node that died. */
  readonly nodeId: string;
  readonly claimedAt: Date;
}

export const keepOrphanedClaimsStatement = rowStatement(
  "keepOrphanedClaims",
  {
    message: rows<MessageOfOrphanedClaim>({
      ...messageColumns,
      connector_id: int4("connectorId"),
      bind_number: int4("bindNumber"),
      node_id: uuid("nodeId"),
      claimed_at: timestamptz("claimedAt"),
    }),
    ...idBounds,
  },
  ({
    message,
    leastId,
    greatestId,
  }) => `update message m set orphaned_claims = coalesce(m.orphaned_claims, '[]'::jsonb) || t.entries
  from (select u.account_id, u.message_id,
               jsonb_build_array(jsonb_build_object('connector', u.connector_id, 'bind', u.bind_number, 'host', r.host,
                 'claimedAt', floor(extract(epoch from u.claimed_at) * 1000)::bigint, 'at', ${epochMilliseconds})) as entries
          from ${message.as("u")}
          left join lateral (select host from node_run where node_id = u.node_id order by number desc limit 1) r on true
         order by u.account_id, u.message_id) t
 where m.account_id = t.account_id and m.id = t.message_id and m.id between ${leastId} and ${greatestId}
   and jsonb_array_length(coalesce(m.orphaned_claims, '[]'::jsonb)) <= ${entriesKept}`,
);

/** Call it in the transaction that takes the claims over. */
export async function keepOrphanedClaims(tx: Queryable, messages: readonly MessageOfOrphanedClaim[]): Promise<void> {
  await tx.query(keepOrphanedClaimsStatement.with({ message: messages, ...idRange(messages) }));
}
