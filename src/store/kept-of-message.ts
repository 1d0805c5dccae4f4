// What is kept of a message beside the outcome of its claims, for people to see: answers that did
// not take a part and came late, and claims that a dead node held. Each is appended by one
// statement, because the message may be claimed by any node meanwhile.
import type { NotTaken } from "../sms/not-taken.ts";
import type { Queryable } from "./database.ts";
import { idRange } from "./progress.ts";
import { epochMilliseconds } from "./statement-time.ts";

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

export async function keepLateAnswers(db: Queryable, answers: readonly LateAnswer[]): Promise<void> {
  const now = performance.now();
  await db.query({
    name: "keepLateAnswers",
    text: `/* keepLateAnswers */
update message m set late_answers = coalesce(m.late_answers, '[]'::jsonb) || t.entries
  from (select account_id, message_id, jsonb_agg(entry || jsonb_build_object('writtenAt', ${epochMilliseconds} - ago) order by place) as entries
          from unnest($1::int[], $2::uuid[], $3::jsonb[], $4::int[]) with ordinality as u (account_id, message_id, entry, ago, place)
          join lateral (select late_answers as present from message p where p.account_id = u.account_id and p.id = u.message_id and p.id between $5 and $6) p
            on not coalesce(p.present @> jsonb_build_array(jsonb_build_object('node', entry -> 'node', 'clock', entry -> 'clock')), false)
         group by account_id, message_id order by account_id, message_id) t
 where m.account_id = t.account_id and m.id = t.message_id and m.id between $5 and $6 and jsonb_array_length(coalesce(m.late_answers, '[]'::jsonb)) <= ${entriesKept}`,
    values: [
      answers.map(({ accountId }) => accountId),
      answers.map(({ messageId }) => messageId),
      answers.map(lateAnswerJson),
      answers.map(({ writtenAt }) => Math.max(0, Math.floor(now - writtenAt))),
      ...idRange(answers),
    ],
  });
}

function lateAnswerJson({ part, connectorId, bindNumber, node, answer, answerMs, writtenAt }: LateAnswer): string {
  const clock = Math.round(writtenAt * 1000);
  return JSON.stringify({
    ...{ part, connector: connectorId, bind: bindNumber, node, answer },
    ...{ answerMs: answerMs && Math.floor(answerMs), clock },
  });
}

/** An entry of the column `lost_claims`. Times are Unix milliseconds of the database. */
export interface StoredLostClaim {
  readonly connector: number;
  readonly bind: number;
  readonly host: string | null;
  readonly claimedAt: number;
  readonly at: number;
}

/** A message that a node had claimed when it died. */
export interface MessageOfLostClaim {
  readonly accountId: number;
  readonly messageId: string;
  readonly connectorId: number;
  readonly bindNumber: number;
  readonly nodeId: string;
  readonly claimedAt: Date;
}

/** Call it in the transaction that takes the claims over. */
export async function keepLostClaims(tx: Queryable, messages: readonly MessageOfLostClaim[]): Promise<void> {
  await tx.query({
    name: "keepLostClaims",
    text: `/* keepLostClaims */
update message m set lost_claims = coalesce(m.lost_claims, '[]'::jsonb) || t.entries
  from (select u.account_id, u.message_id,
               jsonb_build_array(jsonb_build_object('connector', u.connector_id, 'bind', u.bind_number, 'host', r.host,
                 'claimedAt', floor(extract(epoch from u.claimed_at) * 1000)::bigint, 'at', ${epochMilliseconds})) as entries
          from unnest($1::int[], $2::uuid[], $3::int[], $4::int[], $5::uuid[], $6::timestamptz[])
                 as u (account_id, message_id, connector_id, bind_number, node_id, claimed_at)
          left join lateral (select host from node_run where node_id = u.node_id order by number desc limit 1) r on true
         order by u.account_id, u.message_id) t
 where m.account_id = t.account_id and m.id = t.message_id and m.id between $7 and $8 and jsonb_array_length(coalesce(m.lost_claims, '[]'::jsonb)) <= ${entriesKept}`,
    values: [
      messages.map(({ accountId }) => accountId),
      messages.map(({ messageId }) => messageId),
      messages.map(({ connectorId }) => connectorId),
      messages.map(({ bindNumber }) => bindNumber),
      messages.map(({ nodeId }) => nodeId),
      messages.map(({ claimedAt }) => claimedAt),
      ...idRange(messages),
    ],
  });
}
