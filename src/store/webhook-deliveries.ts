// The endpoints of customers as a queue. An endpoint is due when events happened that it may want,
// or when its time has come: a retry, the end of a pause, a replay. A sender claims it for a round
// of requests, and saves in one statement what came of them. A claim that is not saved ends by
// itself, so what a dead sender had under way is sent again under the same ids. All times are those
// of the database's clock.
import type { Queryable } from "./database.ts";
import { completeUntil, type Position } from "./event-log.ts";
import { int2, int4, rows, rowStatement, single, text, timestamptz, uuid } from "./row-statement.ts";

/** Longer than a round and the requests that it leaves under way take. */
export const claimSeconds = 20;
/** An endpoint for which nothing happens: its place in the log moves on, so that reading on is short. */
const idleSeconds = 300;

export interface DueEndpoint {
  readonly endpointId: string;
  readonly batchSize: number;
  /** Patterns of types (event-types.ts). */
  readonly events: readonly string[];
  /** The types of the account's events that are new; null: it is due by time. */
  readonly newTypes: number | null;
}

export interface DueEndpoints {
  /** Up to this transaction of the log, all events were looked at. */
  readonly position: bigint;
  readonly hasEndpoints: boolean;
  readonly due: readonly DueEndpoint[];
}

/**
 * Endpoints of accounts with events after that transaction of the log, and if `byTime` those whose
 * time has come; without `after` all. Those that pause or that other senders have claimed are left
 * out: these senders see the same events.
 */
export async function findDueEndpoints(
  db: Queryable,
  { after, byTime, sender }: { after: bigint | undefined; byTime: boolean; sender: string },
): Promise<DueEndpoints> {
  const found = await db.query<
    { position: bigint; hasEndpoints: boolean } & (DueEndpoint | Record<keyof DueEndpoint, null>)
  >(
    "findDueEndpoints",
    `with complete as materialized (${completeUntil}),
happened as (
  select e.account_id, bit_or(1 << e.type) as types from complete c join event e on e.position > $1 and e.position <= c.last group by e.account_id),
due as (
  select w.id, w.batch_size, w.events, h.types from happened h join webhook_endpoint w on w.account_id = h.account_id and w.enabled
  union all
  select w.id, w.batch_size, w.events, null
    from webhook_progress p join webhook_endpoint w on w.id = p.endpoint_id and w.enabled
   where ($1::bigint is null or $2)
     and ($1::bigint is null or case when p.claimed_by = $3 then least(p.claimed_until, p.next_at) else coalesce(p.claimed_until, p.next_at) end <= now()))
select c.last as position, exists (select from webhook_endpoint where enabled) as "hasEndpoints",
       d.id as "endpointId", d.batch_size as "batchSize", d.events, d.types as "newTypes"
  from complete c left join (
    due d join webhook_progress p on p.endpoint_id = d.id and (p.claimed_by is null or p.claimed_by = $3 or p.claimed_until <= now())
      and (p.paused_until is null or p.paused_until <= now())) on true`,
    [after, byTime, sender],
  );
  const [first] = found;
  if (first === undefined) throw new Error("the log has no row of its own");
  const due = found.filter((row): row is typeof row & DueEndpoint => row.endpointId !== null);
  return { position: first.position, hasEndpoints: first.hasEndpoints, due };
}

/** A replay under way: which events of the log are still to be sent again. */
export interface Replay {
  /** These events, or those of a time. */
  readonly eventIds: readonly string[] | null;
  readonly from: Date | null;
  readonly to: Date | null;
  /** What lies up to there was sent again. */
  readonly position: Position;
  /** It ends there. */
  readonly until: Position;
}

/** An endpoint that this sender has claimed. */
export interface ClaimedEndpoint {
  readonly endpointId: string;
  /** This sender had it already: what it has under way counts. */
  readonly isContinued: boolean;
  readonly account: string;
  readonly accountId: number;
  readonly name: string;
  readonly url: string;
  /** Patterns of types (event-types.ts). */
  readonly events: readonly string[];
  readonly batchSize: number;
  readonly secret: string;
  readonly oldSecret: string | null;
  readonly oldSecretUntil: Date | null;
  /** What lies up to there was delivered, or waits to be tried again. */
  readonly position: Position;
  /** As webhooks/endpoint-health.ts has it, without its times. */
  readonly health: object | null;
  readonly pausedUntil: Date | null;
  readonly failingSince: Date | null;
  readonly keptSuccessAt: Date | null;
  /** Stored requests that failed, at most one more than `mostRetries`. */
  readonly retries: number;
  readonly replay: Replay | null;
  readonly now: Date;
}

/** Stored requests of an endpoint; then nothing untried is sent until they become fewer. */
export const mostRetries = 1000;

interface DeliveryRow extends Omit<ClaimedEndpoint, "position" | "replay"> {
  readonly position: bigint;
  readonly eventId: string;
  /** Null: there is no replay. */
  readonly startedAt: Date | null;
  readonly eventIds: readonly string[] | null;
  readonly from: Date | null;
  readonly to: Date | null;
  readonly replayPosition: bigint;
  readonly replayEventId: string;
  readonly untilPosition: bigint;
  readonly untilEventId: string;
}

/** Undefined: another sender has it, or nothing is sent to it any more. */
export async function claimDelivery(
  db: Queryable,
  { endpointId, sender }: { endpointId: string; sender: string },
): Promise<ClaimedEndpoint | undefined> {
  const [row] = await db.query<DeliveryRow>(
    "claimDelivery",
    `with before as materialized (
  select p.endpoint_id as id, coalesce(p.claimed_by = $2, false) as is_own
    from webhook_progress p join webhook_endpoint e on e.id = p.endpoint_id and e.enabled
   where p.endpoint_id = $1 and (p.claimed_by is null or p.claimed_by = $2 or p.claimed_until <= now()) for update of p),
claimed as (
  update webhook_progress p set claimed_by = $2, claimed_until = now() + make_interval(secs => $3), next_at = 'infinity'
    from before b where p.endpoint_id = b.id
  returning p.*, b.is_own)
select c.is_own as "isContinued", c.endpoint_id as "endpointId", a.name as account, e.account_id as "accountId", e.name, e.url, e.events, e.batch_size as "batchSize",
       e.secret, e.old_secret as "oldSecret", e.old_secret_until as "oldSecretUntil", c.position, c.event_id as "eventId", c.health,
       c.paused_until as "pausedUntil", c.failing_since as "failingSince", c.kept_success_at as "keptSuccessAt", now() as now,
       (select count(*)::int from (select from webhook_retry w where w.endpoint_id = $1 limit $4) stored) as retries,
       r.started_at as "startedAt", r.event_ids as "eventIds", r.from_at as "from", r.to_at as "to", r.position as "replayPosition",
       r.event_id as "replayEventId", r.until_position as "untilPosition", r.until_event_id as "untilEventId"
  from claimed c join webhook_endpoint e on e.id = c.endpoint_id join account a on a.id = e.account_id
  left join webhook_replay r on r.endpoint_id = c.endpoint_id`,
    [endpointId, sender, claimSeconds, mostRetries + 1],
  );
  if (row === undefined) return undefined;
  const { position, eventId, startedAt, eventIds, from, to, ...others } = row;
  const { replayPosition, replayEventId, untilPosition, untilEventId, ...delivery } = others;
  const replay = {
    ...{ eventIds, from, to },
    position: { transaction: replayPosition, eventId: replayEventId },
    until: { transaction: untilPosition, eventId: untilEventId },
  };
  return { ...delivery, position: { transaction: position, eventId }, replay: startedAt && replay };
}

/** A request that failed, or whose answer takes long. */
export interface StoredRequest {
  /** Under which it is stored: its first webhook-id. */
  readonly requestId: string;
  readonly eventIds: readonly string[];
  /** When the first of its events happened. */
  readonly happenedAt: Date;
  readonly tries: number;
}

export interface RetryToSave extends StoredRequest {
  readonly dueAt: Date;
}

/** Those of an endpoint that are due, the first ones first, without those that are under way. */
export async function readDueRetries(
  db: Queryable,
  { endpointId, underWay, limit }: { endpointId: string; underWay: readonly string[]; limit: number },
): Promise<readonly StoredRequest[]> {
  return db.query<StoredRequest>(
    "readDueRetries",
    `select request_id as "requestId", event_ids as "eventIds", happened_at as "happenedAt", tries
  from webhook_retry where endpoint_id = $1 and due_at <= now() and request_id <> all ($2::uuid[]) order by due_at limit $3`,
    [endpointId, underWay, limit],
  );
}

export interface AttemptToSave {
  /** UUIDv7 of its beginning. */
  readonly id: string;
  readonly eventIds: readonly string[];
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly httpStatus: number | undefined;
  /** Undefined: it succeeded. */
  readonly failure: string | undefined;
  readonly nextAttemptAt: Date | undefined;
}

/** What came of a round. */
export interface RoundToSave {
  readonly endpointId: string;
  readonly sender: string;
  /** Requests are under way: the sender keeps its claim. */
  readonly keepsClaim: boolean;
  /** Undefined: as before. */
  readonly position: Position | undefined;
  readonly health: object;
  readonly pausedUntil: Date | undefined;
  readonly failingSince: Date | undefined;
  readonly lastSuccessAt: Date | undefined;
  readonly lastFailureAt: Date | undefined;
  readonly keptSuccessAt: Date | undefined;
  /** There is more to send as soon as the endpoint may get it. */
  readonly isMore: boolean;
  /** All stored requests are due. */
  readonly makesAllDue: boolean;
  /** Undefined: as before; "done": it is over. */
  readonly replay: Position | "done" | undefined;
  /** Stored requests that are delivered or given up. */
  readonly settled: readonly string[];
  /** Each request at most once, and none that is settled. */
  readonly retries: readonly RetryToSave[];
  readonly attempts: readonly AttemptToSave[];
}

export const saveRoundStatement = rowStatement(
  "saveRound",
  {
    endpointId: single<string>(),
    sender: single<string>(),
    keepsClaim: single<boolean>(),
    transaction: single<bigint | undefined>(),
    eventId: single<string | undefined>(),
    health: single<string>(),
    pausedUntil: single<Date | undefined>(),
    failingSince: single<Date | undefined>(),
    lastSuccessAt: single<Date | undefined>(),
    lastFailureAt: single<Date | undefined>(),
    keptSuccessAt: single<Date | undefined>(),
    isMore: single<boolean>(),
    makesAllDue: single<boolean>(),
    isReplayDone: single<boolean>(),
    replayTransaction: single<bigint | undefined>(),
    replayEventId: single<string | undefined>(),
    settled: rows<string>({ request_id: uuid((id) => id) }),
    retry: rows<RetryToSave>({
      request_id: uuid("requestId"),
      event_ids: text(({ eventIds }) => eventIds.join(",")),
      happened_at: timestamptz("happenedAt"),
      tries: int2("tries"),
      due_at: timestamptz("dueAt"),
    }),
    attempt: rows<AttemptToSave>({
      id: uuid("id"),
      event_ids: text(({ eventIds }) => eventIds.join(",")),
      started_at: timestamptz("startedAt"),
      duration_ms: int4("durationMs"),
      http_status: int2("httpStatus"),
      failure: text("failure"),
      next_attempt_at: timestamptz("nextAttemptAt"),
    }),
  },
  // Whoever changes an endpoint locks its row before the rows that belong to it, as this does.
  (given) => `with endpoint as materialized (
  select id from webhook_endpoint where id = ${given.endpointId}::uuid and enabled for share),
claimed as materialized (
  select p.endpoint_id as id from endpoint e join webhook_progress p on p.endpoint_id = e.id where p.claimed_by = ${given.sender}::uuid for update of p),
settled as (
  delete from webhook_retry r using claimed c where r.endpoint_id = c.id and r.request_id = any (${given.settled.array("request_id")})),
retried as (
  insert into webhook_retry (endpoint_id, request_id, event_ids, happened_at, tries, due_at)
  select c.id, g.request_id, string_to_array(g.event_ids, ',')::uuid[], g.happened_at, g.tries, g.due_at from claimed c cross join ${given.retry.as("g")}
      on conflict (endpoint_id, request_id) do update set tries = excluded.tries, due_at = excluded.due_at),
untouched as materialized (
  select r.request_id, r.due_at from claimed c join webhook_retry r on r.endpoint_id = c.id
   where r.request_id <> all (${given.settled.array("request_id")}) and r.request_id <> all (${given.retry.array("request_id")})),
made_due as (
  update webhook_retry r set due_at = now() from claimed c, untouched u
   where ${given.makesAllDue}::boolean and r.endpoint_id = c.id and r.request_id = u.request_id and r.due_at > now()),
attempted as (
  insert into webhook_attempt (id, endpoint_id, event_ids, started_at, duration_ms, http_status, failure, next_attempt_at)
  select g.id, c.id, string_to_array(g.event_ids, ',')::uuid[], g.started_at, g.duration_ms, g.http_status, g.failure, g.next_attempt_at
    from claimed c cross join ${given.attempt.as("g")}
      on conflict (id) do nothing),
replayed as (
  delete from webhook_replay r using claimed c where r.endpoint_id = c.id and ${given.isReplayDone}::boolean),
replaying as (
  update webhook_replay r set position = ${given.replayTransaction}, event_id = ${given.replayEventId} from claimed c
   where r.endpoint_id = c.id and not ${given.isReplayDone}::boolean and ${given.replayTransaction}::bigint is not null)
update webhook_progress p
   set position = coalesce(${given.transaction}, p.position), event_id = coalesce(${given.eventId}, p.event_id), health = ${given.health},
       paused_until = ${given.pausedUntil}::timestamptz, failing_since = ${given.failingSince},
       last_success_at = coalesce(${given.lastSuccessAt}, p.last_success_at), last_failure_at = coalesce(${given.lastFailureAt}, p.last_failure_at),
       kept_success_at = coalesce(${given.keptSuccessAt}, p.kept_success_at),
       claimed_by = case when ${given.keepsClaim}::boolean then p.claimed_by end,
       claimed_until = case when ${given.keepsClaim}::boolean then now() + interval '${claimSeconds} seconds' end,
       next_at = greatest(${given.pausedUntil}::timestamptz, least(p.next_at, now() + interval '${idleSeconds} seconds',
         case when ${given.isMore}::boolean or ${given.makesAllDue}::boolean then now() end,
         (select min(due_at) from untouched), (select min(due_at) from unnest(${given.retry.array("due_at")}) g (due_at))))
  from claimed c
 where p.endpoint_id = c.id
returning p.endpoint_id`,
);

/** False: nothing was saved, because the claim is over: the endpoint was changed or disabled. */
export async function saveRound(db: Queryable, round: RoundToSave): Promise<boolean> {
  const { position, replay, health, settled, retries, attempts, ...others } = round;
  const moved = replay === "done" ? undefined : replay;
  const saved = await db.query(
    saveRoundStatement.with({
      ...others,
      transaction: position?.transaction,
      eventId: position?.eventId,
      health: JSON.stringify(health),
      isReplayDone: replay === "done",
      replayTransaction: moved?.transaction,
      replayEventId: moved?.eventId,
      ...{ settled, retry: retries, attempt: attempts },
    }),
  );
  return saved.length > 0;
}

/**
 * Deletes the requests of an endpoint that contain no wanted event. The first digit of an event's
 * id is the number of its type (event-types.ts).
 */
export async function dropUnwantedRetries(tx: Queryable, endpointId: string, mask: number): Promise<void> {
  await tx.query(
    "dropUnwantedRetries",
    `delete from webhook_retry
 where endpoint_id = $1
   and not exists (select from unnest(event_ids) id where $2::int >> ('x0000000' || left(id::text, 1))::bit(32)::int & 1 = 1)`,
    [endpointId, mask],
  );
}
