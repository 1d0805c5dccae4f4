// Statements with which people search: messages, accounts, templates and campaigns, each by a key that
// exists. They read by indexes, so they can be used on a busy database.
import type { LinkBind, WaitingOnRoute } from "../sms/routing.ts";
import type { MessageStatus, ReasonCode } from "../sms/message-status.ts";
import { uuidCeiling, uuidFloor, uuidv7Time } from "../platform/uuid.ts";
import { composed, type Queryable } from "./database.ts";
import { messagesTo, ownersBetween, type TimeRange, weekOf } from "./message-reads.ts";
import { preferIndexes } from "./transaction-settings.ts";
import type { templateFields } from "../fields/account-fields.ts";
import type { Values } from "../fields/field.ts";
import { templateColumns } from "./configured-accounts.ts";
import { receiptIdCandidates } from "../sms/message-id-match.ts";
import { conditions } from "./row-statement.ts";

export interface NamedMessage {
  readonly accountId: number;
  /** Its name. */
  readonly account: string;
  readonly messageId: string;
  readonly status: MessageStatus;
  readonly reason: ReasonCode | null;
  /** Parts that an operator is known to have taken, as a bit mask. */
  readonly partsTaken: number;
}

/**
 * The messages that an id names: the message itself, or all messages of the batch, which share its
 * millisecond. `accountId`: whose they must be; undefined: anybody's.
 */
export function findNamedMessages(db: Queryable, id: string, accountId: number | undefined): Promise<NamedMessage[]> {
  const ms = uuidv7Time(id);
  return db.query<NamedMessage>(
    "findNamedMessages",
    `with recursive ${ownersBetween("$5", "$6")}
select m.account_id as "accountId", coalesce(a.name, 'account ' || m.account_id) as account, m.id as "messageId", m.status, m.reason,
       m.parts_taken as "partsTaken"
  from (select id from owner where $2::int is null union all select $2::int) whose
  join message m on m.account_id = whose.id left join account a on a.id = m.account_id
 where m.id between $3 and $4 and (m.id = $1 or m.batch_id = $1)
 order by m.account_id, m.id`,
    [id, accountId, uuidFloor(ms), uuidCeiling(ms), ...weekOf(id)],
  );
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
  const rows = await tx.query<Omit<FoundMessage, "acceptedAt">>(
    composed(
      "findMessagesTo",
      `select m.id as "sentMessageId", m.batch_id as "batchId", coalesce(a.name, 'account ' || m.account_id) as account, m.sender, m.status, m.reason
  from (select * from ${messagesTo(range, { recipient: "$1", from: "$2", before: "$3" })} order by id desc limit $4) m
  left join account a on a.id = m.account_id
 order by m.id desc`,
      [recipient, range.from, range.before, limit],
    ),
  );
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
  return db.query<AccountSummary>(
    composed(
      "listAccountSummaries",
      `select a.name, a.domain, a.tariff, b.balance, b.unlimited,
       cardinality(a.lines) as lines,
       (select count(*)::int from person u where u.account_id = a.id) as users,
       (select count(*)::int from api_key k where k.account_id = a.id) as "apiKeys"
  from account a join account_balance b on b.account_id = a.id
 where ${where.text} order by a.name limit ${where.value(limit)}`,
      where.values,
    ),
  );
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
  return db.query<BindRow>(
    "listBinds",
    `select c.id as "connectorId", c.name as connector, (c.body->>'enabled')::boolean as enabled, (c.body->>'paused')::boolean as paused, b.bind_number as "bindNumber", b.bound, n.host as node, b.changed_at as since,
       b.in_flight as "inFlight", (c.body->>'window')::int as "window", b.last_error as "lastError", b.last_error_at as "lastErrorAt"
  from configured_object c left join (bind_lease b join node n on n.id = b.node_id and n.lease_until > now()) on b.connector_id = c.id
 where c.section = 'connectors'
 order by c.name, b.bind_number`,
  );
}

/** Reads the whole queue: for staff who ask, not for frequent use. */
export function measureRouteQueues(db: Queryable): Promise<WaitingOnRoute[]> {
  return db.query<WaitingOnRoute>(
    "measureRouteQueues",
    `select q.route_id as "routeId", q.waiting, q.scheduled, q.oldest_seconds as "oldestSeconds",
       array(select c.id from configured_object r, json_array_elements_text(r.body->'connectors') with ordinality as one (name, place)
               join configured_object c on c.section = 'connectors' and c.name = one.name
              where r.id = q.route_id & 134217727 and r.section = 'routes' order by place) as "connectorIds"
  from (select route_id, (count(*) filter (where due_at <= now()))::int as waiting, (count(*) filter (where due_at > now()))::int as scheduled,
               coalesce(extract(epoch from now() - min(due_at) filter (where due_at <= now())), 0)::double precision as oldest_seconds
          from message_queue group by route_id) q
 order by q.route_id`,
  );
}

export type TemplateStanding = "pending" | "approved" | "refused";

export type ListedTemplate = Values<typeof templateFields> & {
  readonly id: string;
  readonly askedAt: Date;
  readonly state: TemplateStanding;
};

export interface TemplateFilter {
  readonly accountId?: number | undefined;
  readonly state?: TemplateStanding | undefined;
  /** Of the last one of the page before: 0 where it waits, else 1, and its id. */
  readonly after: string;
  readonly limit: number;
}

/** Those that wait first, then in the order of their ids. */
export function listTemplatePage(db: Queryable, filter: TemplateFilter): Promise<ListedTemplate[]> {
  return db.query<ListedTemplate>(
    "listTemplatePage",
    `select * from (
  select id, (select name from account where id = account_id) as account, ${templateColumns}, asked_at as "askedAt",
         case when approved then 'approved' when refused_reason is null then 'pending' else 'refused' end as state
    from template where $2::int is null or account_id = $2) listed
 where ($3::text is null or state = $3) and (state <> 'pending')::int || id > $1
 order by (state <> 'pending')::int || id limit $4`,
    [filter.after, filter.accountId, filter.state, filter.limit],
  );
}

/** Their names have no index. */
const campaignsLookedThrough = 10_000;

export interface FoundByOperatorId {
  readonly messageId: string;
  readonly connector: string;
  readonly account: string;
  readonly at: Date;
}

/**
 * The latest messages whose parts operators took under this id, in any notation that receipts use.
 */
export function findByOperatorId(db: Queryable, id: string, limit: number): Promise<FoundByOperatorId[]> {
  return db.query<FoundByOperatorId>(
    "findByOperatorId",
    `select s.message_id as "messageId", c.name as connector, coalesce(a.name, 'account ' || s.account_id) as account, s.submitted_at as at
  from configured_object c
  cross join lateral (
    select * from submission where connector_id = c.id and message_key = any ($1::text[]) and message_key <> ''
     order by submitted_at desc limit $2) s
  left join account a on a.id = s.account_id
 where c.section = 'connectors'
 order by s.submitted_at desc limit $2`,
    [receiptIdCandidates(id, "auto"), limit],
  );
}

export interface FoundCampaign {
  readonly id: string;
  readonly name: string;
  readonly account: string;
  readonly at: Date;
}

/**
 * The newest campaigns whose names contain the words, upper or lower case; `accountId`: only of
 * this account.
 */
export function findCampaignsByName(
  db: Queryable,
  { words, accountId, limit }: { words: string; accountId: number | undefined; limit: number },
): Promise<FoundCampaign[]> {
  const where = conditions({ "account_id = ?": accountId });
  return db.query<FoundCampaign>(
    composed(
      "findCampaignsByName",
      `select c.id, c.name, a.name as account, c.created_at as at
  from (select * from campaign where ${where.text} order by id desc limit ${where.value(campaignsLookedThrough)}) c
  join account a on a.id = c.account_id
 where position(lower(${where.value(words)}) in lower(c.name)) > 0
 order by c.id desc limit ${where.value(limit)}`,
      where.values,
    ),
  );
}

/** Accounts whose name or domain begins with the words, an exact name first. */
export async function findAccountNames(db: Queryable, words: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    "findAccountNames",
    `select name from account where starts_with(lower(name), lower($1)) or starts_with(lower(domain), lower($1))
 order by lower(name) <> lower($1), name limit $2`,
    [words, limit],
  );
  return rows.map(({ name }) => name);
}
