// What is kept of a message beside the outcome of its claims, for people to see: answers that did
// not take a part and came late, and claims that a dead node held. Each is appended by one
// statement, because the message may be claimed by any node meanwhile.
import type { NotTaken } from "../sms/not-taken.ts";
import type { Queryable } from "./database.ts";
import { idRange } from "./progress.ts";
import { int4, json, rows, rowStatement, single, timestamptz, uuid } from "./row-statement.ts";
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

export const keepLateAnswersStatement = rowStatement(
  "keepLateAnswers",
  {
    late: rows<LateAnswer>({
      account_id: int4(({ accountId }) => accountId),
      message_id: uuid(({ messageId }) => messageId),
      entry: json(lateAnswerJson),
      ago: int4(({ writtenAt }) => Math.max(0, Math.floor(performance.now() - writtenAt))),
    }),
    leastId: single<string>(),
    greatestId: single<string>(),
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
  /** The node that died. */
  readonly nodeId: string;
  readonly claimedAt: Date;
}

export const keepLostClaimsStatement = rowStatement(
  "keepLostClaims",
  {
    message: rows<MessageOfLostClaim>({
      account_id: int4(({ accountId }) => accountId),
      message_id: uuid(({ messageId }) => messageId),
      connector_id: int4(({ connectorId }) => connectorId),
      bind_number: int4(({ bindNumber }) => bindNumber),
      node_id: uuid(({ nodeId }) => nodeId),
      claimed_at: timestamptz(({ claimedAt }) => claimedAt),
    }),
    leastId: single<string>(),
    greatestId: single<string>(),
  },
  ({
    message,
    leastId,
    greatestId,
  }) => `update message m set lost_claims = coalesce(m.lost_claims, '[]'::jsonb) || t.entries
  from (select u.account_id, u.message_id,
               jsonb_build_array(jsonb_build_object('connector', u.connector_id, 'bind', u.bind_number, 'host', r.host,
                 'claimedAt', floor(extract(epoch from u.claimed_at) * 1000)::bigint, 'at', ${epochMilliseconds})) as entries
          from ${message.as("u")}
          left join lateral (select host from node_run where node_id = u.node_id order by number desc limit 1) r on true
         order by u.account_id, u.message_id) t
 where m.account_id = t.account_id and m.id = t.message_id and m.id between ${leastId} and ${greatestId}
   and jsonb_array_length(coalesce(m.lost_claims, '[]'::jsonb)) <= ${entriesKept}`,
);

/** Call it in the transaction that takes the claims over. */
export async function keepLostClaims(tx: Queryable, messages: readonly MessageOfLostClaim[]): Promise<void> {
  await tx.query(keepLostClaimsStatement.with({ message: messages, ...idRange(messages) }));
}
