// Reads accounts with all that belongs to them: in pages for the directory, so that no answer of the
// database is a long piece of work; those that a setup names at once; and finds these, so that a
// change of few needs no reading of all. Never writes.
import { accountFields, type AccountValues, templateFields } from "../fields/account-fields.ts";
import type { Values } from "../fields/field.ts";
import { groupBy } from "../platform/group-by.ts";
import type { Queryable } from "./database.ts";
import {
  columnsOf,
  type FieldColumn,
  readColumn,
  rowStatement,
  selectedValue,
  single,
  splitList,
} from "./row-statement.ts";

/** An account with all that belongs to it, but for its endpoints. */
export type WholeAccount = Omit<AccountValues, "credit" | "users" | "apiKeys" | "webhooks"> & {
  readonly id: number;
  readonly name: string;
  readonly unlimited: boolean;
  /** As a mask of types (event-types.ts). */
  readonly wantedEvents: number;
  /** These are in the order in which they were made. */
  readonly users: readonly UserRow[];
  readonly apiKeys: readonly ApiKeyRow[];
  readonly templates: readonly TemplateRow[];
};

export interface UserRow {
  readonly accountId: number;
  readonly personId: number;
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

export type TemplateRow = Omit<Values<typeof templateFields>, "account"> & {
  readonly id: string;
  readonly accountId: number;
};

const namesOfTemplate = columnsOf(templateFields).map(({ column }) => column);
/** The columns of a template, as they are written, and set from what another row would have. */
export const templateNames: string = namesOfTemplate.join(", ");
export const templateChanges: string = namesOfTemplate.map((name) => `${name} = excluded.${name}`).join(", ");
/** The same, to stand after `select`. */
export const templateColumns: string = columnsOf(templateFields)
  .map(({ key, column }) => `${column} as "${key}"`)
  .join(", ");

/** Those of the account's own table, but for its domain. */
const columns = columnsOf(accountFields).filter(({ key }) => key !== "domain");

/** Rials as text: JSON numbers cannot represent every one. */
function jsonValue(column: FieldColumn): string {
  return column.kind === "rials" ? `${column.column}::text` : selectedValue(column);
}

type ApiKeyTuple = readonly [
  accountId: number,
  id: number,
  name: string,
  sha256Hex: string,
  /** A text with commas, which no address has. */
  allowedIps: string | null,
  expiresAt: string | null,
];

type OfAccount<Value> = readonly (readonly [accountId: number, value: Value])[] | null;

/** As the database writes it; null where there is no row. In no order, unless one is named. */
interface AccountPageJson {
  /** In the order of the page. `domain` is null where it is the name. */
  readonly accounts:
    readonly (readonly [id: number, name: string, domain: string | null, ...columns: unknown[]])[] | null;
  readonly unlimited: readonly number[] | null;
  readonly wanted: OfAccount<number>;
  readonly apiKeys: readonly ApiKeyTuple[] | null;
  /** In the order of ids, as templates. */
  readonly users: readonly UserRow[] | null;
  readonly templates: readonly TemplateRow[] | null;
}

/**
 * One JSON text for all accounts of `page`. Rows and columns of five tables would cost the node
 * more than twice as much. The common values have no column names. `isOf` makes the condition that
 * a column names one of the accounts. With it each table is read by one range of its index, which
 * costs a fraction of a look-up for each account.
 */
function accountPage(isOf: (column: string) => string): string {
  return `json_build_object(
  'accounts', (select json_agg(json_build_array(id, name, nullif(domain, name), ${columns.map(jsonValue).join(", ")})) from page),
  'unlimited', (select json_agg(account_id) from account_balance where ${isOf("account_id")} and unlimited),
  'apiKeys', (select json_agg(json_build_array(account_id, id, name, encode(key_sha256, 'hex'), ${listText("allowed_ips")}, expires_at))
      from api_key where ${isOf("account_id")}),
  'wanted', (select json_agg(json_build_array(account_id, by_endpoints | by_reader)) from wanted_events where ${isOf("account_id")}),
  'users', (select json_agg(u order by u."personId") from (
      select account_id as "accountId", id as "personId", username, password_hash as "passwordHash", password_version as "passwordVersion", role, enabled,
             (password_set_by is not null or factor_secret is not null) as "consoleOnly"
        from person where ${isOf("account_id")} offset 0) u),
  'templates', (select json_agg(t order by t.id) from (
      select account_id as "accountId", id, ${templateColumns} from template where ${isOf("account_id")} offset 0) t)
)::text as accounts`;
}

function listText(column: string): string {
  return `nullif(array_to_string(${column}, ','), '')`;
}

/** Accounts as the database writes them, for `readAccounts`. */
export interface AccountPage {
  /** Up to this id, all that were asked for are here. */
  readonly last: number;
  readonly accounts: string;
}

/** What one page has of each table that belongs to accounts; more only if a single account has. */
const rowsOfPage = 500;

/**
 * Where the page ends: before the account that makes it too large, but not before the first one.
 * `most`: where it ends if no account does.
 */
function endOfPage(most: string, isOf: (column: string) => string): string {
  const tables = ["api_key", "person", "template"];
  const tooLarge = tables.map(
    (table) =>
      `(select account_id - 1 from ${table} where ${isOf("account_id")} order by account_id offset ${rowsOfPage} limit 1)`,
  );
  return `greatest((select min(id) from given), least(${most},
    ${tooLarge.join(",\n    ")}))`;
}

export const accountPageStatement = rowStatement(
  "listAccountPage",
  { after: single<number>(), limit: single<number>() },
  ({ after, limit }) => {
    const isGiven = (column: string): string => `${column} > ${after} and ${column} <= (select id from most)`;
    const isInPage = (column: string): string => `${column} > ${after} and ${column} <= (select last from ends)`;
    return `with given as materialized (select * from account where id > ${after} order by id limit ${limit}),
most as materialized (select max(id) as id from given),
ends as materialized (select ${endOfPage("(select id from most)", isGiven)} as last),
page as (select * from given where id <= (select last from ends))
select (select last from ends) as last, ${accountPage(isInPage)}`;
  },
);

/**
 * One row, or none after the last account: in the order of ids, after the given one. It is not
 * parsed yet, so that the next page can be asked for before.
 */
export async function listAccountPage(
  tx: Queryable,
  page: { readonly after: number; readonly limit: number },
): Promise<readonly AccountPage[]> {
  const rows = await tx.query<AccountPage | { last: null }>(accountPageStatement.with(page));
  return rows.filter((row) => row.last !== null);
}

export const accountsByIdStatement = rowStatement(
  "listAccountsById",
  { ids: single<readonly number[]>() },
  ({ ids }) => {
    const isGiven = (column: string): string => `${column} = any(${ids}::int[])`;
    const isInPage = (column: string): string => `${isGiven(column)} and ${column} <= (select last from ends)`;
    return `with given as materialized (select * from account where ${isGiven("id")}),
ends as materialized (select ${endOfPage(`(select max(id) from unnest(${ids}::int[]) id)`, isGiven)} as last),
page as (select * from given where id <= (select last from ends))
select (select last from ends) as last, ${accountPage(isInPage)}`;
  },
);

/**
 * Those of `ids`, one or more, that are there. One row, with the lowest of them; those above its
 * `last` are to be asked for again.
 */
export function listAccountsById(tx: Queryable, ids: readonly number[]): Promise<readonly AccountPage[]> {
  return tx.query<AccountPage>(accountsByIdStatement.with({ ids }));
}

const none: readonly never[] = [];

export function readAccounts({ accounts }: Pick<AccountPage, "accounts">): readonly WholeAccount[] {
  const json = JSON.parse(accounts) as AccountPageJson;
  const unlimited = new Set(json.unlimited);
  const wanted = new Map(json.wanted);
  const apiKeys = groupBy(
    json.apiKeys?.toSorted(([, one], [, other]) => one - other) ?? none,
    ([accountId]) => accountId,
  );
  const users = groupBy(json.users ?? none, accountOf);
  const templates = groupBy(json.templates ?? none, accountOf);
  return (json.accounts ?? none).map(([id, name, domain, ...values]) => {
    const read = Object.fromEntries(columns.map((column, index) => [column.key, readColumn(column, values[index])]));
    return {
      ...(read as Omit<WholeAccount, "id" | "name" | "domain" | "unlimited" | "wantedEvents">),
      ...{ id, name, domain: domain ?? name },
      unlimited: unlimited.has(id),
      wantedEvents: wanted.get(id) ?? 0,
      users: users.get(id) ?? none,
      apiKeys: apiKeys.get(id)?.map(readApiKey) ?? none,
      templates: templates.get(id) ?? none,
    };
  });
}

function readApiKey([accountId, , name, sha256Hex, allowedIps, expiresAt]: ApiKeyTuple): ApiKeyRow {
  const expires = expiresAt === null ? null : new Date(expiresAt);
  return { accountId, name, sha256Hex, allowedIps: splitList(allowedIps), expiresAt: expires };
}

function accountOf({ accountId }: { readonly accountId: number }): number {
  return accountId;
}

/** Of the accounts that a setup is about. */
export interface NamedAccounts {
  /** Names; absent: all accounts. */
  readonly accounts?: readonly string[] | undefined;
  /** Ids: the accounts that own these templates, too. */
  readonly templates?: readonly string[] | undefined;
}

export type ConfiguredAccount = WholeAccount & { readonly balance: bigint };

export const namedAccountsStatement = rowStatement(
  "listNamedAccounts",
  { names: single<readonly string[] | undefined>(), templates: single<readonly string[]>() },
  ({ names, templates }) => `with page as materialized (
  select * from account where ${names}::text[] is null or name = any(${names})
      or id in (select account_id from template where id = any(${templates}::text[]))
   order by id)
select (select json_agg(json_build_array(id, (select balance::text from account_balance where account_id = id))) from page) as balances,
       ${accountPage((column) => `${column} in (select id from page)`)}`,
);

/** In the order of ids. */
export async function listNamedAccounts(
  tx: Queryable,
  { accounts, templates = [] }: NamedAccounts,
): Promise<readonly ConfiguredAccount[]> {
  const [page] = await tx.query<Pick<AccountPage, "accounts"> & { balances: OfAccount<string> }>(
    namedAccountsStatement.with({ names: accounts, templates }),
  );
  const balances = new Map(page?.balances);
  const whole = page === undefined ? none : readAccounts(page);
  return whole.map((account) => ({ ...account, balance: BigInt(balances.get(account.id) ?? 0) }));
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
-- The server may not know the lower case of letters beyond ASCII.
select a.name from account a
 where (lower(a.domain) in (select domain from domains) or octet_length(a.domain) <> char_length(a.domain))
   and exists (select from person u where u.account_id = a.id and u.username in (select username from usernames))`,
    [named.accounts, named.apiKeys, named.usernames, named.domains],
  );
  return rows.map(({ name }) => name);
}

export interface UsesInAccounts {
  /** Names. */
  readonly accounts: readonly string[];
  /** Ids. */
  readonly templates: readonly string[];
}

/** At most `limit` accounts that may send from the line, and as many templates that do. */
export async function listUsesOfLine(tx: Queryable, number: string, limit: number): Promise<UsesInAccounts> {
  const [uses] = await tx.query<UsesInAccounts>(
    "listUsesOfLine",
    `select array(select name from account where lines @> array[$1] limit $2) as accounts,
       array(select id from template where sender = $1 limit $2) as templates`,
    [number, limit],
  );
  return uses ?? { accounts: [], templates: [] };
}

/** At most `limit` accounts. */
export async function listUsesOfTariff(tx: Queryable, name: string, limit: number): Promise<UsesInAccounts> {
  const rows = await tx.query<{ name: string }>(
    "listUsesOfTariff",
    "select name from account where tariff = $1 limit $2",
    [name, limit],
  );
  return { accounts: rows.map((row) => row.name), templates: [] };
}
