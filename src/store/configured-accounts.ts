// Reads the configuration of accounts: themselves, their users, keys and templates; and finds those that
// a setup file is about, so that a change of few needs no reading of all. Never writes.
import { accountFields, type AccountValues } from "../fields/account-fields.ts";
import type { GivenTlv, TemplatePurpose } from "../sms/template.ts";
import type { Queryable } from "./database.ts";
import { columnsOf, type KeyedValues, readColumn, selectedValue, splitList } from "./field-columns.ts";
import { wantedByAccount } from "./noted-changes.ts";
import { rowStatement, single } from "./row-statement.ts";

export type AccountRow = Omit<AccountValues, "tariff" | "credit" | "users" | "apiKeys" | "webhooks"> & {
  readonly id: number;
  readonly name: string;
  readonly tariffId: number;
  readonly balance: bigint;
  readonly unlimited: boolean;
  /** As a mask of types (event-types.ts). */
  readonly wantedEvents: number;
};

export interface UserRow {
  readonly id: number;
  readonly accountId: number;
  readonly username: string;
  readonly passwordHash: string;
  readonly passwordVersion: number;
  readonly role: "owner" | "sender" | "reader";
  /** One that is not may neither sign in nor use a token. */
  readonly enabled: boolean;
  /** Has a second factor, or must change the password: a password alone is not enough. */
  readonly consoleOnly: boolean;
}

export interface ApiKeyRow {
  readonly accountId: number;
  readonly name: string;
  readonly sha256Hex: string;
  readonly allowedIps: readonly string[];
  /** Null: never. */
  readonly expiresAt: Date | null;
}

export interface TemplateRow {
  readonly id: string;
  readonly accountId: number;
  readonly content: string;
  readonly sender: string | null;
  readonly approved: boolean;
  /** Null: approved, or waiting to be looked at. */
  readonly refused: string | null;
  readonly validSeconds: number | null;
  readonly purpose: TemplatePurpose;
  readonly tlvs: readonly GivenTlv[];
}

const columns = columnsOf(accountFields);

/** The values of the account's own columns, by the keys of their fields. */
export function readAccountColumns(values: readonly unknown[]): Partial<AccountRow> {
  return Object.fromEntries(columns.map((column, index) => [column.key, readColumn(column, values[index])]));
}

export const listAccountsStatement = rowStatement(
  "listAccounts",
  { names: single<readonly string[] | null>() },
  ({ names }) => `select a.id, a.name, a.tariff_id as "tariffId",
       ${columns.map((column) => `${selectedValue(column)} as "${column.key}"`).join(", ")},
       (select string_agg(l.number, ',' order by l.number) from account_line o join sender_line l on l.id = o.line_id
         where o.account_id = a.id) as lines,
       coalesce(b.balance, 0) as balance, coalesce(b.unlimited, false) as unlimited,
       ${wantedByAccount} as "wantedEvents"
  from account a
  left join account_balance b on b.account_id = a.id
 where ${names}::text[] is null or a.name = any(${names})
 order by a.id`,
);

export async function listAccounts(
  tx: Queryable,
  names: readonly string[] | undefined,
): Promise<readonly AccountRow[]> {
  const rows = await tx.query<AccountRow & { lines: string | null } & KeyedValues>(
    listAccountsStatement.with({ names: names ?? null }),
  );
  return rows.map((row) => ({
    ...row,
    ...readAccountColumns(columns.map(({ key }) => row[key])),
    lines: splitList(row.lines),
  }));
}

const ofAccounts = `$1::text[] is null or account_id in (select id from account where name = any($1))`;

export async function listUsers(tx: Queryable, accounts: readonly string[] | undefined): Promise<readonly UserRow[]> {
  return tx.query<UserRow>(
    "listUsers",
    `select id, account_id as "accountId", username, password_hash as "passwordHash", password_version as "passwordVersion", role, enabled,
       (password_set_by is not null or factor_secret is not null) as "consoleOnly"
  from person where account_id is not null and (${ofAccounts}) order by id`,
    [accounts ?? null],
  );
}

export async function listApiKeys(
  tx: Queryable,
  accounts: readonly string[] | undefined,
): Promise<readonly ApiKeyRow[]> {
  return tx.query<ApiKeyRow>(
    "listApiKeys",
    `select account_id as "accountId", name, encode(key_sha256, 'hex') as "sha256Hex", allowed_ips as "allowedIps",
       expires_at as "expiresAt"
  from api_key where ${ofAccounts} order by id`,
    [accounts ?? null],
  );
}

export async function listTemplates(
  tx: Queryable,
  ids: readonly string[] | undefined,
): Promise<readonly TemplateRow[]> {
  return tx.query<TemplateRow>(
    "listTemplates",
    `select id, account_id as "accountId", content, sender, approved, refused_reason as refused, valid_seconds as "validSeconds", purpose, tlvs
  from template where $1::text[] is null or id = any($1) order by id`,
    [ids ?? null],
  );
}

/** What a setup file names. */
export interface NamedInSetup {
  readonly accounts: readonly string[];
  /** SHA-256 in hexadecimal: a key must not be another account's, too. */
  readonly apiKeys: readonly string[];
  /** Of the users of these accounts: a name may be there once in each domain. */
  readonly usernames: readonly string[];
  /** Of these accounts, in lower case. */
  readonly domains: readonly string[];
  readonly templates: readonly string[];
}

/** The accounts that are named, that own what is named, or that share a login with those. */
export async function listConcernedAccounts(tx: Queryable, named: NamedInSetup): Promise<readonly string[]> {
  const rows = await tx.query<{ name: string }>(
    "listConcernedAccounts",
    `with named as materialized (select id, name, domain from account where name = any($1::text[])),
domains as materialized (select unnest($4::text[]) as domain union select lower(domain) from named),
usernames as materialized (
  select unnest($3::text[]) as username union select u.username from named join person u on u.account_id = named.id
)
select name from named
union
select a.name from api_key k join account a on a.id = k.account_id
 where k.key_sha256 in (select decode(unnest($2::text[]), 'hex'))
union
select a.name from template t join account a on a.id = t.account_id where t.id = any($5::text[])
union
-- The server may not know the lower case of letters beyond ASCII.
select a.name from account a
 where (lower(a.domain) in (select domain from domains) or octet_length(a.domain) <> char_length(a.domain))
   and exists (select from person u where u.account_id = a.id and u.username in (select username from usernames))`,
    [named.accounts, named.apiKeys, named.usernames, named.domains, named.templates],
  );
  return rows.map(({ name }) => name);
}

/** The ids of the templates of these accounts. */
export async function listTemplatesOf(tx: Queryable, accounts: readonly string[]): Promise<readonly string[]> {
  const rows = await tx.query<{ id: string }>(
    "listTemplatesOf",
    `select t.id from account a join template t on t.account_id = a.id where a.name = any ($1::text[])`,
    [accounts],
  );
  return rows.map(({ id }) => id);
}

export interface UsesInAccounts {
  /** Names. */
  readonly accounts: readonly string[];
  /** Ids. */
  readonly templates: readonly string[];
}

// Where all have one line or tariff, an equality lets the planner walk all accounts by id until it
// has found enough; a range with both columns in its order is only found in the index of it.

/** At most `limit` accounts that may send from the line, and as many templates that do. */
export async function listUsesOfLine(tx: Queryable, number: string, limit: number): Promise<UsesInAccounts> {
  const [uses] = await tx.query<UsesInAccounts>(
    "listUsesOfLine",
    `select array(select (select a.name from account a where a.id = o.account_id)
               from account_line o where o.line_id between (select l.id from sender_line l where l.number = $1)
                                                      and (select l.id from sender_line l where l.number = $1)
              order by o.line_id, o.account_id limit $2) as accounts,
       array(select t.id from template t where t.sender between $1 and $1 order by t.sender, t.id limit $2) as templates`,
    [number, limit],
  );
  return uses ?? { accounts: [], templates: [] };
}

/** At most `limit` accounts. */
export async function listUsesOfTariff(tx: Queryable, name: string, limit: number): Promise<UsesInAccounts> {
  const rows = await tx.query<{ name: string }>(
    "listUsesOfTariff",
    `select a.name from account a
 where a.tariff_id between (select f.id from tariff f where f.name = $1) and (select f.id from tariff f where f.name = $1)
 order by a.tariff_id, a.id limit $2`,
    [name, limit],
  );
  return { accounts: rows.map((row) => row.name), templates: [] };
}
