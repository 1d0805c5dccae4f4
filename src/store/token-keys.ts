// The keys that sign access tokens. Nodes read them with the rest of the configuration, so each
// change increments its version.
import { lockConfiguration, raiseConfigurationVersion } from "./configuration-version.ts";
import type { Queryable } from "./database.ts";

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
  await tx.query({
    name: "replaceAllTokenKeys",
    text: `/* replaceAllTokenKeys */
with removed as (delete from token_key)
insert into token_key (secret) values ($1::bytea)`,
    values: [secret],
  });
  return raiseConfigurationVersion(tx);
}

async function replaceTokenKey(tx: Queryable, key: NewTokenKey): Promise<boolean> {
  const rows = await tx.query<{ id: number }>({
    name: "replaceTokenKey",
    text: `/* replaceTokenKey */
with turn as materialized (
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
    values: [key.secret, key.unlessYoungerThanSeconds, key.retireAfterSeconds],
  });
  return rows.length > 0;
}
