// The version of the configuration, and what changed since one. Every node reads it, every change
// increments it, and its row is the lock for changes. Triggers note what any statement changes.
import { onlyOf, type Queryable } from "./database.ts";

/**
 * Channel that wakes running nodes after a change. Without a notification their poll finds the
 * change.
 */
export const configurationChannel = "hodhod_configuration";

/**
 * Locks the configuration against other writers until the transaction ends. Readers do not wait.
 */
export async function lockConfiguration(tx: Queryable): Promise<bigint> {
  const text = "select version from configuration for update";
  return (await onlyOf(tx.query<{ version: bigint }>("lockConfiguration", text))).version;
}

/**
 * Must be the last statement of every change: nodes load the change when its transaction commits.
 */
export async function raiseConfigurationVersion(tx: Queryable): Promise<bigint> {
  const raised = await onlyOf(
    tx.query<{ version: bigint }>(
      "raiseConfigurationVersion",
      `with raised as (update configuration set version = version + 1 returning version)
select version, pg_notify($1, version::text) from raised`,
      [configurationChannel],
    ),
  );
  return raised.version;
}

/** Whether the configuration has never been set up. */
export async function isConfigurationEmpty(db: Queryable): Promise<boolean> {
  const rows = await db.query<{ empty: boolean }>(
    "isConfigurationEmpty",
    `select not exists (select from configured_object where section in ('operators', 'connectors')) and not exists (select from account) as empty`,
  );
  return rows[0]?.empty ?? false;
}

/**
 * Equal marks mean equal configurations, also where a restored database counts its versions once
 * more.
 */
export interface ConfigurationMark {
  readonly version: bigint;
  readonly mark: string;
}

/** The keys of changed objects, or all of them; the objects may be gone. */
export interface ConfigurationChanges {
  /** All but accounts, with what belongs to them, and numbers by the million. */
  readonly network: boolean;
  readonly accounts: readonly number[] | "all";
  /** Those of setup files and of the console. */
  readonly portedNumbers: readonly string[] | "all";
  /** Blocks of imported ones. */
  readonly portedBlocks: readonly number[] | "all";
  /** Blocks of block lists. */
  readonly listedBlocks: readonly number[] | "all";
}

export const everything: ConfigurationChanges = {
  network: true,
  accounts: "all",
  portedNumbers: "all",
  portedBlocks: "all",
  listedBlocks: "all",
};

export async function findConfigurationMark(db: Queryable): Promise<ConfigurationMark> {
  return onlyOf(db.query<ConfigurationMark>("findConfigurationMark", "select version, mark from configuration"));
}

/**
 * Everything, if the changes since then are not all known: after a restore, or too many versions
 * later.
 */
export async function findConfigurationChanges(tx: Queryable, mark: string): Promise<ConfigurationChanges> {
  // Of a known mark without changes it answers one row, whose kind is null.
  const rows = await tx.query<{ kind: string | null; isWhole: boolean; keys: readonly string[] | null }>(
    "listConfigurationChanges",
    `select c.kind, bool_or(c.keys is null) as "isWhole", array_agg(distinct key) filter (where key is not null) as keys
  from configuration_step s left join configuration_change c on c.version > s.version left join unnest(c.keys) as key on true
 where s.mark = $1
 group by c.kind`,
    [mark],
  );
  if (rows.length === 0) return everything;
  const changed = (kind: string): readonly string[] | "all" => {
    const row = rows.find((each) => each.kind === kind);
    return row?.isWhole === true ? "all" : (row?.keys ?? []);
  };
  const changedIds = (kind: string): readonly number[] | "all" => {
    const keys = changed(kind);
    return keys === "all" ? "all" : keys.map(Number);
  };
  return {
    network: changed("network") === "all",
    accounts: changedIds("account"),
    portedNumbers: changed("portedNumber"),
    portedBlocks: changedIds("portedBlock"),
    listedBlocks: changedIds("listedBlock"),
  };
}
