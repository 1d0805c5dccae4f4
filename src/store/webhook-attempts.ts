// What became of requests to endpoints, as customers and staff look at it.
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
