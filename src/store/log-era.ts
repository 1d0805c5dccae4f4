// Keeps positions of the log rising when the ids of transactions start again from the beginning:
// after a restore, or in another cluster.
import type { Queryable } from "./database.ts";

// The least position of the next transaction. It is made from the clock's seconds, with room for
// 2^30 transactions in each, so it is higher than all positions that another copy of this database
// has given out.
const nextEra = `greatest(extract(epoch from now())::bigint << 30, shift + own, coalesce((select max(position) from event), 0) + 1)`;

/**
 * Makes new positions higher than all earlier ones, whatever ids the transactions of this cluster
 * have. For a restore, which loses what came after the backup.
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
 * The same, if the tables were moved into another cluster by other means: then the log has
 * positions that this cluster has not reached.
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
