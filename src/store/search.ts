// What one search box looks for, each by a key that exists: ids of messages and batches, ids that
// operators gave, names of accounts.
import { receiptIdCandidates } from "../sms/message-id-match.ts";
import { uuidCeiling, uuidFloor, uuidv7Time } from "../platform/uuid.ts";
import type { Queryable } from "./database.ts";
import { ownersBetween, weekOf } from "./message-owners.ts";
import { conditions } from "./conditions.ts";

/** Their names have no index. */
const campaignsLookedThrough = 10_000;

export interface FoundById {
  readonly kind: "message" | "batch";
  readonly account: string;
}

/**
 * The message or the batch that has this id. `accountId`: whose it must be; undefined: anybody's.
 */
export function findById(db: Queryable, id: string, accountId: number | undefined): Promise<FoundById[]> {
  const ms = uuidv7Time(id);
  return db.query<FoundById>({
    name: "findById",
    text: `/* findById */
with recursive ${ownersBetween("$5", "$6")}
select distinct case when m.id = $1 then 'message' else 'batch' end as kind, coalesce(a.name, 'account ' || m.account_id) as account
  from (select id from owner where $2::int is null union all select $2::int) whose
  join message m on m.account_id = whose.id left join account a on a.id = m.account_id
 where m.id between $3 and $4 and (m.id = $1 or m.batch_id = $1)`,
    values: [id, accountId ?? null, uuidFloor(ms), uuidCeiling(ms), ...weekOf(id)],
  });
}

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
  return db.query<FoundByOperatorId>({
    name: "findByOperatorId",
    text: `/* findByOperatorId */
select s.message_id as "messageId", c.name as connector, coalesce(a.name, 'account ' || s.account_id) as account, s.submitted_at as at
  from connector c
  cross join lateral (
    select * from submission where connector_id = c.id and message_key = any ($1::text[]) and message_key <> ''
     order by submitted_at desc limit $2) s
  left join account a on a.id = s.account_id
 order by s.submitted_at desc limit $2`,
    values: [receiptIdCandidates(id, "auto"), limit],
  });
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
  return db.query<FoundCampaign>({
    name: "",
    text: `/* findCampaignsByName */
select c.id, c.name, a.name as account, c.created_at as at
  from (select * from campaign where ${where.text} order by id desc limit ${where.value(campaignsLookedThrough)}) c
  join account a on a.id = c.account_id
 where position(lower(${where.value(words)}) in lower(c.name)) > 0
 order by c.id desc limit ${where.value(limit)}`,
    values: where.values,
  });
}

/** Accounts whose name or domain begins with the words, an exact name first. */
export async function findAccountNames(db: Queryable, words: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ name: string }>({
    name: "findAccountNames",
    text: `/* findAccountNames */
select name from account where starts_with(lower(name), lower($1)) or starts_with(lower(domain), lower($1))
 order by lower(name) <> lower($1), name limit $2`,
    values: [words, limit],
  });
  return rows.map(({ name }) => name);
}
