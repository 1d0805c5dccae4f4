// Keys. API keys, as hashes only: made, rotated, changed and removed by people, and noted as used; a
// setup file saves whole lists (credentials.ts). And the keys that sign access tokens, which nodes read
// with the rest of the configuration, so that each change increments its version.
import { composed, type Queryable } from "./database.ts";
import { lockConfiguration, raiseConfigurationVersion } from "./configuration-version.ts";
import { conditions } from "./row-statement.ts";

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
  return db.query<StoredApiKey>(
    composed(
      "listApiKeysOf",
      `select name, last_four as "lastFour", allowed_ips as "allowedIps", created_at as "createdAt", last_used_at as "lastUsedAt",
       expires_at as "expiresAt", retired
  from api_key where ${text} order by name`,
      values,
    ),
  );
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
  await tx.query(
    "insertApiKey",
    `insert into api_key (account_id, name, key_sha256, last_four, allowed_ips, expires_at, created_at)
values ($1, $2, decode($3, 'hex'), $4, $5, $6, now())`,
    [key.accountId, key.name, key.sha256Hex, key.lastFour, key.allowedIps, key.expiresAt],
  );
}

/** The key goes on under another name, and ends no later than after these hours. */
export async function retireApiKey(
  tx: Queryable,
  { accountId, name, newName, hours }: { accountId: number; name: string; newName: string; hours: number },
): Promise<void> {
  await tx.query(
    "retireApiKey",
    `update api_key set name = $3, retired = true,
       expires_at = least(coalesce(expires_at, 'infinity'), now() + make_interval(hours => $4))
 where account_id = $1 and name = $2`,
    [accountId, name, newName, hours],
  );
}

export async function updateApiKey(
  tx: Queryable,
  { accountId, name, allowedIps, expiresAt }: Pick<NewApiKey, "accountId" | "name" | "allowedIps" | "expiresAt">,
): Promise<void> {
  await tx.query(
    "updateApiKey",
    "update api_key set allowed_ips = $3, expires_at = $4 where account_id = $1 and name = $2",
    [accountId, name, allowedIps, expiresAt],
  );
}

export async function deleteApiKey(tx: Queryable, accountId: number, name: string): Promise<void> {
  await tx.query("deleteApiKey", "delete from api_key where account_id = $1 and name = $2", [accountId, name]);
}

/** Those that were rotated away, once their time is over. */
export async function deleteEndedApiKeys(tx: Queryable, accountId: number): Promise<void> {
  await tx.query("deleteEndedApiKeys", "delete from api_key where account_id = $1 and retired and expires_at < now()", [
    accountId,
  ]);
}

/**
 * A key that was noted within the last minute is left alone: several nodes may see the same one.
 */
export async function noteApiKeyUse(db: Queryable, sha256Hex: readonly string[]): Promise<void> {
  await db.query(
    "noteApiKeyUse",
    `update api_key set last_used_at = now()
 where key_sha256 = any (select decode(given, 'hex') from unnest($1::text[]) as given)
   and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
    [sha256Hex],
  );
}

export interface NewTokenKey {
  readonly secret: Buffer;
  /** A signing key younger than this is kept; 0 replaces it in any case. */
  readonly unlessYoungerThanSeconds: number;
  /**
   * How long the earlier keys still verify: the lifetime of a token, plus some time for the nodes
   * to load the change.
   */
  readonly retireAfterSeconds: number;
}

/**
 * Adds a key and retires the earlier ones, unless the newest is young enough. Returns whether it
 * added one. `tx` is a transaction; it takes the lock first, so one of several nodes makes the key
 * and the others see it.
 */
export async function rotateTokenKey(tx: Queryable, key: NewTokenKey): Promise<boolean> {
  await lockConfiguration(tx);
  const added = await replaceTokenKey(tx, key);
  if (added) await raiseConfigurationVersion(tx);
  return added;
}

/**
 * Replaces all keys with a new one; the old keys no longer verify once the nodes have loaded the
 * change. Returns the new version of the configuration. `tx` is a transaction.
 */
export async function replaceAllTokenKeys(tx: Queryable, secret: Buffer): Promise<bigint> {
  await lockConfiguration(tx);
  // Deleted instead of retired now, because the nodes' clocks differ.
  await tx.query(
    "replaceAllTokenKeys",
    `with removed as (delete from token_key)
insert into token_key (secret) values ($1::bytea)`,
    [secret],
  );
  return raiseConfigurationVersion(tx);
}

async function replaceTokenKey(tx: Queryable, key: NewTokenKey): Promise<boolean> {
  const rows = await tx.query<{ id: number }>(
    "replaceTokenKey",
    `with turn as materialized (
  select where not exists (
    select from token_key where retired_at is null and created_at > now() - make_interval(secs => $2))
),
dropped as (
  delete from token_key where retired_at < now() and exists (select from turn)
),
retired as (
  update token_key set retired_at = now() + make_interval(secs => $3)
   where retired_at is null and exists (select from turn)
)
insert into token_key (secret) select $1::bytea from turn returning id`,
    [key.secret, key.unlessYoungerThanSeconds, key.retireAfterSeconds],
  );
  return rows.length > 0;
}
