// Reads the configuration of accounts: themselves, their users, keys and templates. Never writes.
import type { TemplatePurpose } from "../sms/template.ts";
import type { Queryable } from "./database.ts";
import { wantedByAccount } from "./noted-changes.ts";

export interface AccountRow {
  readonly id: number;
  readonly name: string;
  readonly domain: string;
  readonly tariffId: number;
  readonly permissions: readonly string[];
  readonly requestsPerSecond: number;
  readonly allowedIps: readonly string[];
  readonly blockedRecipients: readonly string[];
  readonly lines: readonly string[];
  readonly balance: bigint;
  readonly lowCredit: bigint;
  /** 0: off, as the next two. */
  readonly duplicateSeconds: number;
  readonly dailyMessages: number;
  /** Rials. */
  readonly monthlyCost: bigint;
  /** As a mask of types (event-types.ts). */
  readonly wantedEvents: number;
  readonly unlimited: boolean;
}

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
}

type StoredAccount = Omit<AccountRow, "lines" | "blockedRecipients"> & {
  lines: string | null;
  blockedRecipients: string | null;
};

export async function listAccounts(
  tx: Queryable,
  names: readonly string[] | undefined,
): Promise<readonly AccountRow[]> {
  const rows = await tx.query<StoredAccount>({
    name: "listAccounts",
    text: `/* listAccounts */
select a.id, a.name, a.domain, a.tariff_id as "tariffId", a.permissions, a.requests_per_second as "requestsPerSecond",
       a.allowed_ips as "allowedIps", array_to_string(a.blocked_recipients, ',') as "blockedRecipients",
       (select string_agg(l.number, ',' order by l.number) from account_line o join sender_line l on l.id = o.line_id
         where o.account_id = a.id) as lines,
       coalesce(b.balance, 0) as balance, coalesce(b.unlimited, false) as unlimited,
       a.low_credit as "lowCredit", a.duplicate_seconds as "duplicateSeconds", a.daily_messages::float8 as "dailyMessages",
       a.monthly_cost as "monthlyCost",
       ${wantedByAccount} as "wantedEvents"
  from account a
  left join account_balance b on b.account_id = a.id
 where $1::text[] is null or a.name = any($1)
 order by a.id`,
    values: [names ?? null],
  });
  return rows.map((row) => ({
    ...row,
    lines: splitList(row.lines),
    blockedRecipients: splitList(row.blockedRecipients),
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
select id, account_id as "accountId", content, sender, approved, refused_reason as refused, valid_seconds as "validSeconds", purpose
  from template where $1::text[] is null or id = any($1) order by id`,
    values: [ids ?? null],
  });
}

/**
 * A list as a statement returns it, with commas. Long lists travel as one text: splitting it is
 * many times faster than parsing an array or one row per element.
 */
export function splitList(text: string | null): readonly string[] {
  return text === null || text === "" ? [] : text.split(",");
}
