// Reads what may be many thousands of rows of the configuration in pages, so that no answer of the
// database is a long piece of work. All pages of a load belong to one transaction that reads as of
// one instant.
import type { LineRow } from "./configuration.ts";
import type { AccountRow, ApiKeyRow, TemplateRow, UserRow } from "./configured-accounts.ts";
import type { Queryable } from "./database.ts";
import { wantedByAccount } from "./noted-changes.ts";
import type { PortedNumberToSave } from "./setup-network.ts";

interface Page<Key> {
  readonly after: Key;
  readonly limit: number;
}

// Long lists travel as one text: splitting it is many times faster than parsing an array. `a` is an
// account, `b` what follows.
const accountColumns = `a.id, a.name, a.domain, a.tariff_id as "tariffId", a.permissions, a.requests_per_second as "requestsPerSecond",
       a.allowed_ips as "allowedIps", array_to_string(a.blocked_recipients, ',') as "blockedRecipients",
       (select string_agg(l.number, ',' order by l.number) from account_line o join sender_line l on l.id = o.line_id
         where o.account_id = a.id) as lines,
       coalesce(b.balance, 0) as balance, coalesce(b.unlimited, false) as unlimited, a.low_credit as "lowCredit",
       a.duplicate_seconds as "duplicateSeconds", a.daily_messages::float8 as "dailyMessages", a.monthly_cost as "monthlyCost",
       ${wantedByAccount} as "wantedEvents"`;

// Looked up account by account: a join of both tables begins at the first balance for each page.
const withBalance =
  "left join lateral (select balance, unlimited from account_balance where account_id = a.id offset 0) b on true";

type StoredAccountRow = Omit<AccountRow, "lines" | "blockedRecipients"> & {
  readonly lines: string | null;
  readonly blockedRecipients: string | null;
};

/** In the order of ids, after the given one. */
export async function listAccountPage(tx: Queryable, { after, limit }: Page<number>): Promise<readonly AccountRow[]> {
  const rows = await tx.query<StoredAccountRow>({
    name: "listAccountPage",
    text: `/* listAccountPage */
select ${accountColumns}
  from (select * from account where id > $1 order by id limit $2) a ${withBalance}
 order by a.id`,
    values: [after, limit],
  });
  return rows.map(accountRow);
}

/** Those that are there. */
export async function listAccountsById(tx: Queryable, ids: readonly number[]): Promise<readonly AccountRow[]> {
  const rows = await tx.query<StoredAccountRow>({
    name: "listAccountsById",
    text: `/* listAccountsById */
select ${accountColumns}
  from account a ${withBalance}
 where a.id = any($1::int[])`,
    values: [ids],
  });
  return rows.map(accountRow);
}

function accountRow(row: StoredAccountRow): AccountRow {
  return { ...row, lines: splitList(row.lines), blockedRecipients: splitList(row.blockedRecipients) };
}

function splitList(text: string | null): readonly string[] {
  return text === null || text === "" ? [] : text.split(",");
}

export function listUsersOf(tx: Queryable, accountIds: readonly number[]): Promise<readonly UserRow[]> {
  return tx.query<UserRow>({
    name: "listUsersOfAccounts",
    text: `/* listUsersOfAccounts */
select id, account_id as "accountId", username, password_hash as "passwordHash", password_version as "passwordVersion", role, enabled
  from account_user where account_id = any($1::int[]) order by id`,
    values: [accountIds],
  });
}

export function listApiKeysOf(tx: Queryable, accountIds: readonly number[]): Promise<readonly ApiKeyRow[]> {
  return tx.query<ApiKeyRow>({
    name: "listApiKeysOfAccounts",
    text: `/* listApiKeysOfAccounts */
select account_id as "accountId", name, encode(key_sha256, 'hex') as "sha256Hex", allowed_ips as "allowedIps",
       expires_at as "expiresAt"
  from api_key where account_id = any($1::int[]) order by id`,
    values: [accountIds],
  });
}

export function listTemplatesOf(tx: Queryable, accountIds: readonly number[]): Promise<readonly TemplateRow[]> {
  return tx.query<TemplateRow>({
    name: "listTemplatesOfAccounts",
    text: `/* listTemplatesOfAccounts */
select id, account_id as "accountId", content, sender, approved, refused_reason as refused, valid_seconds as "validSeconds", purpose
  from template where account_id = any($1::int[]) order by id`,
    values: [accountIds],
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
