// Statements on the slots that divide the endpoints of customers among the nodes that send: an
// account's endpoints belong to the slot of its id, and a slot to the node whose lease lives.
import type { Queryable } from "./database.ts";

export const webhookSlots = 64;

export function slotOfAccount(accountId: number): number {
  return accountId % webhookSlots;
}

export interface SlotHolders {
  /** Living nodes that send. */
  readonly nodes: number;
  /** The slots of the node that asks. */
  readonly own: readonly number[];
  /** Slots that no living node holds. */
  readonly free: number;
}

export async function readSlotHolders(db: Queryable, nodeId: string): Promise<SlotHolders> {
  const [row] = await db.query<SlotHolders>({
    name: "readSlotHolders",
    text: `/* readSlotHolders */
select (select count(*)::int from node where lease_until > now() and sends_webhooks) as nodes,
       coalesce(array_agg(l.slot order by l.slot) filter (where n.id = $1), '{}') as own,
       $2 - count(n.id)::int as free
  from webhook_lease l left join node n on n.id = l.node_id and n.lease_until > now()`,
    values: [nodeId, webhookSlots],
  });
  return row ?? { nodes: 0, own: [], free: 0 };
}

/** Leases up to `wanted` free slots for a living node. The lock serializes the nodes. */
export async function acquireSlots(
  tx: Queryable,
  { nodeId, wanted }: { nodeId: string; wanted: number },
): Promise<readonly number[]> {
  await tx.query({
    name: "lockSlots",
    text: `/* lockSlots */
select pg_advisory_xact_lock(hashtextextended('webhook slots', 0))`,
    values: [],
  });
  const rows = await tx.query<{ slot: number }>({
    name: "acquireSlots",
    text: `/* acquireSlots */
insert into webhook_lease (slot, node_id)
select free.slot, $1 from (
  select n as slot from generate_series(0, $2::int - 1) n
   where not exists (select from webhook_lease l join node on node.id = l.node_id and node.lease_until > now() where l.slot = n)
     and exists (select from node where id = $1 and lease_until > now())
   order by n limit $3) free
on conflict (slot) do update set node_id = excluded.node_id
 where not exists (select from node where node.id = webhook_lease.node_id and node.lease_until > now())
returning slot`,
    values: [nodeId, webhookSlots, wanted],
  });
  return rows.map(({ slot }) => slot);
}

export async function releaseSlots(db: Queryable, nodeId: string, slots: readonly number[]): Promise<void> {
  await db.query({
    name: "releaseSlots",
    text: `/* releaseSlots */
delete from webhook_lease where node_id = $1 and slot = any ($2::int[])`,
    values: [nodeId, slots],
  });
}
