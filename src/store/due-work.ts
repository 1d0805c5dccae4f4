// The statements by which a node asks whether its background tasks have something to do.
import { onlyOf, type Queryable } from "./database.ts";
import { isAtWork } from "./campaign-rows.ts";

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

const dueIf = (condition: string): string => `case when ${condition} then 0 end`;

/**
 * By the name of a background task: in how many milliseconds there is something for it to do; null
 * where there is nothing. One look at an index each, at most.
 */
export function readDueWork(db: Queryable): Promise<Readonly<Record<string, number | null>>> {
  return onlyOf(
    db.query<Record<string, number | null>>(
      "readDueWork",
      `select ${dueIf("exists (select from message_queue where priority < 8)")} as "connectors",
       (select (extract(epoch from min(d.due_at) - now()) * 1000)::float8
          from generate_series(8, 15) as p (priority) cross join lateral (
            select due_at from message_queue where priority = p.priority and priority >= 8 order by due_at limit 1) d) as "release-due",
       ${dueIf("exists (select from message_queue where window_end <= now())")} as "keep-sending-hours",
       ${dueIf("exists (select from reference_wait)")} as "release-held-back",
       ${dueIf(`exists (select from claim c where not exists (
         select from node n where n.id = c.node_id and n.lease_until > now()))`)} as "recover-claims",
       ${dueIf("exists (select from unmatched_receipt)")} as "apply-late-receipts",
       ${dueIf("exists (select from inbound_message where account_id = 0 and not stray)")} as "assign-received",
       ${dueIf("exists (select from inbound_reply where content is not null)")} as "send-replies",
       ${dueIf(`exists (select from campaign where ${isAtWork})`)} as "feed-campaigns",
       ${dueIf("exists (select from webhook_endpoint where enabled)")} as "webhooks"`,
    ),
  );
}
