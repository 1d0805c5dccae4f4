// What became of requests to endpoints, as customers and staff look at it; what shall be sent again; and
// the tests of an endpoint, which all nodes count together.
import type { Queryable } from "./database.ts";
import { logBeginning, type Position } from "./event-log.ts";

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
  return db.query<AttemptRow>(
    "listWebhookAttempts",
    `select id, event_ids as "eventIds", started_at as "startedAt", duration_ms as "durationMs", http_status as "httpStatus", failure,
       next_attempt_at as "nextAttemptAt"
  from webhook_attempt
 where endpoint_id = $1 and id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
   and ($2::uuid is null or id > coalesce((select id from webhook_attempt where endpoint_id = $1 order by id desc offset $4 limit 1),
                                          '00000000-0000-0000-0000-000000000000'))
   and started_at >= now() - interval '7 days'
 order by id desc limit $3`,
    [endpointId, after, limit, mostAttempts],
  );
}

/**
 * Deletes all but the newest 1,000 of each endpoint. What somebody deletes with its endpoint is
 * skipped: rows are locked in another order there, so that each might wait for the other.
 */
export async function trimAttempts(db: Queryable): Promise<void> {
  await db.query(
    "trimAttempts",
    `delete from webhook_attempt where ctid = any (array(
  select a.ctid
    from webhook_endpoint e
    join lateral (select id from webhook_attempt n where n.endpoint_id = e.id order by n.id desc offset $1 limit 1) newest on true
    join webhook_attempt a on a.endpoint_id = e.id and a.id <= newest.id
     for update of a skip locked))`,
    [mostAttempts],
  );
}

export interface ReplayToInsert {
  readonly endpointId: string;
  /** These events, or those of a time. */
  readonly eventIds: readonly string[] | null;
  readonly from: Date | null;
  readonly to: Date | null;
  /** It ends there. */
  readonly until: Position;
}

/**
 * Answers whether it begins: one at a time, and only of an enabled endpoint, which stays so until
 * the transaction ends.
 */
export async function insertReplay(
  tx: Queryable,
  { endpointId, eventIds, from, to, until }: ReplayToInsert,
): Promise<"begins" | "disabled" | "busy"> {
  const [endpoint] = await tx.query<{ enabled: boolean }>(
    "lockEndpointForReplay",
    "select enabled from webhook_endpoint where id = $1 for share",
    [endpointId],
  );
  if (endpoint?.enabled !== true) return "disabled";
  const inserted = await tx.query(
    "insertReplay",
    `with inserted as (
  insert into webhook_replay (endpoint_id, event_ids, from_at, to_at, position, event_id, until_position, until_event_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (endpoint_id) do nothing returning endpoint_id),
due as (update webhook_progress p set next_at = now() from inserted i where p.endpoint_id = i.endpoint_id)
select endpoint_id from inserted`,
    [
      ...[endpointId, eventIds, from, to, logBeginning.transaction, logBeginning.eventId],
      ...[until.transaction, until.eventId],
    ],
  );
  return inserted.length > 0 ? "begins" : "busy";
}

/**
 * Counts a test, unless the endpoint had `most` in the last minute. Answers in how many seconds one is
 * allowed; 0: this one is.
 */
export async function takeTest(db: Queryable, endpointId: string, most: number): Promise<number> {
  const [refused] = await db.query<{ seconds: number | null }>(
    "takeTest",
    `with taken as (
  update webhook_endpoint set tested_at = (array_prepend(now(), tested_at))[1:$2]
   where id = $1 and coalesce(tested_at[$2] <= now() - interval '1 minute', true)
  returning id
)
select extract(epoch from tested_at[$2] + interval '1 minute' - now())::float8 as seconds
  from webhook_endpoint where id = $1 and not exists (select from taken)`,
    [endpointId, most],
  );
  // The tests of others at this moment are not seen.
  return refused === undefined ? 0 : Math.max(1, Math.ceil(refused.seconds ?? 60));
}
