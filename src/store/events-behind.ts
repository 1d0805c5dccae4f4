// How far the readers of the event log (event-log.ts) are held back: they take only what lies below
// the oldest transaction that writes, in any database of the cluster.
import type { Queryable } from "./database.ts";

export interface LogHolder {
  /** The transaction below which all have ended; it may be the next one to begin. */
  readonly oldest: bigint;
  /** It runs, or one after it does: the readers wait. */
  readonly isHeld: boolean;
  /** Its age; null where this role may not see it, or where it has just ended. */
  readonly seconds: number | null;
}

export async function measureLogHolder(db: Queryable): Promise<LogHolder> {
  const [row] = await db.query<LogHolder>({
    name: "measureLogHolder",
    text: `/* measureLogHolder */
select pg_snapshot_xmin(s)::text::bigint as oldest, pg_snapshot_xmin(s) < pg_snapshot_xmax(s) as "isHeld",
       extract(epoch from clock_timestamp() - least(
         (select min(xact_start) from pg_stat_activity where backend_xid = pg_snapshot_xmin(s)::xid),
         (select min(prepared) from pg_prepared_xacts where transaction = pg_snapshot_xmin(s)::xid)))::float8 as seconds
  from (select pg_current_snapshot() as s) as current`,
    values: [],
  });
  if (row === undefined) throw new Error("measureLogHolder returned no row");
  return row;
}
