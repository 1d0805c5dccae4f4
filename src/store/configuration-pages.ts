// Reads what may be many thousands of rows of the configuration in pages, so that no answer of the
// database is a long piece of work. All pages of a load belong to one transaction that reads as of
// one instant.
import type { LineRow } from "./configuration.ts";
import { type AccountRow, type ApiKeyRow, splitList, type TemplateRow, type UserRow } from "./configured-accounts.ts";
import type { Queryable } from "./database.ts";
import { wantedByAccount } from "./noted-changes.ts";
import type { PortedNumberToSave } from "./setup-network.ts";
import type { EndpointRow } from "./webhook-endpoints.ts";

interface Page<Key> {
  readonly after: Key;
  readonly limit: number;
}

/** An account with all that belongs to it, as the directory keeps it. */
export interface WholeAccount extends Omit<AccountRow, "balance"> {
  readonly users: readonly Omit<UserRow, "accountId">[];
  readonly apiKeys: readonly Omit<ApiKeyRow, "accountId">[];
  readonly templates: readonly Omit<TemplateRow, "accountId">[];
  /** In the order in which they were made. */
  readonly endpoints: readonly DirectoryEndpoint[];
}

export type DirectoryEndpoint = Omit<EndpointRow, "accountId" | "createdAt" | "disabledReason" | "disabledAt">;

/** One text for each list: splitting it is many times faster than parsing an array. */
type ListsAsText<Row, Lists extends keyof Row> = Omit<Row, Lists> & Readonly<Record<Lists, string | null>>;
type TimesAsText<Row, Times extends keyof Row> = Omit<Row, Times> & Readonly<Record<Times, string | null>>;

/** As the database writes it. An account without any of a kind has null for them. */
interface WholeAccountJson extends ListsAsText<
  Omit<AccountRow, "balance" | "lowCredit" | "monthlyCost">,
  "lines" | "blockedRecipients"
> {
  readonly lowCredit: string;
  readonly monthlyCost: string;
  readonly users: WholeAccount["users"] | null;
  /** In no order, with their ids. */
  readonly apiKeys:
    readonly (TimesAsText<WholeAccount["apiKeys"][number], "expiresAt"> & { readonly id: number })[] | null;
  readonly templates: WholeAccount["templates"] | null;
  readonly endpoints: readonly TimesAsText<DirectoryEndpoint, "oldSecretUntil">[] | null;
}

/** What is read from the text of the database into something else. */
type Replaced =
  "lines" | "blockedRecipients" | "lowCredit" | "monthlyCost" | "users" | "apiKeys" | "templates" | "endpoints";

// One text for each account: rows and columns of five tables cost the node more than twice as much.
// `a` is an account. What belongs to it is looked up account by account, and sorted after: a join
// begins at the first row of all for each page, and so may a read in the order of another index.
// Lines and keys, which most accounts have, are sorted by the node, which is cheaper.
// What most accounts do not have is looked up only if `rare` says that some of them has it.
const wholeAccount = `
select a.id, a.name, a.domain, a.tariff_id as "tariffId", a.permissions, a.requests_per_second as "requestsPerSecond",
       a.allowed_ips as "allowedIps", array_to_string(a.blocked_recipients, ',') as "blockedRecipients",
       (select string_agg(l.number, ',') from account_line o join sender_line l on l.id = o.line_id
         where o.account_id = a.id) as lines,
       coalesce((select b.unlimited from account_balance b where b.account_id = a.id), false) as unlimited,
       a.low_credit::text as "lowCredit", a.duplicate_seconds as "duplicateSeconds", a.daily_messages as "dailyMessages",
       a.monthly_cost::text as "monthlyCost",
       case when (select wanted from rare) then ${wantedByAccount} else 0 end as "wantedEvents",
       case when (select users from rare) then (select json_agg(u order by u.id) from (
          select id, username, password_hash as "passwordHash", password_version as "passwordVersion", role, enabled
            from account_user where account_id = a.id offset 0) u) end as users,
       (select json_agg(k) from (
          select id, name, encode(key_sha256, 'hex') as "sha256Hex", allowed_ips as "allowedIps", expires_at as "expiresAt"
            from api_key where account_id = a.id offset 0) k) as "apiKeys",
       case when (select templates from rare) then (select json_agg(t order by t.id) from (
          select id, content, sender, approved, refused_reason as refused, valid_seconds as "validSeconds", purpose
            from template where account_id = a.id offset 0) t) end as templates,
       case when (select endpoints from rare) then (select json_agg(e order by e."createdAt", e.id) from (
          select id, name, url, events, batch_size as "batchSize", enabled, epoch, secret, old_secret as "oldSecret",
                 old_secret_until as "oldSecretUntil", created_at as "createdAt"
            from webhook_endpoint where account_id = a.id offset 0) e) end as endpoints`;

/** In the order of ids, after the given one. */
export async function listAccountPage(tx: Queryable, { after, limit }: Page<number>): Promise<readonly WholeAccount[]> {
  const rows = await tx.query<{ account: string }>({
    name: "listAccountPage",
    text: `/* listAccountPage */
with page as materialized (select * from account where id > $1 order by id limit $2),
ends as materialized (select max(id) as last from page),
rare as materialized (
  select exists (select from wanted_events where account_id > $1 and account_id <= last) as wanted,
         exists (select from account_user where account_id > $1 and account_id <= last) as users,
         exists (select from template where account_id > $1 and account_id <= last) as templates,
         exists (select from webhook_endpoint where account_id > $1 and account_id <= last) as endpoints
    from ends
)
select row_to_json(whole)::text as account
  from (${wholeAccount}
  from page a
 order by a.id) whole`,
    values: [after, limit],
  });
  return rows.map(readAccount);
}

/** Those that are there. */
export async function listAccountsById(tx: Queryable, ids: readonly number[]): Promise<readonly WholeAccount[]> {
  const rows = await tx.query<{ account: string }>({
    name: "listAccountsById",
    text: `/* listAccountsById */
with rare as materialized (select true as wanted, true as users, true as templates, true as endpoints)
select row_to_json(whole)::text as account
  from (${wholeAccount}
  from account a
 where a.id = any($1::int[])) whole`,
    values: [ids],
  });
  return rows.map(readAccount);
}

const none: readonly never[] = [];

/** The parsed object is completed in place: calls would wait for the collection of copies. */
function readAccount({ account }: { readonly account: string }): WholeAccount {
  const json = JSON.parse(account) as WholeAccountJson;
  const { lines, blockedRecipients, lowCredit, monthlyCost, users, apiKeys, templates, endpoints } = json;
  const read: Pick<WholeAccount, Replaced> = {
    lines: [...splitList(lines)].sort(),
    blockedRecipients: splitList(blockedRecipients),
    lowCredit: BigInt(lowCredit),
    monthlyCost: BigInt(monthlyCost),
    users: users ?? none,
    apiKeys: apiKeys === null ? none : withTimes(apiKeys, "expiresAt").sort((one, other) => one.id - other.id),
    templates: templates ?? none,
    endpoints: endpoints === null ? none : withTimes(endpoints, "oldSecretUntil"),
  };
  return Object.assign(json as Omit<WholeAccountJson, Replaced>, read);
}

/** A row without a time, as most are, stays as it is. */
function withTimes<Time extends string, Row extends Readonly<Record<Time, string | null>>>(
  rows: readonly Row[],
  time: Time,
): (Omit<Row, Time> & Readonly<Record<Time, Date | null>>)[] {
  return rows.map((row) => {
    const text = row[time];
    // Where it is null, it is of both types.
    return text === null ? (row as Row & Record<Time, null>) : { ...row, [time]: new Date(text) };
  });
}

export type DirectoryLine = Omit<LineRow, "inboundAccount">;

/** In the order of numbers, after the given one. */
export function listLinePage(tx: Queryable, { after, limit }: Page<string>): Promise<readonly DirectoryLine[]> {
  return tx.query<DirectoryLine>({
    name: "listLinePage",
    text: `/* listLinePage */
select l.number, l.kind, l.inbound_account_id as "inboundAccountId", l.opt_out as "optOut",
       (select array_agg(c.connector_id order by c.connector_id) from line_connector c where c.line_id = l.id) as "connectorIds"
  from sender_line l where l.number > $1 order by l.number limit $2`,
    values: [after, limit],
  });
}

/** Those that are ported. */
export function listPortedNumbersIn(tx: Queryable, numbers: readonly string[]): Promise<readonly PortedNumberToSave[]> {
  return tx.query<PortedNumberToSave>({
    name: "listPortedNumbersIn",
    text: `/* listPortedNumbersIn */
select p.number, o.name as operator from ported_number p join operator o on o.id = p.operator_id
 where p.number = any($1::text[])`,
    values: [numbers],
  });
}
