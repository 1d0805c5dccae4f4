// Statements on how far each endpoint is, and on replays. What a node writes counts only while it
// holds the slot of the endpoint's account, and while the endpoint has not been disabled, or
// enabled again, since the node began to send to it.
import type { Queryable } from "./database.ts";
import type { Position } from "./event-log.ts";
import { int4, int8, json, rows, rowStatement, single, timestamptz, uuid } from "./row-statement.ts";
import { webhookSlots } from "./webhook-leases.ts";

/** An endpoint as it stands since it was enabled for the `epoch`th time. */
export interface EndpointTime {
  readonly endpointId: string;
  readonly epoch: number;
}

/**
 * SQL for the endpoints of `given g` that the node may still write for, as rows with the columns
 * endpoint_id and epoch.
 */
export function stillSending(nodeId: string): string {
  return `(
  select e.id as endpoint_id, e.epoch
    from webhook_endpoint e
    join webhook_lease l on l.slot = e.account_id % ${webhookSlots} and l.node_id = ${nodeId}
    join node n on n.id = l.node_id and n.lease_until > now()
   where e.enabled and (e.id, e.epoch) in (select g.endpoint_id, g.epoch from given g))`;
}

export interface EndpointStart extends EndpointTime {
  readonly position: Position;
  /** As webhooks/endpoint-health.ts has it. */
  readonly health: object | null;
  /** Rows of webhook_retry, and when the first of them is due. */
  readonly retries: number;
  readonly nextRetryAt: Date | null;
}

export const beginProgressStatement = rowStatement(
  "beginProgress",
  {
    endpoint: rows<EndpointTime>({
      endpoint_id: uuid(({ endpointId }) => endpointId),
      epoch: int4(({ epoch }) => epoch),
    }),
  },
  ({ endpoint }) => `with begun as (
  insert into webhook_progress as p (endpoint_id, epoch, position, event_id)
  select e.id, e.epoch, pg_snapshot_xmin(pg_current_snapshot())::text::bigint + shift - 1, 'ffffffff-ffff-ffff-ffff-ffffffffffff'
    from ${endpoint.as("g")} join webhook_endpoint e on e.id = g.endpoint_id and e.epoch = g.epoch and e.enabled, event_log
   where not exists (select from webhook_progress had where had.endpoint_id = e.id and had.epoch >= e.epoch)
      on conflict (endpoint_id) do update
     set epoch = excluded.epoch, position = excluded.position, event_id = excluded.event_id, health = null
   where p.epoch < excluded.epoch
  returning p.endpoint_id, p.epoch, p.position, p.event_id, p.health),
had as (
  select p.endpoint_id, p.epoch, p.position, p.event_id, p.health
    from ${endpoint.as("g")} join webhook_progress p on p.endpoint_id = g.endpoint_id and p.epoch = g.epoch
    join webhook_endpoint e on e.id = g.endpoint_id and e.epoch = g.epoch and e.enabled
   where g.endpoint_id not in (select endpoint_id from begun))
select s.endpoint_id as "endpointId", s.epoch, s.position, s.event_id as "eventId", s.health, r.retries, r.next as "nextRetryAt"
  from (select * from begun union all select * from had) s
  cross join lateral (select count(*)::int as retries, min(due_at) as next from webhook_retry r where r.endpoint_id = s.endpoint_id) r`,
);

/**
 * Where each endpoint goes on. One that was never sent to since it was enabled begins with what
 * happens from now on. Those that
 * are gone, disabled, or enabled again meanwhile are left out.
 */
export async function beginProgress(
  db: Queryable,
  endpoints: readonly EndpointTime[],
): Promise<readonly EndpointStart[]> {
  const found = await db.query<Omit<EndpointStart, "position"> & { position: bigint; eventId: string }>(
    beginProgressStatement.with({ endpoint: endpoints }),
  );
  return found.map(({ position: transaction, eventId, ...start }) => ({
    ...start,
    position: { transaction, eventId },
  }));
}

export interface EndpointProgress extends EndpointTime {
  readonly position: Position;
  readonly health: object;
  readonly lastSuccessAt: Date | undefined;
  readonly lastFailureAt: Date | undefined;
}

export const saveProgressStatement = rowStatement(
  "saveProgress",
  {
    nodeId: single<string>(),
    progress: rows<EndpointProgress>({
      endpoint_id: uuid(({ endpointId }) => endpointId),
      epoch: int4(({ epoch }) => epoch),
      position: int8(({ position }) => position.transaction),
      event_id: uuid(({ position }) => position.eventId),
      health: json(({ health }) => JSON.stringify(health)),
      last_success_at: timestamptz(({ lastSuccessAt }) => lastSuccessAt),
      last_failure_at: timestamptz(({ lastFailureAt }) => lastFailureAt),
    }),
  },
  ({ nodeId, progress }) => `with given as materialized (select * from ${progress.as("t")}),
allowed as materialized ${stillSending(`${nodeId}::uuid`)}
update webhook_progress p
   set position = g.position, event_id = g.event_id, health = g.health,
       last_success_at = coalesce(g.last_success_at, p.last_success_at), last_failure_at = coalesce(g.last_failure_at, p.last_failure_at)
  from given g join allowed using (endpoint_id, epoch)
 where p.endpoint_id = g.endpoint_id and p.epoch = g.epoch`,
);

/** Of all endpoints whose place, health or times have changed, at once. */
export async function saveProgress(
  tx: Queryable,
  given: { nodeId: string; progress: readonly EndpointProgress[] },
): Promise<void> {
  if (given.progress.length > 0) await tx.query(saveProgressStatement.with(given));
}

export interface Replay {
  readonly endpointId: string;
  /** Tells one replay of an endpoint from another. */
  readonly startedAt: Date;
  /** Null: those of a time. */
  readonly eventIds: readonly string[] | null;
  readonly from: Date | null;
  readonly to: Date | null;
  readonly position: Position;
  readonly until: Position;
}

interface ReplayRow extends Omit<Replay, "position" | "until"> {
  readonly position: bigint;
  readonly eventId: string;
  readonly untilPosition: bigint;
  readonly untilEventId: string;
}

/**
 * Of the endpoints of these slots. Few endpoints have one: these are looked up, and no others are
 * read.
 */
export async function findReplays(db: Queryable, slots: readonly number[]): Promise<readonly Replay[]> {
  const found = await db.query<ReplayRow>({
    name: "findReplays",
    text: `/* findReplays */
select r.endpoint_id as "endpointId", r.started_at as "startedAt", r.event_ids as "eventIds", r.from_at as "from", r.to_at as "to",
       r.position, r.event_id as "eventId", r.until_position as "untilPosition", r.until_event_id as "untilEventId"
  from webhook_replay r
  cross join lateral (select account_id from webhook_endpoint where id = r.endpoint_id and enabled limit 1) e
 where e.account_id % $2 = any ($1::int[])`,
    values: [slots, webhookSlots],
  });
  return found.map(({ position, eventId, untilPosition, untilEventId, ...replay }) => ({
    ...replay,
    position: { transaction: position, eventId },
    until: { transaction: untilPosition, eventId: untilEventId },
  }));
}

export interface ReplayProgress {
  readonly endpointId: string;
  readonly startedAt: Date;
  /** Undefined: it is done. */
  readonly position: Position | undefined;
}

// The database keeps more of a second than a Date does.
const sameReplay = "r.endpoint_id = g.endpoint_id and date_trunc('milliseconds', r.started_at) = g.started_at";

export const saveReplaysStatement = rowStatement(
  "saveReplays",
  {
    nodeId: single<string>(),
    replay: rows<ReplayProgress>({
      endpoint_id: uuid(({ endpointId }) => endpointId),
      started_at: timestamptz(({ startedAt }) => startedAt),
      position: int8(({ position }) => position?.transaction),
      event_id: uuid(({ position }) => position?.eventId),
    }),
  },
  ({ nodeId, replay }) => `with given as materialized (
  select t.* from ${replay.as("t")} join webhook_endpoint e on e.id = t.endpoint_id
    join webhook_lease l on l.slot = e.account_id % ${webhookSlots} and l.node_id = ${nodeId}
),
done as (delete from webhook_replay r using given g where ${sameReplay} and g.position is null)
update webhook_replay r set position = g.position, event_id = g.event_id from given g where ${sameReplay} and g.position is not null`,
);

export async function saveReplays(
  tx: Queryable,
  given: { nodeId: string; replay: readonly ReplayProgress[] },
): Promise<void> {
  if (given.replay.length > 0) await tx.query(saveReplaysStatement.with(given));
}
