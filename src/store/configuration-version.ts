// The version of the configuration: read by every node, raised by every change, and the lock under which changes are made.
import type { Queryable } from "./database.ts";

/** Channel that wakes running nodes after a change; their poll finds it without, too. */
export const configurationChannel = "hodhod_configuration";

/** What a loaded configuration is known by. */
export async function findConfigurationVersion(db: Queryable): Promise<bigint> {
  return onlyVersion(
    await db.query<{ version: bigint }>({
      name: "findConfigurationVersion",
      text: "/* findConfigurationVersion */ select version from configuration",
      values: [],
    }),
  );
}

/** Holds the configuration against other writers until the transaction ends. Readers are not kept waiting. */
export async function lockConfiguration(tx: Queryable): Promise<bigint> {
  return onlyVersion(
    await tx.query<{ version: bigint }>({
      name: "lockConfiguration",
      text: "/* lockConfiguration */ select version from configuration for update",
      values: [],
    }),
  );
}

/** Last statement of every change: when its transaction commits, the nodes follow. */
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

/** Whether nobody has described anything yet. */
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
  if (row === undefined) throw new Error("the configuration table has lost its row");
  return row.version;
}
