// What changed since a version of the configuration. The database notes it by triggers (migration
// 0023), whatever statement changes a table.
import type { Queryable } from "./database.ts";

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
  const [row] = await db.query<ConfigurationMark>({
    name: "findConfigurationMark",
    text: "/* findConfigurationMark */ select version, mark from configuration",
    values: [],
  });
  if (row === undefined) throw new Error("the configuration table has no row");
  return row;
}

/**
 * Everything, if the changes since then are not all known: after a restore, or too many versions
 * later.
 */
export async function findConfigurationChanges(tx: Queryable, mark: string): Promise<ConfigurationChanges> {
  const [step] = await tx.query<{ version: bigint }>({
    name: "findConfigurationStep",
    text: "/* findConfigurationStep */ select version from configuration_step where mark = $1",
    values: [mark],
  });
  if (step === undefined) return everything;
  const rows = await tx.query<{ kind: string; isWhole: boolean; keys: readonly string[] | null }>({
    name: "listConfigurationChanges",
    text: `/* listConfigurationChanges */
select c.kind, bool_or(c.keys is null) as "isWhole", array_agg(distinct key) filter (where key is not null) as keys
  from configuration_change c left join unnest(c.keys) as key on true
 where c.version > $1
 group by c.kind`,
    values: [step.version],
  });
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
