// The references that triggers look up in place of foreign keys (migration 0043).
import type pg from "pg";

export interface LookedUpReference {
  readonly from: string;
  readonly column: string;
  readonly to: string;
  /** That looks up what an insert refers to. */
  readonly trigger: string;
}

export async function listLookedUpReferences(client: pg.ClientBase): Promise<readonly LookedUpReference[]> {
  const argument = (place: number): string => `split_part(encode(tgargs, 'escape'), '\\000', ${place})`;
  const { rows } = await client.query<LookedUpReference>(
    `select tgrelid::regclass::text as from, ${argument(1)} as column, ${argument(2)} as to, tgname as trigger
     from pg_trigger join pg_proc on pg_proc.oid = tgfoid where proname = 'expect_referred' and starts_with(tgname::text, 'refer_inserted_')`,
  );
  return rows;
}
