// The version of the configuration. Every node reads it, every change increments it, and its row is
// the lock for changes.
import type { Queryable } from "./database.ts";

/**
 * Channel that wakes running nodes after a change. Without a notification their poll finds the
 * change.
 */
export const configurationChannel = "hodhod_configuration";

/** The version identifies a loaded configuration. */
export async function findConfigurationVersion(db: Queryable): Promise<bigint> {
  return onlyVersion(
    await db.query<{ version: bigint }>({
      name: "findConfigurationVersion",
      text: "/* findConfigurationVersion */ select version from configuration",
      values: [],
    }),
  );
}

/**
 * Locks the configuration against other writers until the transaction ends. Readers do not wait.
 */
export async function lockConfiguration(tx: Queryable): Promise<bigint> {
  return onlyVersion(
    await tx.query<{ version: bigint }>({
      name: "lockConfiguration",
      text: "/* lockConfiguration */ select version from configuration for update",
      values: [],
    }),
  );
}

/**
 * Must be the last statement of every change: nodes load the change when its transaction commits.
 */
export async function raiseConfigurationVersion(tx: Queryable): Promise<bigint> {
  return onlyVersion(
    await tx.query<{ version: bigint }>({
      name: "raiseConfigurationVersion",
      text: `/* raiseConfigurationVersion */
with raised as (update configuration set version = version + 1 returning version)
select version, pg_notify($1, version::text) from raised`,
      values: [configurationChannel],
    }),
  );
}

/** Whether the configuration has never been set up. */
export async function isConfigurationEmpty(db: Queryable): Promise<boolean> {
  const rows = await db.query<{ empty: boolean }>({
    name: "isConfigurationEmpty",
    text: `/* isConfigurationEmpty */
select not exists (select from operator) and not exists (select from account) and not exists (select from connector) as empty`,
    values: [],
  });
  return rows[0]?.empty ?? false;
}

function onlyVersion([row]: readonly { version: bigint }[]): bigint {
  if (row === undefined) throw new Error("the configuration table has no row");
  return row.version;
}
