// Tables with a hundred thousand rows. Their indexes are built, and their references checked, once
// for all rows and not row by row: that takes half the time.
import type { World } from "./factories.ts";

/** A statement that takes something away, and the one that brings the same back. */
interface Step {
  readonly away: string;
  readonly back: string;
}

/** `fill` inserts into the tables. What they have besides rows is the same afterwards. */
export async function fillQuickly(
  world: World,
  tables: readonly string[],
  fill: () => Promise<unknown>,
): Promise<void> {
  const steps = [...(await references(world, tables)), ...(await indexes(world, tables))];
  for (const { away } of steps) await world.rows(away);
  await fill();
  for (const { back } of steps.toReversed()) await world.rows(back);
}

function references(world: World, tables: readonly string[]): Promise<readonly Step[]> {
  return world.rows<Step>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as away,
            format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as back
       from pg_constraint where contype = 'f' and conparentid = 0 and conrelid = any($1::text[]::regclass[])`,
    [tables],
  );
}

/** Not those of constraints. The index of a partitioned table brings those of its partitions. */
function indexes(world: World, tables: readonly string[]): Promise<readonly Step[]> {
  return world.rows<Step>(
    `select format('drop index %s', indexrelid::regclass) as away,
            replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as back
       from pg_index
      where indrelid = any($1::text[]::regclass[]) and not exists (select from pg_constraint where conindid = indexrelid)`,
    [tables],
  );
}
