// Statements on requests to endpoints: those that failed and are tried again, and what is kept of
// attempts. Written in groups by the node that sends.
import { uuidFloor } from "../platform/uuid.ts";
import type { Queryable } from "./database.ts";
import { int2, int4, rows, rowStatement, single, text, timestamptz, uuid } from "./row-statement.ts";
import { mostAttempts } from "./webhook-attempts.ts";
import { type EndpointTime, stillSending } from "./webhook-progress.ts";

/**
 * Returns the endpoints that somebody is changing or deleting now, and locks the others until the
 * transaction ends. Whoever changes an endpoint locks its row before the rows that belong to it. So
 * a holder of these locks waits for nobody, in whatever order it writes.
 */
export async function findBusyEndpoints(tx: Queryable, endpointIds: readonly string[]): Promise<ReadonlySet<string>> {
  const busy = await tx.query<{ id: string }>({
    name: "findBusyEndpoints",
    text: `/* findBusyEndpoints */
with free as materialized (
  select id from webhook_endpoint where id = any ($1::uuid[]) for share skip locked)
select id from webhook_endpoint where id = any ($1::uuid[]) and id not in (select id from free)`,
    values: [endpointIds],
  });
  return new Set(busy.map(({ id }) => id));
}

/** A request that failed. */
export interface StoredRetry {
  /** Under which it is stored: its first webhook-id. */
  readonly requestId: string;
  readonly eventIds: readonly string[];
  /** When the first of its events happened. */
  readonly happenedAt: Date;
  readonly tries: number;
  readonly dueAt: Date;
}

export interface RetryToSave extends StoredRetry, EndpointTime {}

export const saveRetriesStatement = rowStatement(
  "saveRetries",
  {
    nodeId: single<string>(),
    retry: rows<RetryToSave>({
      endpoint_id: uuid(({ endpointId }) => endpointId),
      epoch: int4(({ epoch }) => epoch),
      request_id: uuid(({ requestId }) => requestId),
      event_ids: text(({ eventIds }) => eventIds.join(",")),
      happened_at: timestamptz(({ happenedAt }) => happenedAt),
      tries: int2(({ tries }) => tries),
      due_at: timestamptz(({ dueAt }) => dueAt),
    }),
  },
  ({ nodeId, retry }) => `with given as materialized (select * from ${retry.as("t")}),
allowed as materialized ${stillSending(`${nodeId}::uuid`)}
insert into webhook_retry (endpoint_id, request_id, event_ids, happened_at, tries, due_at)
select g.endpoint_id, g.request_id, string_to_array(g.event_ids, ',')::uuid[], g.happened_at, g.tries, g.due_at
  from given g join allowed using (endpoint_id, epoch)
    on conflict (endpoint_id, request_id) do update set tries = excluded.tries, due_at = excluded.due_at`,
);

/** Each request at most once. Call it only for endpoints that `findBusyEndpoints` has locked. */
export async function saveRetries(
  tx: Queryable,
  given: { nodeId: string; retry: readonly RetryToSave[] },
): Promise<void> {
  if (given.retry.length > 0) await tx.query(saveRetriesStatement.with(given));
}

export interface RetryToDelete {
  readonly endpointId: string;
  readonly requestId: string;
}

export const deleteRetriesStatement = rowStatement(
  "deleteRetries",
  {
    retry: rows<RetryToDelete>({
      endpoint_id: uuid(({ endpointId }) => endpointId),
      request_id: uuid(({ requestId }) => requestId),
    }),
  },
  ({ retry }) =>
    `delete from webhook_retry r using ${retry.as("g")} where r.endpoint_id = g.endpoint_id and r.request_id = g.request_id`,
);

/** They succeeded, or nothing of them can be told any more. */
export async function deleteRetries(tx: Queryable, retry: readonly RetryToDelete[]): Promise<void> {
  if (retry.length > 0) await tx.query(deleteRetriesStatement.with({ retry }));
}

/** Those of an endpoint that are due first, in this order. */
export async function readRetries(db: Queryable, endpointId: string, limit: number): Promise<readonly StoredRetry[]> {
  return db.query<StoredRetry>({
    name: "readRetries",
    text: `/* readRetries */
select request_id as "requestId", event_ids as "eventIds", happened_at as "happenedAt", tries, due_at as "dueAt"
  from webhook_retry where endpoint_id = $1 order by due_at limit $2`,
    values: [endpointId, limit],
  });
}

export async function countRetries(db: Queryable, endpointId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: "countRetries",
    text: "/* countRetries */ select count(*)::int as count from webhook_retry where endpoint_id = $1",
    values: [endpointId],
  });
  return row?.count ?? 0;
}

/**
 * Deletes the requests of an endpoint that contain no wanted event. The first digit of an event's
 * id is the number of its type (event-types.ts).
 */
export async function dropUnwantedRetries(tx: Queryable, endpointId: string, mask: number): Promise<void> {
  await tx.query({
    name: "dropUnwantedRetries",
    text: `/* dropUnwantedRetries */
delete from webhook_retry
 where endpoint_id = $1
   and not exists (select from unnest(event_ids) id where $2::int >> ('x0000000' || left(id::text, 1))::bit(32)::int & 1 = 1)`,
    values: [endpointId, mask],
  });
}

/** An endpoint has recovered: all that waits for it is due. */
export async function makeRetriesDue(tx: Queryable, endpointIds: readonly string[], at: Date): Promise<void> {
  if (endpointIds.length === 0) return;
  await tx.query({
    name: "makeRetriesDue",
    text: `/* makeRetriesDue */
update webhook_retry set due_at = $2 where endpoint_id = any ($1::uuid[]) and due_at > $2`,
    values: [endpointIds, at],
  });
}

/** A request that is made of some events of another one. */
export type PartOfRetry = Pick<StoredRetry, "requestId" | "eventIds">;

export const divideRetryStatement = rowStatement(
  "divideRetry",
  {
    endpointId: single<string>(),
    requestId: single<string>(),
    part: rows<PartOfRetry>({
      request_id: uuid(({ requestId }) => requestId),
      event_ids: text(({ eventIds }) => eventIds.join(",")),
    }),
  },
  ({
    endpointId,
    requestId,
    part,
  }) => `with endpoint as materialized (select id from webhook_endpoint where id = ${endpointId} for key share),
whole as (
  delete from webhook_retry where endpoint_id = (select id from endpoint) and request_id = ${requestId} returning *)
insert into webhook_retry (endpoint_id, request_id, event_ids, happened_at, tries, due_at)
select w.endpoint_id, g.request_id, string_to_array(g.event_ids, ',')::uuid[], w.happened_at, w.tries, w.due_at
  from whole w cross join ${part.as("g")}
    on conflict do nothing`,
);

/** For an endpoint that gets smaller requests now. */
export async function divideRetry(
  db: Queryable,
  given: { endpointId: string; requestId: string; part: readonly PartOfRetry[] },
): Promise<void> {
  await db.query(divideRetryStatement.with(given));
}

export interface AttemptToSave {
  /** UUIDv7 of its beginning. */
  readonly id: string;
  readonly endpointId: string;
  readonly eventIds: readonly string[];
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly httpStatus: number | undefined;
  /** Undefined: it succeeded. */
  readonly failure: string | undefined;
  readonly nextAttemptAt: Date | undefined;
}

export const saveAttemptsStatement = rowStatement(
  "saveAttempts",
  {
    attempt: rows<AttemptToSave>({
      id: uuid(({ id }) => id),
      endpoint_id: uuid(({ endpointId }) => endpointId),
      event_ids: text(({ eventIds }) => eventIds.join(",")),
      started_at: timestamptz(({ startedAt }) => startedAt),
      duration_ms: int4(({ durationMs }) => durationMs),
      http_status: int2(({ httpStatus }) => httpStatus),
      failure: text(({ failure }) => failure),
      next_attempt_at: timestamptz(({ nextAttemptAt }) => nextAttemptAt),
    }),
  },
  ({
    attempt,
  }) => `insert into webhook_attempt (id, endpoint_id, event_ids, started_at, duration_ms, http_status, failure, next_attempt_at)
select g.id, e.id, string_to_array(g.event_ids, ',')::uuid[], g.started_at, g.duration_ms, g.http_status, g.failure, g.next_attempt_at
  from ${attempt.as("g")} join webhook_endpoint e on e.id = g.endpoint_id
    on conflict (id) do nothing`,
);

export async function saveAttempts(tx: Queryable, attempt: readonly AttemptToSave[]): Promise<void> {
  if (attempt.length > 0) await tx.query(saveAttemptsStatement.with({ attempt }));
}

/**
 * Deletes all but the newest 1,000 of each endpoint. What somebody deletes with its endpoint is
 * skipped: rows are locked in another order there, so that each might wait for the other.
 */
export async function trimAttempts(db: Queryable, endpointIds: readonly string[]): Promise<void> {
  if (endpointIds.length === 0) return;
  await db.query({
    name: "trimAttempts",
    text: `/* trimAttempts */
delete from webhook_attempt where ctid = any (array(
  select a.ctid
    from unnest($1::uuid[]) e
    join lateral (select id from webhook_attempt n where n.endpoint_id = e order by n.id desc offset $2 limit 1) newest on true
    join webhook_attempt a on a.endpoint_id = e and a.id <= newest.id
     for update of a skip locked))`,
    values: [endpointIds, mostAttempts],
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
