// Statements that limit the parked receipts, which match no submission yet.
import type { Queryable } from "./database.ts";

/**
 * Connectors with parked receipts, including removed ones. Skips from one connector to the next in
 * the index, however many receipts there are.
 */
export async function listParkedConnectors(db: Queryable): Promise<number[]> {
  const rows = await db.query<{ connectorId: number }>({
    name: "listParkedConnectors",
    text: `/* listParkedConnectors */
with recursive parked as (
  select min(connector_id) as connector_id from unmatched_receipt
   union all
  select (select min(connector_id) from unmatched_receipt where connector_id > parked.connector_id) from parked where connector_id is not null
)
select connector_id as "connectorId" from parked where connector_id is not null`,
    values: [],
  });
  return rows.map(({ connectorId }) => connectorId);
}

/**
 * The newest receipt after a connector's `newest` ones; undefined when it has no more than these.
 */
export async function findParkedBeyond(
  db: Queryable,
  { connectorId, newest }: { connectorId: number; newest: number },
): Promise<bigint | undefined> {
  const rows = await db.query<{ id: bigint }>({
    name: "findParkedBeyond",
    text: `/* findParkedBeyond */
select id from unmatched_receipt where connector_id = $1 order by id desc offset $2 limit 1`,
    values: [connectorId, newest],
  });
  return rows[0]?.id;
}

/**
 * Deletes a connector's oldest receipts, at most `limit` and none above the id, and returns how
 * many. Does not wait for locks: receipts that another transaction is applying or deleting are
 * skipped.
 */
export async function deleteParkedUpTo(
  db: Queryable,
  { connectorId, upTo, limit }: { connectorId: number; upTo: bigint; limit: number },
): Promise<number> {
  const rows = await db.query<{ dropped: number }>({
    name: "deleteParkedUpTo",
    text: `/* deleteParkedUpTo */
with slice as materialized (
  select id from unmatched_receipt where connector_id = $1 and id <= $2 order by id limit $3 for update skip locked
),
dropped as (delete from unmatched_receipt where id = any (array(select id from slice)) returning 1)
select count(*)::int as dropped from dropped`,
    values: [connectorId, upTo, limit],
  });
  return rows[0]?.dropped ?? 0;
}
