// Reads what may be many thousands of rows of the configuration in pages, so that no answer of the
// database is a long piece of work. All pages of a load belong to one transaction that reads as of
// one instant.
import type { LineRow } from "./configuration.ts";
import { accountFields } from "../fields/account-fields.ts";
import type { AccountRow, ApiKeyRow, TemplateRow, UserRow } from "./configured-accounts.ts";
import type { Queryable } from "./database.ts";
import { columnsOf, type FieldColumn, readColumn, selectedValue, splitList } from "./field-columns.ts";
import { rowStatement, single } from "./row-statement.ts";

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
}

/** A list is a text with commas, which no name, address or number has; null: it is empty. */
type ListText = string | null;

type AccountTuple = readonly [
  id: number,
  name: string,
  /** Null: the name. */
  domain: string | null,
  tariffId: number,
  ...columns: readonly unknown[],
];

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
  allowedIps: ListText,
  expiresAt: string | null,
];

/** As the database writes it; null where there is no row. In no order, unless one is named. */
interface AccountPageJson {
  /** In the order of the page. */
  readonly accounts: readonly AccountTuple[] | null;
  readonly unlimited: readonly number[] | null;
  readonly lines: readonly (readonly [accountId: number, number: string])[] | null;
  readonly apiKeys: readonly ApiKeyTuple[] | null;
  readonly wanted: readonly (readonly [accountId: number, mask: number])[] | null;
  /** In the order of ids, as templates. */
  readonly users: readonly UserRow[] | null;
  readonly templates: readonly TemplateRow[] | null;
  /** In the order in which they were made. */
}

/**
 * One JSON text for all accounts of `page`. Rows and columns of five tables would cost the node
 * more than twice as much. The common values have no column names. `isOf` makes the condition that
 * a column names one of the accounts. With it each table is read by one range of its index, which
 * costs a fraction of a look-up for each account. What these rows refer to is looked up row by row,
 * because a join might read the whole other table for each page.
 */
function accountPage(isOf: (column: string) => string): string {
  return `json_build_object(
  'accounts', (select json_agg(json_build_array(id, name, nullif(domain, name), tariff_id, ${columns.map(jsonValue).join(", ")})) from page),
  'unlimited', (select json_agg(account_id) from account_balance where ${isOf("account_id")} and unlimited),
  'lines', (select json_agg(json_build_array(account_id, (select number from sender_line where id = line_id)))
      from account_line where ${isOf("account_id")}),
  'apiKeys', (select json_agg(json_build_array(account_id, id, name, encode(key_sha256, 'hex'), ${listText("allowed_ips")}, expires_at))
      from api_key where ${isOf("account_id")}),
  'wanted', (select json_agg(json_build_array(account_id, by_endpoints | by_reader)) from wanted_events where ${isOf("account_id")}),
  'users', (select json_agg(u order by u.id) from (
      select account_id as "accountId", id, username, password_hash as "passwordHash", password_version as "passwordVersion", role, enabled,
             (password_set_by is not null or factor_secret is not null) as "consoleOnly"
        from person where ${isOf("account_id")} offset 0) u),
  'templates', (select json_agg(t order by t.id) from (
      select account_id as "accountId", id, content, sender, approved, refused_reason as refused, valid_seconds as "validSeconds", purpose, tlvs
        from template where ${isOf("account_id")} offset 0) t)
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
  const tables = ["account_line", "api_key", "person", "template"];
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
export async function listAccountPage(tx: Queryable, page: Page<number>): Promise<readonly AccountPage[]> {
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

export function readAccounts({ accounts }: AccountPage): readonly WholeAccount[] {
  const json = JSON.parse(accounts) as AccountPageJson;
  const unlimited = new Set(json.unlimited);
  const wanted = new Map(json.wanted);
  const lines = groupBy(
    json.lines,
    ([accountId]) => accountId,
    ([, number]) => number,
  );
  const apiKeys = groupBy(json.apiKeys, ([accountId]) => accountId, readApiKey);
  const users = groupBy(json.users, accountOf, (user) => user);
  const templates = groupBy(json.templates, accountOf, (template) => template);
  return (json.accounts ?? none).map((account) => {
    const [id, name, domain, tariffId, ...values] = account;
    const read = Object.fromEntries(columns.map((column, index) => [column.key, readColumn(column, values[index])]));
    return {
      ...(read as DeclaredColumns),
      ...{ id, name, domain: domain ?? name, tariffId },
      lines: lines.get(id)?.sort() ?? none,
      unlimited: unlimited.has(id),
      wantedEvents: wanted.get(id) ?? 0,
      users: users.get(id) ?? none,
      apiKeys: apiKeys.get(id)?.sort((one, other) => one.id - other.id) ?? none,
      templates: templates.get(id) ?? none,
    };
  });
}

type DeclaredColumns = Omit<
  AccountRow,
  "id" | "name" | "domain" | "tariffId" | "lines" | "balance" | "unlimited" | "wantedEvents"
>;

function accountOf({ accountId }: { readonly accountId: number }): number {
  return accountId;
}

function readApiKey([, id, name, sha256Hex, allowedIps, expiresAt]: ApiKeyTuple): Omit<ApiKeyRow, "accountId"> & {
  readonly id: number;
} {
  return { id, name, sha256Hex, allowedIps: splitList(allowedIps), expiresAt: timeOf(expiresAt) };
}

function timeOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

function groupBy<Row, Value>(
  rows: readonly Row[] | null,
  accountOf: (row: Row) => number,
  valueOf: (row: Row) => Value,
): Map<number, Value[]> {
  const groups = new Map<number, Value[]>();
  for (const row of rows ?? none) {
    const accountId = accountOf(row);
    const group = groups.get(accountId);
    if (group === undefined) groups.set(accountId, [valueOf(row)]);
    else group.push(valueOf(row));
  }
  return groups;
}

export type DirectoryLine = Omit<LineRow, "inboundAccount">;

/** In the order of numbers, after the given one. */
export function listLinePage(tx: Queryable, { after, limit }: Page<string>): Promise<readonly DirectoryLine[]> {
  return tx.query<DirectoryLine>(
    "listLinePage",
    `select l.number, l.kind, l.inbound_account_id as "inboundAccountId", l.opt_out as "optOut",
       (select array_agg(c.connector_id order by c.connector_id) from line_connector c where c.line_id = l.id) as "connectorIds"
  from sender_line l where l.number > $1 order by l.number limit $2`,
    [after, limit],
  );
}
