// Saves the users and API keys of accounts from a setup file. Called in one transaction that holds
// the configuration's lock. Contains only hashes; nodes read them with the rest of the
// configuration.
import type { Queryable } from "./database.ts";

export interface UsersToSave {
  readonly account: string;
  /** Username and password hash. */
  readonly users: readonly (readonly [string, string])[];
}

/**
 * Gives these accounts exactly these users. A user with a new password gets a new password version,
 * which ends their tokens.
 */
export async function replaceUsers(tx: Queryable, accounts: readonly UsersToSave[]): Promise<void> {
  const users = accounts.flatMap(({ account, users }) =>
    users.map(([username, passwordHash]) => ({ account, username, passwordHash })),
  );
  await tx.query({
    name: "deleteOtherUsers",
    text: `/* deleteOtherUsers */
delete from account_user u using account a
 where a.id = u.account_id and a.name = any($1::text[])
   and not exists (select from unnest($2::text[], $3::text[]) as given (account, username)
                    where given.account = a.name and given.username = u.username)`,
    values: [
      accounts.map(({ account }) => account),
      users.map(({ account }) => account),
      users.map(({ username }) => username),
    ],
  });
  await tx.query({
    name: "upsertUsers",
    text: `/* upsertUsers */
insert into account_user (account_id, username, password_hash)
select a.id, given.username, given.password_hash
  from unnest($1::text[], $2::text[], $3::text[]) as given (account, username, password_hash)
  join account a on a.name = given.account
on conflict (account_id, username) do update
   set password_hash = excluded.password_hash, password_version = account_user.password_version + 1
 where account_user.password_hash <> excluded.password_hash`,
    values: [
      users.map(({ account }) => account),
      users.map(({ username }) => username),
      users.map(({ passwordHash }) => passwordHash),
    ],
  });
}

export interface ApiKeyToSave {
  readonly name: string;
  readonly sha256Hex: string;
  readonly allowedIps: readonly string[];
}

export interface ApiKeysToSave {
  readonly account: string;
  readonly apiKeys: readonly ApiKeyToSave[];
}

/** Gives these accounts exactly these keys. All are written again, so keys may swap names. */
export async function replaceApiKeys(tx: Queryable, accounts: readonly ApiKeysToSave[]): Promise<void> {
  await tx.query({
    name: "deleteApiKeys",
    text: `/* deleteApiKeys */
delete from api_key k using account a where a.id = k.account_id and a.name = any($1::text[])`,
    values: [accounts.map(({ account }) => account)],
  });
  const keys = accounts.flatMap(({ account, apiKeys }) => apiKeys.map((key) => ({ account, ...key })));
  await tx.query({
    name: "insertApiKeys",
    text: `/* insertApiKeys */
insert into api_key (account_id, name, key_sha256, allowed_ips)
select a.id, given.name, decode(given."sha256Hex", 'hex'), given."allowedIps"
  from jsonb_to_recordset($1::jsonb) as given (account text, name text, "sha256Hex" text, "allowedIps" text[])
  join account a on a.name = given.account`,
    values: [JSON.stringify(keys)],
  });
}
