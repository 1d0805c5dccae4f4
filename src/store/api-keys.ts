// Statements on single API keys: made, rotated, changed and removed by people, and noted as used. A
// setup file saves whole lists (credentials.ts). Keys stand here as hashes only.
import type { Queryable } from "./database.ts";
import { conditions } from "./conditions.ts";

export interface StoredApiKey {
  readonly name: string;
  /** Null: it came from a setup file. */
  readonly lastFour: string | null;
  readonly allowedIps: readonly string[];
  /** Null: known only of keys that the console made, or saved since. */
  readonly createdAt: Date | null;
  /** To the minute or so. */
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  /** Replaced by a newer one, and good for a time besides. */
  readonly retired: boolean;
}

export function listApiKeysOf(db: Queryable, accountId: number, name?: string): Promise<StoredApiKey[]> {
  const { text, values } = conditions({ "account_id = ?": accountId, "name = ?": name });
  return db.query<StoredApiKey>({
    name: "",
    text: `/* listApiKeysOf */
select name, last_four as "lastFour", allowed_ips as "allowedIps", created_at as "createdAt", last_used_at as "lastUsedAt",
       expires_at as "expiresAt", retired
  from api_key where ${text} order by name`,
    values,
  });
}

export async function findApiKey(db: Queryable, accountId: number, name: string): Promise<StoredApiKey | undefined> {
  return (await listApiKeysOf(db, accountId, name))[0];
}

export interface NewApiKey {
  readonly accountId: number;
  readonly name: string;
  readonly sha256Hex: string;
  readonly lastFour: string;
  readonly allowedIps: readonly string[];
  readonly expiresAt: Date | null;
}

export async function insertApiKey(tx: Queryable, key: NewApiKey): Promise<void> {
  await tx.query({
    name: "insertApiKey",
    text: `/* insertApiKey */
insert into api_key (account_id, name, key_sha256, last_four, allowed_ips, expires_at, created_at)
values ($1, $2, decode($3, 'hex'), $4, $5, $6, now())`,
    values: [key.accountId, key.name, key.sha256Hex, key.lastFour, key.allowedIps, key.expiresAt],
  });
}

/** The key goes on under another name, and ends no later than after these hours. */
export async function retireApiKey(
  tx: Queryable,
  { accountId, name, newName, hours }: { accountId: number; name: string; newName: string; hours: number },
): Promise<void> {
  await tx.query({
    name: "retireApiKey",
    text: `/* retireApiKey */
update api_key set name = $3, retired = true,
       expires_at = least(coalesce(expires_at, 'infinity'), now() + make_interval(hours => $4))
 where account_id = $1 and name = $2`,
    values: [accountId, name, newName, hours],
  });
}

export async function updateApiKey(
  tx: Queryable,
  { accountId, name, allowedIps, expiresAt }: Pick<NewApiKey, "accountId" | "name" | "allowedIps" | "expiresAt">,
): Promise<void> {
  await tx.query({
    name: "updateApiKey",
    text: "/* updateApiKey */ update api_key set allowed_ips = $3, expires_at = $4 where account_id = $1 and name = $2",
    values: [accountId, name, allowedIps, expiresAt],
  });
}

export async function deleteApiKey(tx: Queryable, accountId: number, name: string): Promise<void> {
  await tx.query({
    name: "deleteApiKey",
    text: "/* deleteApiKey */ delete from api_key where account_id = $1 and name = $2",
    values: [accountId, name],
  });
}

/** Those that were rotated away, once their time is over. */
export async function deleteEndedApiKeys(tx: Queryable, accountId: number): Promise<void> {
  await tx.query({
    name: "deleteEndedApiKeys",
    text: "/* deleteEndedApiKeys */ delete from api_key where account_id = $1 and retired and expires_at < now()",
    values: [accountId],
  });
}

/**
 * A key that was noted within the last minute is left alone: several nodes may see the same one.
 */
export async function noteApiKeyUse(db: Queryable, sha256Hex: readonly string[]): Promise<void> {
  await db.query({
    name: "noteApiKeyUse",
    text: `/* noteApiKeyUse */
update api_key set last_used_at = now()
 where key_sha256 = any (select decode(given, 'hex') from unnest($1::text[]) as given)
   and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
    values: [sha256Hex],
  });
}
