// Where the rules of the setup (blockLists) let each list of numbers count.
import { readConfiguration } from "../store/configuration.ts";
import type { Queryable } from "../store/database.ts";

export interface BlockListUse {
  /** Numbers, kinds, or `*`. */
  readonly lines: readonly string[];
  /** Names, or `*`. */
  readonly accounts: readonly string[];
}

/** By the names of lists; one that no rule names is not there. */
export async function readBlockListUses(tx: Queryable): Promise<ReadonlyMap<string, BlockListUse>> {
  const { rules } = await readConfiguration(tx, { tables: ["rules"] });
  return new Map(
    rules.flatMap(({ section, body }) => {
      if (section !== "blockLists") return [];
      // Validated when it was stored.
      const { name, lines, accounts } = body as BlockListUse & { readonly name: string };
      return [[name, { lines, accounts }] as const];
    }),
  );
}
