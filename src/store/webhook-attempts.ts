// What became of requests to endpoints, as customers and staff look at it.
import { uuidFloor } from "../platform/uuid.ts";
import type { Queryable } from "./database.ts";

export interface AttemptRow {
  readonly id: string;
  readonly eventIds: readonly string[];
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly httpStatus: number | null;
  /** As src/webhooks/request-poster.ts names it; null: it succeeded. */
  readonly failure: string | null;
  readonly nextAttemptAt: Date | null;
}

/** Of an endpoint; older ones are deleted now and then, and never shown. */
export const mostAttempts = 1000;

/**
 * Newest first, those before the one with the id `after`. A page has fewer than are shown in all:
 * only where it begins behind others the newest are counted.
 */
export function listAttempts(
  db: Queryable,
  { endpointId, after, limit }: { endpointId: string; after: string | undefined; limit: number },
): Promise<readonly AttemptRow[]> {
  return db.query<AttemptRow>({
    name: "listWebhookAttempts",
    text: `/* listWebhookAttempts */
select id, event_ids as "eventIds", started_at as "startedAt", duration_ms as "durationMs", http_status as "httpStatus", failure,
       next_attempt_at as "nextAttemptAt"
  from webhook_attempt
 where endpoint_id = $1 and id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
   and ($2::uuid is null or id > coalesce((select id from webhook_attempt where endpoint_id = $1 order by id desc offset $4 limit 1),
                                          '00000000-0000-0000-0000-000000000000'))
   and started_at >= now() - interval '7 days'
 order by id desc limit $3`,
    values: [endpointId, after ?? null, limit, mostAttempts],
  });
}

/**
 * Deletes all but the newest 1,000 of each endpoint. What somebody deletes with its endpoint is
 * skipped: rows are locked in another order there, so that each might wait for the other.
 */
export async function trimAttempts(db: Queryable): Promise<void> {
  await db.query({
    name: "trimAttempts",
    text: `/* trimAttempts */
delete from webhook_attempt where ctid = any (array(
  select a.ctid
    from webhook_endpoint e
    join lateral (select id from webhook_attempt n where n.endpoint_id = e.id order by n.id desc offset $1 limit 1) newest on true
    join webhook_attempt a on a.endpoint_id = e.id and a.id <= newest.id
     for update of a skip locked))`,
    values: [mostAttempts],
  });
}

const keepAttemptDays = 7;

/** Skips what is being deleted, as `trimAttempts`. */
export async function dropOldAttempts(db: Queryable, now: Date): Promise<void> {
  await db.query({
    name: "dropOldAttempts",
    text: `/* dropOldAttempts */
delete from webhook_attempt where ctid = any (array(select ctid from webhook_attempt where id < $1 for update skip locked))`,
    values: [uuidFloor(now.getTime() - keepAttemptDays * 86_400_000)],
  });
}
