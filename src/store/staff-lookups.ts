// Statements with which staff search all accounts: messages by an id or by the subscriber's number.
// They read by indexes, so they can be used on a busy database.
import type { LinkBind, WaitingOnRoute } from "../sms/link-queues.ts";
import type { MessageStatus, ReasonCode } from "../sms/message-status.ts";
import { uuidCeiling, uuidFloor, uuidv7Time } from "../platform/uuid.ts";
import type { Queryable } from "./database.ts";
import { messagesTo, type TimeRange } from "./messages-to-number.ts";
import { findMessageOwners } from "./message-owners.ts";
import { preferIndexes } from "./transaction-settings.ts";
import { conditions } from "./conditions.ts";

export interface NamedMessage {
  readonly accountId: number;
  readonly messageId: string;
  readonly status: MessageStatus;
  readonly reason: ReasonCode | null;
  /** Parts that an operator is known to have taken, as a bit mask. */
  readonly partsTaken: number;
}

/**
 * The messages that an id names: the message itself, or all messages of the batch, which share its
 * millisecond.
 */
export async function findNamedMessages(db: Queryable, id: string): Promise<NamedMessage[]> {
  const ms = uuidv7Time(id);
  return db.query<NamedMessage>({
    name: "findNamedMessages",
    text: `/* findNamedMessages */
select m.account_id as "accountId", m.id as "messageId", m.status, m.reason, m.parts_taken as "partsTaken"
  from message m
 where m.account_id = any($4::int[]) and m.id between $2 and $3 and (m.id = $1 or m.batch_id = $1)
 order by m.account_id, m.id`,
    values: [id, uuidFloor(ms), uuidCeiling(ms), await findMessageOwners(db, id)],
  });
}

export interface FoundMessage {
  readonly sentMessageId: string;
  readonly batchId: string;
  readonly account: string;
  readonly acceptedAt: Date;
  readonly sender: string;
  readonly status: MessageStatus;
  readonly reason: ReasonCode | null;
}

/**
 * Messages of all accounts to a number in a range, the newest first. Blocks without a summary yet
 * are read whole, so a message accepted a moment ago is found too. Call it in a transaction.
 */
export async function findMessagesTo(
  tx: Queryable,
  { recipient, range, limit }: { recipient: string; range: TimeRange; limit: number },
): Promise<FoundMessage[]> {
  await preferIndexes(tx);
  const rows = await tx.query<Omit<FoundMessage, "acceptedAt">>({
    name: "",
    text: `/* findMessagesTo */
select m.id as "sentMessageId", m.batch_id as "batchId", coalesce(a.name, 'account ' || m.account_id) as account, m.sender, m.status, m.reason
  from (select * from ${messagesTo(range, { recipient: "$1", from: "$2", before: "$3" })} order by id desc limit $4) m
  left join account a on a.id = m.account_id
 order by m.id desc`,
    values: [recipient, range.from, range.before, limit],
  });
  return rows.map((row) => ({ ...row, acceptedAt: new Date(uuidv7Time(row.sentMessageId)) }));
}

export interface AccountSummary {
  readonly name: string;
  readonly domain: string;
  readonly tariff: string;
  /** Rials. */
  readonly balance: bigint;
  readonly unlimited: boolean;
  readonly lines: number;
  readonly users: number;
  readonly apiKeys: number;
}

export async function findAccountSummary(db: Queryable, name: string): Promise<AccountSummary | undefined> {
  return (await listAccountSummaries(db, { name, limit: 1 }))[0];
}

/** A page of the accounts in the order of their names, after the name `after`. */
export function listAccountSummaries(
  db: Queryable,
  { name, after, limit }: { name?: string; after?: string; limit: number },
): Promise<AccountSummary[]> {
  const where = conditions({ "a.name = ?": name, "a.name > ?": after });
  return db.query<AccountSummary>({
    name: "",
    text: `/* listAccountSummaries */
select a.name, a.domain, t.name as tariff, b.balance, b.unlimited,
       (select count(*)::int from account_line l where l.account_id = a.id) as lines,
       (select count(*)::int from person u where u.account_id = a.id) as users,
       (select count(*)::int from api_key k where k.account_id = a.id) as "apiKeys"
  from account a join tariff t on t.id = a.tariff_id join account_balance b on b.account_id = a.id
 where ${where.text} order by a.name limit ${where.value(limit)}`,
    values: where.values,
  });
}

/**
 * The last state of one bind, as reported by the node that holds it. A connector without a bind on
 * a living node has one row without a bind.
 */
export interface BindRow extends LinkBind {
  /** Host name. */
  readonly node: string | null;
  readonly since: Date | null;
  readonly inFlight: number | null;
  readonly window: number;
  readonly lastError: string | null;
  readonly lastErrorAt: Date | null;
}

export function listBinds(db: Queryable): Promise<BindRow[]> {
  return db.query<BindRow>({
    name: "listBinds",
    text: `/* listBinds */
select c.id as "connectorId", c.name as connector, c.enabled, b.bind_number as "bindNumber", b.bound, n.host as node, b.changed_at as since,
       b.in_flight as "inFlight", (c.settings->>'window')::int as "window", b.last_error as "lastError", b.last_error_at as "lastErrorAt"
  from connector c left join (bind_lease b join node n on n.id = b.node_id and n.lease_until > now()) on b.connector_id = c.id
 order by c.name, b.bind_number`,
    values: [],
  });
}

/** Reads the whole queue: for staff who ask, not for frequent use. */
export function measureRouteQueues(db: Queryable): Promise<WaitingOnRoute[]> {
  return db.query<WaitingOnRoute>({
    name: "measureRouteQueues",
    text: `/* measureRouteQueues */
select q.route_id as "routeId", q.waiting, q.scheduled, q.oldest_seconds as "oldestSeconds",
       array(select rc.connector_id from route_connector rc where rc.route_id = q.route_id & 134217727 order by rc.position) as "connectorIds"
  from (select route_id, (count(*) filter (where due_at <= now()))::int as waiting, (count(*) filter (where due_at > now()))::int as scheduled,
               coalesce(extract(epoch from now() - min(due_at) filter (where due_at <= now())), 0)::double precision as oldest_seconds
          from message_queue group by route_id) q
 order by q.route_id`,
    values: [],
  });
}
