// The statements by which a node asks whether its background tasks have something to do.
import { onlyOf, type Queryable } from "./database.ts";

/**
 * Whether messages have waited beyond their validity. Reads the whole queue, so the caller rests
 * the longer, the longer it takes.
 */
export async function hasExpired(db: Queryable): Promise<boolean> {
  const { found } = await onlyOf(
    db.query<{ found: boolean }>(
      "hasExpired",
      `select exists (select from message_queue where valid_until <= now()) or exists (select from review where valid_until <= now())
    or exists (select from held_message where held_until <= now()) as found`,
    ),
  );
  return found;
}

/**
 * By the name of a background task: in how many milliseconds there is something for it to do; null
 * where there is nothing. One look at an index each, at most. Connectors look also where all that
 * waits is not due: no index finds what is due of all routes.
 */
export function readDueWork(db: Queryable): Promise<Readonly<Record<string, number | null>>> {
  return onlyOf(
    db.query<Record<string, number | null>>(
      "readDueWork",
      `select case when exists (select from message_queue) then 0 end as "connectors",
       (select (extract(epoch from min(d.due_at) - now()) * 1000)::float8
          from generate_series(8, 15) as p (priority) cross join lateral (
            select due_at from message_queue where priority = p.priority and priority >= 8 order by due_at limit 1) d) as "release-due",
       case when exists (select from message_queue where window_end <= now()) then 0 end as "keep-sending-hours",
       case when exists (select from reference_wait) then 0 end as "release-held-back",
       case when exists (select from claim c where not exists (
         select from node n where n.id = c.node_id and n.lease_until > now())) then 0 end as "recover-claims",
       case when exists (select from unmatched_receipt) then 0 end as "apply-late-receipts",
       case when exists (select from inbound_message where account_id = 0 and not stray) then 0 end as "assign-received",
       case when exists (select from inbound_reply where content is not null) then 0 end as "send-replies",
       case when exists (select from campaign where state = 'sending' or canceling) then 0 end as "feed-campaigns",
       case when exists (select from webhook_endpoint where enabled) then 0 end as "webhooks"`,
    ),
  );
}
