// API keys, as hashes only, and the keys that sign access tokens: made, rotated, changed and removed by
// people, and noted as used. And what a setup file saves: staff, and users and API keys of accounts, in
// one transaction that holds the configuration's lock. Nodes read them with the rest of the
// configuration, so that each change increments its version.
import type { AccountValues, apiKeyFields } from "../fields/account-fields.ts";
import type { Values } from "../fields/field.ts";
import type { staffFields } from "../fields/service-fields.ts";
import { lockConfiguration, raiseConfigurationVersion } from "./configuration-version.ts";
import { composed, type Queryable } from "./database.ts";
import { listPeople } from "./people.ts";
import { bool, conditions, hexBytea, rows, rowStatement, text, timestamptz } from "./row-statement.ts";

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

/** The key stays valid under another name, and ends no later than after these hours. */
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
   * to load the change. Null: only until the nodes have loaded the change.
   */
  readonly retireAfterSeconds: number | null;
}

/**
 * Adds a key and retires or removes the earlier ones, unless the newest is young enough. Returns the
 * version of the configuration that has it; undefined: it added none. `tx` is a transaction; it
 * takes the lock first, so one of several nodes makes the key and the others see it.
 */
export async function rotateTokenKey(tx: Queryable, key: NewTokenKey): Promise<bigint | undefined> {
  await lockConfiguration(tx);
  // Removed instead of retired now, because the nodes' clocks differ.
  const added = await tx.query(
    "rotateTokenKey",
    `with turn as materialized (
  select where not exists (
    select from token_key where retired_at is null and created_at > clock_timestamp() - make_interval(secs => $2))
),
dropped as (
  delete from token_key where (retired_at < now() or $3::int is null) and exists (select from turn)
),
retired as (
  update token_key set retired_at = now() + make_interval(secs => $3::int)
   where retired_at is null and $3::int is not null and exists (select from turn)
)
insert into token_key (secret) select $1::bytea from turn returning id`,
    [key.secret, key.unlessYoungerThanSeconds, key.retireAfterSeconds],
  );
  return added.length > 0 ? raiseConfigurationVersion(tx) : undefined;
}

export interface NamedAccount {
  readonly name: string;
  readonly state: Pick<AccountValues, "users" | "apiKeys">;
}

interface PersonToSave {
  readonly username: string;
  readonly password: string;
  readonly role: string;
  /** Undefined: of the staff. */
  readonly account?: string | undefined;
  readonly enabled?: boolean;
  /** Who of the staff gives the password; absent: a setup file. */
  readonly setBy?: string;
}

const personColumns = {
  account: text<PersonToSave>("account"),
  username: text<PersonToSave>("username"),
};

export const deleteOtherUsersStatement = rowStatement(
  "deleteOtherUsers",
  { account: rows<string>({ name: text((name) => name) }), user: rows<PersonToSave>(personColumns) },
  ({ account, user }) => `delete from person u using account a
 where a.id = u.account_id and a.name = any(${account.array("name")})
   and not exists (select from ${user.as("given")}
                    where given.account = a.name and given.username = u.username)`,
);

/** Programs may use the password that a setup file gives. Users are disabled in the console alone. */
export const upsertPeopleStatement = rowStatement(
  "upsertPeople",
  {
    person: rows<PersonToSave>({
      ...personColumns,
      password_hash: text("password"),
      role: text("role"),
      enabled: bool("enabled"),
      set_by: text("setBy"),
    }),
  },
  ({ person }) => `insert into person (account_id, username, password_hash, role, enabled, password_set_by)
select a.id, given.username, given.password_hash, given.role, coalesce(given.enabled, true), nullif(given.set_by, '')
  from ${person.as("given")}
  left join account a on a.name = given.account
on conflict on constraint username_is_unique_in_its_account do update
   set password_hash = excluded.password_hash, role = excluded.role, password_version = person.password_version + 1,
       enabled = case when person.account_id is null then excluded.enabled else person.enabled end,
       password_set_by = case when person.password_hash = excluded.password_hash then person.password_set_by else excluded.password_set_by end
 where person.password_hash <> excluded.password_hash or person.role <> excluded.role or person.account_id is null`,
);

/**
 * Gives these accounts exactly their users. A user with a new password or another role gets a new
 * password version, which ends their tokens and sessions. `stored`: those that may have users.
 */
export async function replaceUsers(
  tx: Queryable,
  accounts: readonly NamedAccount[],
  { stored, setBy }: { readonly stored: readonly string[]; readonly setBy: string },
): Promise<void> {
  const users = accounts.flatMap(({ name: account, state }) =>
    Array.from(state.users, ([username, user]) => ({ ...user, username, account, setBy })),
  );
  if (stored.length > 0) await tx.query(deleteOtherUsersStatement.with({ account: stored, user: users }));
  await upsertPeople(tx, users);
}

export type StaffToSave = Values<typeof staffFields> & { readonly username: string };

/** Who changes gets a new password version, which ends the sessions. */
export async function upsertPeople(tx: Queryable, people: readonly PersonToSave[]): Promise<void> {
  if (people.length > 0) await tx.query(upsertPeopleStatement.with({ person: people }));
}

export async function deleteStaffNamed(tx: Queryable, usernames: readonly string[]): Promise<void> {
  await tx.query("deleteStaffNamed", "delete from person where account_id is null and username = any($1::text[])", [
    usernames,
  ]);
}

export async function listSetupStaff(tx: Queryable): Promise<StaffToSave[]> {
  const staff = await listPeople(tx, undefined, {});
  return staff.map(({ username, passwordHash, role, enabled }) => ({
    ...{ username, password: passwordHash, enabled },
    // One of them, by the table's constraint.
    role: role as StaffToSave["role"],
  }));
}

/** What people see of a key, and no file knows. */
interface KeptOfApiKey {
  readonly sha256Hex: string;
  readonly lastFour: string | null;
  readonly createdAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly retired: boolean;
}

interface ApiKeyOfAccount {
  readonly account: string;
  readonly name: string;
  readonly key: Values<typeof apiKeyFields>;
  readonly kept: KeptOfApiKey | undefined;
}

export const insertApiKeysStatement = rowStatement(
  "insertApiKeys",
  {
    key: rows<ApiKeyOfAccount>({
      account: text("account"),
      name: text("name"),
      key_sha256: hexBytea(({ key }) => key.key),
      // An address has no comma.
      allowed_ips: text(({ key }) => key.allowedIps.join()),
      last_four: text(({ kept }) => kept?.lastFour),
      created_at: timestamptz(({ kept }) => kept?.createdAt),
      last_used_at: timestamptz(({ kept }) => kept?.lastUsedAt),
      expires_at: timestamptz(({ key }) => key.expires),
      // A key without an end is in use again.
      retired: bool(({ key, kept }) => kept?.retired === true && key.expires !== null),
    }),
  },
  ({
    key,
  }) => `insert into api_key (account_id, name, key_sha256, allowed_ips, last_four, created_at, last_used_at, expires_at, retired)
select a.id, given.name, given.key_sha256, string_to_array(given.allowed_ips, ','), given.last_four, given.created_at,
       given.last_used_at, given.expires_at, given.retired
  from ${key.as("given")}
  join account a on a.name = given.account`,
);

export type KeptApiKeys = ReadonlyMap<string, KeptOfApiKey>;

/**
 * Returns what there was, by the key's hash. All keys of an account are written again
 * (`insertApiKeys`), so that keys may swap names.
 */
export async function deleteApiKeys(tx: Queryable, accounts: readonly string[]): Promise<KeptApiKeys> {
  if (accounts.length === 0) return new Map();
  const removed = await tx.query<KeptOfApiKey>(
    "deleteApiKeys",
    `delete from api_key k using account a where a.id = k.account_id and a.name = any($1::text[])
returning encode(key_sha256, 'hex') as "sha256Hex", last_four as "lastFour", k.created_at as "createdAt", last_used_at as "lastUsedAt",
          retired`,
    [accounts],
  );
  return new Map(removed.map((key) => [key.sha256Hex, key]));
}

/** Gives their keys to accounts that have none. One of `kept` stays what it was. */
export async function insertApiKeys(
  tx: Queryable,
  accounts: readonly NamedAccount[],
  kept: KeptApiKeys,
): Promise<void> {
  const keys = accounts.flatMap(({ name: account, state }) =>
    Array.from(state.apiKeys, ([name, key]) => ({ account, name, key, kept: kept.get(key.key) })),
  );
  await tx.query(insertApiKeysStatement.with({ key: keys }));
}
