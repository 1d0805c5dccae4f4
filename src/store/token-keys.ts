// The keys that sign access tokens. Nodes read them with the rest of the configuration, so each change raises its version.
import { lockConfiguration, raiseConfigurationVersion } from "./configuration-version.ts";
import type { Queryable } from "./database.ts";

export interface NewTokenKey {
  readonly secret: Buffer;
  /** A signing key younger than this stays the one that signs; 0: put a new one in its place in any case. */
  readonly unlessYoungerThanSeconds: number;
  /** How long the keys before it verify still: as long as a token lives, and a little for the nodes to follow. */
  readonly retireAfterSeconds: number;
}

/**
 * Adds a key and retires those before it, unless the newest is young enough. `tx` is a transaction, in which the lock comes
 * first, so that of several nodes one makes the key and the others see it. Answers whether this one did.
 */
export async function rotateTokenKey(tx: Queryable, key: NewTokenKey): Promise<boolean> {
  await lockConfiguration(tx);
  const added = await replaceTokenKey(tx, key);
  if (added) await raiseConfigurationVersion(tx);
  return added;
}

/**
 * Puts a key in the place of all others, which verify no more as soon as the nodes follow. Answers the configuration's new version.
 * `tx` is a transaction.
 */
export async function replaceAllTokenKeys(tx: Queryable, secret: Buffer): Promise<bigint> {
  await lockConfiguration(tx);
  // Removed, not retired at this moment: the clocks of the nodes differ.
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
