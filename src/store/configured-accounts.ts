// Reads the configuration of accounts: themselves, their users, keys and templates. Never writes.
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
  return tx.query<UserRow>({
    name: "listUsers",
    text: `/* listUsers */
select id, account_id as "accountId", username, password_hash as "passwordHash", password_version as "passwordVersion", role, enabled,
       (password_set_by is not null or factor_secret is not null) as "consoleOnly"
  from person where account_id is not null and (${ofAccounts}) order by id`,
    values: [accounts ?? null],
  });
}

export async function listApiKeys(
  tx: Queryable,
  accounts: readonly string[] | undefined,
): Promise<readonly ApiKeyRow[]> {
  return tx.query<ApiKeyRow>({
    name: "listApiKeys",
    text: `/* listApiKeys */
select account_id as "accountId", name, encode(key_sha256, 'hex') as "sha256Hex", allowed_ips as "allowedIps",
       expires_at as "expiresAt"
  from api_key where ${ofAccounts} order by id`,
    values: [accounts ?? null],
  });
}

export async function listTemplates(
  tx: Queryable,
  ids: readonly string[] | undefined,
): Promise<readonly TemplateRow[]> {
  return tx.query<TemplateRow>({
    name: "listTemplates",
    text: `/* listTemplates */
select id, account_id as "accountId", content, sender, approved, refused_reason as refused, valid_seconds as "validSeconds", purpose, tlvs
  from template where $1::text[] is null or id = any($1) order by id`,
    values: [ids ?? null],
  });
}
