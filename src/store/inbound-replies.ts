// Statements on replies of inbound rules: written with the received message, and settled in the
// transaction that accepts the reply as a message. Settled rows stay for the limits.
import { mostRepliesAnHour, replyMinutes, sameTextMinutes, sameTextsOfMachine } from "../sms/replies.ts";
import type { Queryable } from "./database.ts";

/** Older ones count for no limit any more. */
export const keepRepliesSeconds = 3600 + replyMinutes * 60;

export interface ReplyToStore {
  /** Of the received message. */
  readonly id: string;
  readonly accountId: number;
  readonly line: string;
  readonly number: string;
  readonly content: string;
  /** The folded text that is answered; only its digest is stored. */
  readonly askedBy: string;
  /** The rule, of which only a digest is stored, and how many replies of it go out in an hour. */
  readonly rule: string;
  readonly maxPerHour: number;
  /** The first of them to arrive is the message's arrival. */
  readonly partIds: readonly bigint[];
}

export async function insertReply(tx: Queryable, reply: ReplyToStore): Promise<void> {
  const { id, accountId, line, number, content, askedBy, partIds, rule, maxPerHour } = reply;
  await tx.query(
    "insertReply",
    `insert into inbound_reply (id, account_id, line, number, content, digest, part_ids, expires_at, rule, max_per_hour)
select $1, $2, $3, $4, $5, sha256(convert_to($6, 'UTF8')), $7, min(p.received_at) + make_interval(mins => $8), sha256(convert_to($9, 'UTF8')), $10
  from inbound_part p where p.id = any ($7::bigint[])`,
    [id, accountId, line, number, content, askedBy, partIds, replyMinutes, rule, maxPerHour],
  );
}

export interface DueReply {
  readonly id: string;
  readonly accountId: number;
  readonly line: string;
  readonly number: string;
  readonly content: string;
  /** Until it is too late; 0 or less: it is. */
  readonly validForMs: number;
  /** The digest of its rule, in hexadecimal digits. */
  readonly rule: string;
  readonly maxPerHour: number;
}

/**
 * Locks the oldest replies whose messages are answered, and those that are too late. An answer that
 * a living node owes is waited for. Of a dead node's, or a lost session's, nobody knows more.
 */
export function lockDueReplies(tx: Queryable, limit: number): Promise<DueReply[]> {
  return tx.query<DueReply>(
    "lockDueReplies",
    `select r.id, r.account_id as "accountId", r.line, r.number, r.content,
       extract(epoch from r.expires_at - now())::float8 * 1000 as "validForMs",
       encode(r.rule, 'hex') as rule, r.max_per_hour as "maxPerHour"
  from inbound_reply r
 where r.content is not null
   and (r.expires_at <= now() or not exists (
     select from inbound_part p join node n on n.id = p.carried_by and n.lease_until > now()
      where p.id = any (r.part_ids) and not p.confirmed))
 order by r.asked_at limit $1 for update of r skip locked`,
    [limit],
  );
}

/** How many replies of each rule were sent in the last hour. To be called under the locks. */
export async function countRepliesOfRules(
  tx: Queryable,
  rules: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.query<{ rule: string; sent: number }>(
    "countRepliesOfRules",
    `select encode(rule, 'hex') as rule, count(*)::int as sent from inbound_reply
 where rule in (select decode(r, 'hex') from unnest($1::text[]) as r) and sent_at > now() - interval '1 hour' group by 1`,
    [rules],
  );
  return new Map(rows.map(({ rule, sent }) => [rule, sent]));
}

export interface ReplyCounts {
  readonly id: string;
  readonly sentThisHour: number;
  readonly sameTexts: number;
}

/** Counts no further than the limits. To be called under the locks. */
export function countReplies(tx: Queryable, ids: readonly string[]): Promise<ReplyCounts[]> {
  return tx.query<ReplyCounts>(
    "countReplies",
    `select r.id,
       (select count(*)::int from (
          select from inbound_reply s
           where s.line = r.line and s.number = r.number and s.sent_at > now() - interval '1 hour' limit $2) s) as "sentThisHour",
       (select count(*)::int from (
          select from inbound_reply s
           where s.line = r.line and s.number = r.number and s.digest = r.digest and (s.asked_at, s.id) <= (r.asked_at, r.id)
             and s.asked_at > r.asked_at - make_interval(mins => $3) limit $4) s) as "sameTexts"
  from inbound_reply r where r.id = any ($1::uuid[])`,
    [ids, mostRepliesAnHour, sameTextMinutes, sameTextsOfMachine],
  );
}

/** `sent`: those of them that were accepted as messages, in the same transaction. */
export async function settleReplies(tx: Queryable, ids: readonly string[], sent: readonly string[]): Promise<void> {
  await tx.query(
    "settleReplies",
    `update inbound_reply set content = null, sent_at = case when id = any ($2::uuid[]) then now() end where id = any ($1::uuid[])`,
    [ids, sent],
  );
}
