// Statements behind the lists of the console: newest first, by keys that exist for the traffic itself, each with a bounded number of
// rows. Texts are read only where they are asked for.
import type { MessageStatus, ReasonCode } from "../sms/message-status.ts";
import { uuidCeiling, uuidFloor, uuidv7Time } from "../uuid.ts";
import type { Queryable } from "./database.ts";

export interface ListedMessage {
  readonly id: string;
  readonly batchId: string;
  readonly account: string;
  readonly sender: string;
  /** 989… */
  readonly recipient: string;
  readonly operator: string;
  readonly language: string;
  readonly parts: number;
  readonly cost: bigint;
  readonly status: MessageStatus;
  readonly reason: ReasonCode | null;
  readonly reasonDetail: string | null;
  readonly sendAt: Date | null;
  readonly sentAt: Date | null;
  readonly finalAt: Date | null;
  /** Null where it was not asked for. */
  readonly content: string | null;
}

export interface MessageBounds {
  /** Absent: of all accounts. */
  readonly accountId?: number | undefined;
  /** Ids from `from` up to but without `before`. */
  readonly from: string;
  readonly before: string;
  readonly limit: number;
  readonly withText: boolean;
}

const messageColumns = `m.id, m.batch_id as "batchId", coalesce(a.name, 'account ' || m.account_id) as account, m.sender, m.recipient, m.operator,
       m.language, m.parts, m.cost, m.status, m.reason, m.reason_detail as "reasonDetail", m.send_at as "sendAt", m.sent_at as "sentAt",
       m.final_at as "finalAt"`;

/** Of one account: a range of the primary key. */
export function listMessagesOf(
  db: Queryable,
  { accountId, from, before, limit, withText }: MessageBounds & { readonly accountId: number },
): Promise<ListedMessage[]> {
  return db.query<ListedMessage>({
    name: "listMessagesOf",
    text: `/* listMessagesOf */
select ${messageColumns}, case when $5::boolean then m.content end as content
  from message m left join account a on a.id = m.account_id
 where m.account_id = $1 and m.id >= $2 and m.id < $3
 order by m.id desc limit $4`,
    values: [accountId, from, before, limit, withText],
  });
}

/** Of all accounts, one descent of the primary key for each; bounds within one week keep it to one part. Without texts. */
export function listMessagesOfAll(
  db: Queryable,
  { from, before, limit }: Pick<MessageBounds, "from" | "before" | "limit">,
): Promise<ListedMessage[]> {
  return db.query<ListedMessage>({
    name: "listMessagesOfAll",
    text: `/* listMessagesOfAll */
select ${messageColumns}, null as content
  from account a cross join lateral (
    select * from message where account_id = a.id and id >= $1 and id < $2 order by id desc limit $3) m
 order by m.id desc limit $3`,
    values: [from, before, limit],
  });
}

/**
 * Those to a number, by the index by recipient. To be called in a transaction: where statistics are missing, the planner would rather
 * read everything.
 */
export async function listMessagesTo(
  tx: Queryable,
  { recipient, accountId, from, before, limit, withText }: MessageBounds & { readonly recipient: string },
): Promise<ListedMessage[]> {
  await tx.query({
    name: "preferIndexesOfLists",
    text: "/* preferIndexesOfLists */ set local enable_seqscan = off",
    values: [],
  });
  return tx.query<ListedMessage>({
    name: "listMessagesTo",
    text: `/* listMessagesTo */
select ${messageColumns}, case when $6::boolean then m.content end as content
  from (select * from message
         where recipient = $1 and id >= $2 and id < $3 and ($5::int is null or account_id = $5) order by id desc limit $4) m
  left join account a on a.id = m.account_id
 order by m.id desc`,
    values: [recipient, from, before, limit, accountId ?? null, withText],
  });
}

/** Messages of a batch carry its millisecond. */
export function listMessagesOfBatch(
  db: Queryable,
  { batchId, accountId, before, limit, withText }: Omit<MessageBounds, "from"> & { readonly batchId: string },
): Promise<ListedMessage[]> {
  const ms = uuidv7Time(batchId);
  return db.query<ListedMessage>({
    name: "listMessagesOfBatch",
    text: `/* listMessagesOfBatch */
select ${messageColumns}, case when $7::boolean then m.content end as content
  from account a cross join lateral (
    select * from message where account_id = a.id and id between $2 and $3 and id < $4 and batch_id = $1 order by id desc limit $5) m
 where $6::int is null or a.id = $6
 order by m.id desc limit $5`,
    values: [batchId, uuidFloor(ms), uuidCeiling(ms), before, limit, accountId ?? null, withText],
  });
}

/** The text of one message, whosever it is. */
export async function findMessageText(
  db: Queryable,
  id: string,
): Promise<{ readonly account: string; readonly content: string } | undefined> {
  const [row] = await db.query<{ account: string; content: string }>({
    name: "findMessageText",
    text: `/* findMessageText */
select a.name as account, m.content
  from account a cross join lateral (select content from message where account_id = a.id and id = $1) m`,
    values: [id],
  });
  return row;
}

export interface ListedReceived {
  readonly id: string;
  readonly sequence: bigint;
  /** Null: no account has the line. */
  readonly account: string | null;
  readonly sender: string;
  readonly recipient: string;
  readonly receivedAt: Date;
  /** Whether all its parts came. */
  readonly complete: boolean;
  readonly connector: string | null;
  readonly content: string | null;
}

export interface ReceivedFilter {
  readonly sender?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly limit: number;
}

/** Of one account (0: those that no account got), in the order of its sequence: those before the given one. With their texts where that is asked for. */
export function listReceivedOf(
  db: Queryable,
  account: { readonly accountId: number; readonly before: bigint; readonly withText: boolean },
  { sender, from, to, limit }: ReceivedFilter,
): Promise<ListedReceived[]> {
  return db.query<ListedReceived>({
    name: "listReceivedOf",
    text: `/* listReceivedOf */
select m.id, m.sequence, a.name as account, m.sender, m.recipient, m.received_at as "receivedAt", m.complete,
       coalesce(c.name, 'connector ' || m.connector_id) as connector, case when $7::boolean then m.content end as content
  from inbound_message m left join account a on a.id = m.account_id left join connector c on c.id = m.connector_id
 where m.account_id = $1 and m.sequence < $2 and ($3::text is null or m.sender = $3)
   and ($4::timestamptz is null or m.received_at >= $4) and ($5::timestamptz is null or m.received_at < $5)
 order by m.sequence desc limit $6`,
    values: [account.accountId, account.before, sender ?? null, from ?? null, to ?? null, limit, account.withText],
  });
}

/** Ids of one account follow its sequence, but for what several nodes received in the same moments. */
const outOfOrder = 50;

/** Of all accounts, and those that no account got, by their ids: those before the given one. Without texts. */
export function listReceivedOfAll(
  db: Queryable,
  before: string,
  { sender, from, to, limit }: ReceivedFilter,
): Promise<ListedReceived[]> {
  return db.query<ListedReceived>({
    name: "listReceivedOfAll",
    text: `/* listReceivedOfAll */
with wanted (id, name) as (select id, name from account union all select 0, null)
select m.id, m.sequence, w.name as account, m.sender, m.recipient, m.received_at as "receivedAt", m.complete,
       coalesce(c.name, 'connector ' || m.connector_id) as connector, null as content
  from wanted w cross join lateral (
    select * from inbound_message i
     where i.account_id = w.id and i.id < $1 and ($2::text is null or i.sender = $2)
       and ($3::timestamptz is null or i.received_at >= $3) and ($4::timestamptz is null or i.received_at < $4)
     order by i.sequence desc limit $5::int + $6::int) m
  left join connector c on c.id = m.connector_id
 order by m.id desc limit $5`,
    values: [before, sender ?? null, from ?? null, to ?? null, limit, outOfOrder],
  });
}

export interface NodeState {
  readonly id: string;
  readonly host: string;
  readonly pid: number | null;
  readonly dispatches: boolean;
  readonly startedAt: Date;
  /** Whether its lease holds; one without is removed soon. */
  readonly alive: boolean;
  readonly configurationVersion: bigint | null;
  readonly binds: number;
  readonly boundBinds: number;
}

export function listNodeStates(db: Queryable): Promise<NodeState[]> {
  return db.query<NodeState>({
    name: "listNodeStates",
    text: `/* listNodeStates */
select n.id, n.host, n.pid, n.dispatches, n.started_at as "startedAt", n.lease_until > now() as alive,
       n.configuration_version as "configurationVersion", count(b.node_id)::int as binds,
       (count(*) filter (where b.bound))::int as "boundBinds"
  from node n left join bind_lease b on b.node_id = n.id
 group by n.id order by n.host, n.started_at`,
    values: [],
  });
}
