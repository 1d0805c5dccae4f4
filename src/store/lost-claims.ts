// Claims whose outcome their node did not record, or did not learn of: those of dead nodes are
// taken over, those of which nothing was written are taken back.
import { messageStatus } from "../sms/message-status.ts";
import { type StoredNotTaken, timesUnanswered } from "../sms/not-taken.ts";
import type { Queryable } from "./database.ts";
import { timeOfId } from "./id-time.ts";
import type { MessageOfLostClaim } from "./kept-of-message.ts";
import { type MessageToRequeue, requeueMessages } from "./message-queue.ts";
import { hasMoreToSubmit, heldBits } from "./part-bits.ts";

/**
 * A message of a dead node's claim with an unknown outcome: it may or may not have been written.
 */
export interface UncertainMessage extends MessageOfLostClaim {
  readonly recipient: string;
  readonly parts: number;
  /** Bit n-1 is set when an SMSC is known to have taken part n, or part n is held. */
  readonly partsTaken: number;
  readonly attempt: number;
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
  readonly claimsLost: number;
}

const silencesText = `m.not_taken as "notTaken", coalesce(jsonb_array_length(m.lost_claims), 0) as "claimsLost"`;

/**
 * SQL for when message m was due first, which a claim does not hold. Of one that waited for review
 * or for its hours it is when it was accepted. The clock of the node that made its id may be ahead.
 */
const placeInQueue = `least(coalesce(m.send_at, ${timeOfId("m.id")}), now())`;

function withSilences<Row extends Silences>({ notTaken, claimsLost, ...row }: Row) {
  return { ...row, unanswered: timesUnanswered(notTaken) + claimsLost };
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
  const rows = await tx.query<Omit<UncertainMessage, "unanswered"> & Silences>({
    name: "takeOverOrphanedClaims",
    text: `/* takeOverOrphanedClaims */
with orphaned as (
  delete from claim where id in (
    select c.id from claim c
     where not exists (select from node n where n.id = c.node_id and n.lease_until > now())
       and exists (select from node self where self.id = $2 and self.lease_until > now() and self.started_at <= now() - make_interval(secs => $3))
     order by c.id limit $1 for update skip locked)
  returning node_id, connector_id, bind_number, claimed_at, account_ids, message_ids, attempts
),
item as (
  select distinct on (i.account_id, i.message_id) o.node_id, o.connector_id, o.bind_number, o.claimed_at, i.account_id, i.message_id, i.attempt
    from orphaned o cross join lateral unnest(o.account_ids, o.message_ids, o.attempts) as i (account_id, message_id, attempt)
   order by i.account_id, i.message_id, o.claimed_at desc
),
living as (
  select unnest(c.message_ids) as message_id from claim c join node n on n.id = c.node_id and n.lease_until > now()
)
select i.account_id as "accountId", i.message_id as "messageId", i.connector_id as "connectorId", i.bind_number as "bindNumber",
       i.node_id as "nodeId", i.claimed_at as "claimedAt", i.attempt, m.tries, m.recipient, m.valid_until <= now() as expired, ${placeInQueue} as "dueAt", m.parts, m.parts_taken | ${heldBits} as "partsTaken", ${silencesText}
  from item i
  join message m on m.account_id = i.account_id and m.id = i.message_id
 where m.status = ${messageStatus.waiting}
   and not exists (select from message_queue q where q.account_id = i.account_id and q.message_id = i.message_id)
   and ${hasMoreToSubmit}
   and not exists (select from living l where l.message_id = i.message_id)`,
    values: [limit, nodeId, standingSeconds],
  });
  return rows.map(withSilences);
}

/** A message of a claim from which nothing was written. */
type UnwrittenItem = Pick<MessageToRequeue, "accountId" | "messageId" | "attempt" | "tries" | "dueAt"> & Silences;

/** As if it had not been claimed. */
function backToItsPlace(item: UnwrittenItem): MessageToRequeue {
  return { ...withSilences(item), delayMs: undefined };
}

const unwrittenItemsText = `select i.account_id as "accountId", i.message_id as "messageId", i.attempt, m.tries, ${placeInQueue} as "dueAt", ${silencesText}
  from lost l cross join lateral unnest(l.account_ids, l.message_ids, l.attempts) as i (account_id, message_id, attempt)
  join message m on m.account_id = i.account_id and m.id = i.message_id
 where m.status = ${messageStatus.waiting}
   and not exists (select from message_queue q where q.account_id = i.account_id and q.message_id = i.message_id)
   and ${hasMoreToSubmit}`;

/**
 * Puts the messages of these claims, if they exist, back into the queue. The caller knows that
 * nothing of them was or will be written.
 */
export async function takeBackClaims(tx: Queryable, claimIds: readonly string[]): Promise<void> {
  const rows = await tx.query<UnwrittenItem>({
    name: "takeBackClaims",
    text: `/* takeBackClaims */
with lost as (delete from claim where id = any ($1::uuid[]) returning account_ids, message_ids, attempts)
${unwrittenItemsText}`,
    values: [claimIds],
  });
  if (rows.length > 0) await requeueMessages(tx, rows.map(backToItsPlace));
}

/**
 * Takes back claims of a living node that the node does not know: the answer to their statement was
 * lost, so nothing of them was written. `knownIds` are the claims that the node knows. The answer
 * to claims younger than `ageSeconds` may still arrive.
 */
export async function takeBackLostClaims(
  tx: Queryable,
  { nodeId, knownIds, ageSeconds }: { nodeId: string; knownIds: readonly string[]; ageSeconds: number },
): Promise<MessageToRequeue[]> {
  const rows = await tx.query<UnwrittenItem>({
    name: "takeBackLostClaims",
    text: `/* takeBackLostClaims */
with lost as (
  delete from claim where node_id = $1 and id <> all ($2::uuid[]) and claimed_at < now() - make_interval(secs => $3)
  returning account_ids, message_ids, attempts
)
${unwrittenItemsText}`,
    values: [nodeId, knownIds, ageSeconds],
  });
  return rows.map(backToItsPlace);
}
