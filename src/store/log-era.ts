// How positions of the log go on rising where the ids of transactions begin again: after a restore,
// or in another cluster.
import type { Queryable } from "./database.ts";

// What the next transaction's position is at least: the second of the clock leaves room for 2^30
// transactions a second, so it lies behind all that another copy of this database has given out.
const nextEra = `greatest(extract(epoch from now())::bigint << 30, shift + own, coalesce((select max(position) from event), 0) + 1)`;

/**
 * Positions go on behind all that were given out, whatever ids the transactions of this cluster
 * have: after a restore, whose database has lost what came after the backup.
 */
export async function beginNextEra(tx: Queryable): Promise<void> {
  await tx.query({
    name: "beginNextEra",
    text: `/* beginNextEra */
update event_log set shift = ${nextEra} - own from (select pg_current_xact_id()::text::bigint as own) as current`,
    values: [],
  });
}

/**
 * The same where it shows that somebody has brought the tables into another cluster by other means:
 * the log has positions that this cluster has not come to.
 */
export async function beginNextEraIfBehind(tx: Queryable): Promise<void> {
  await tx.query({
    name: "beginNextEraIfBehind",
    text: `/* beginNextEraIfBehind */
update event_log set shift = ${nextEra} - own from (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as own) as current
 where (select max(position) from event) >= shift + own`,
    values: [],
  });
}
