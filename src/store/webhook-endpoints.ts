// Endpoints of webhooks as they are configured, with their secrets, and how they are changed. A change
// belongs into a transaction that holds the lock of the configuration, notes what the account's
// endpoints want, and raises the version.
import { composed, type Queryable } from "./database.ts";
import { currentPosition, type Position, writeEvents } from "./event-log.ts";
import { lockConfiguration, raiseConfigurationVersion } from "./configuration-version.ts";
import { conditions } from "./row-statement.ts";

export interface EndpointRow {
  readonly id: string;
  readonly accountId: number;
  /** Once in the account. */
  readonly name: string;
  readonly url: string;
  /** Patterns of types (event-types.ts). */
  readonly events: readonly string[];
  readonly batchSize: number;
  readonly enabled: boolean;
  /** Null: it is enabled, or somebody disabled it. */
  readonly disabledReason: string | null;
  /** Null: it is enabled. */
  readonly disabledAt: Date | null;
  readonly createdAt: Date;
  readonly secret: string;
  /** Null: there was none before the present one. */
  readonly oldSecret: string | null;
  /** Until then the old one signs, too. */
  readonly oldSecretUntil: Date | null;
}

interface EndpointsAsked {
  readonly id?: string;
  readonly accountIds?: readonly number[];
  /** Names. */
  readonly accounts?: readonly string[] | undefined;
}

/** In the order in which they were made. */
export function listEndpoints(
  tx: Queryable,
  { id, accountIds, accounts }: EndpointsAsked,
): Promise<readonly EndpointRow[]> {
  const { text, values } = conditions({
    "id = ?": id,
    "account_id = any(?::int[])": accountIds,
    "account_id in (select id from account where name = any(?::text[]))": accounts,
  });
  return tx.query<EndpointRow>(
    composed(
      "listEndpoints",
      `select id, account_id as "accountId", name, url, events, batch_size as "batchSize", enabled, disabled_reason as "disabledReason",
       disabled_at as "disabledAt", created_at as "createdAt", secret, old_secret as "oldSecret", old_secret_until as "oldSecretUntil"
  from webhook_endpoint where ${text} order by created_at, id`,
      values,
    ),
  );
}

export function listEndpointsOf(tx: Queryable, accountIds: readonly number[]): Promise<readonly EndpointRow[]> {
  return listEndpoints(tx, { accountIds });
}

export async function findEndpoint(
  db: Queryable,
  { accountId, id }: { accountId: number; id: string },
): Promise<EndpointRow | undefined> {
  return (await listEndpoints(db, { accountIds: [accountId], id }))[0];
}

/** What the sending of an endpoint has come to. */
export interface EndpointSending {
  readonly endpointId: string;
  /** Null: it was never enabled. */
  readonly position: Position | null;
  readonly lastSuccessAt: Date | null;
  readonly lastFailureAt: Date | null;
  /** When the first event happened of those that are tried again. */
  readonly retryingSince: Date | null;
  /** Null: it does not pause now. */
  readonly pausedUntil: Date | null;
}

/** Of each endpoint, in no order. */
export async function listEndpointProgress(
  db: Queryable,
  endpointIds: readonly string[],
): Promise<readonly EndpointSending[]> {
  const rows = await db.query<Omit<EndpointSending, "position"> & { transaction: bigint | null; eventId: string }>(
    "listEndpointProgress",
    `select e.id as "endpointId", p.position as transaction, p.event_id as "eventId", p.last_success_at as "lastSuccessAt",
       p.last_failure_at as "lastFailureAt",
       case when p.paused_until > now() then p.paused_until end as "pausedUntil",
       (select min(r.happened_at) from webhook_retry r where r.endpoint_id = e.id) as "retryingSince"
  from webhook_endpoint e left join webhook_progress p on p.endpoint_id = e.id
 where e.id = any($1::uuid[])`,
    [endpointIds],
  );
  return rows.map(({ transaction, eventId, ...row }) => ({
    ...row,
    position: transaction === null ? null : { transaction, eventId },
  }));
}

/** An endpoint as staff list it, without its secret. */
export interface ListedEndpoint {
  readonly account: string;
  readonly name: string;
  readonly endpointId: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly batchSize: number;
  readonly enabled: boolean;
  readonly disabledReason: string | null;
  readonly lastSuccessAt: Date | null;
  readonly lastFailureAt: Date | null;
}

/** By account and name, after the given one; of one account, or of all. */
export function listEndpointsByName(
  db: Queryable,
  asked: {
    readonly accountId: number | undefined;
    readonly after: Pick<ListedEndpoint, "account" | "name">;
    readonly limit: number;
  },
): Promise<readonly ListedEndpoint[]> {
  const { accountId, after, limit } = asked;
  return db.query<ListedEndpoint>(
    "listEndpointsByName",
    `select a.name as account, e.name, e.id as "endpointId", e.url, e.events, e.batch_size as "batchSize", e.enabled,
       e.disabled_reason as "disabledReason", p.last_success_at as "lastSuccessAt", p.last_failure_at as "lastFailureAt"
  from webhook_endpoint e join account a on a.id = e.account_id left join webhook_progress p on p.endpoint_id = e.id
 where ($1::int is null or e.account_id = $1) and (a.name, e.name) > ($2, $3)
 order by a.name, e.name limit $4`,
    [accountId, after.account, after.name, limit],
  );
}

export type EndpointKeys = Pick<EndpointRow, "name" | "url" | "events" | "batchSize">;

export interface EndpointToInsert extends EndpointKeys {
  readonly id: string;
  readonly accountId: number;
  readonly enabled: boolean;
  readonly secret: string;
}

export async function insertEndpoint(tx: Queryable, endpoint: EndpointToInsert): Promise<void> {
  const { id, accountId, name, url, events, batchSize, enabled, secret } = endpoint;
  await tx.query(
    "insertEndpoint",
    `insert into webhook_endpoint (id, account_id, name, url, events, batch_size, enabled, secret, disabled_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, case when not $7::boolean then now() end)`,
    [id, accountId, name, url, events, batchSize, enabled, secret],
  );
  if (enabled) await beginNow(tx, id);
}

/** A new URL ends a pause, and the round that is under way to the former one. */
export async function updateEndpoint(tx: Queryable, id: string, keys: EndpointKeys): Promise<void> {
  await tx.query(
    "updateEndpoint",
    `with before as materialized (select id, url from webhook_endpoint where id = $1 for update),
changed as (update webhook_endpoint set name = $2, url = $3, events = $4, batch_size = $5 where id = $1)
update webhook_progress p
   set next_at = now(), paused_until = case when b.url = $3 then p.paused_until end, claimed_by = case when b.url = $3 then p.claimed_by end,
       claimed_until = case when b.url = $3 then p.claimed_until end
  from before b where p.endpoint_id = b.id`,
    [id, keys.name, keys.url, keys.events, keys.batchSize],
  );
}

/** Drops all that waits to be sent to the endpoint $1. */
const waitingDropped = `replays as (delete from webhook_replay where endpoint_id = $1),
retries as (delete from webhook_retry where endpoint_id = $1)`;

/** It begins with what happens from now on. */
export async function enableEndpoint(tx: Queryable, id: string): Promise<void> {
  await tx.query(
    "enableEndpoint",
    `with ${waitingDropped}
update webhook_endpoint set enabled = true, disabled_reason = null, disabled_at = null where id = $1`,
    [id],
  );
  await beginNow(tx, id);
}

/** `reason`: why we disabled it; null: somebody did. What waited is dropped. */
export async function disableEndpoint(tx: Queryable, id: string, reason: string | null): Promise<void> {
  await tx.query(
    "disableEndpoint",
    `with disabled as (
  update webhook_endpoint set enabled = false, disabled_reason = $2, disabled_at = now() where id = $1 returning id),
${waitingDropped}
update webhook_progress set claimed_by = null, claimed_until = null where endpoint_id in (select id from disabled)`,
    [id, reason],
  );
}

/** The secret before the present one signs for so many hours more; an older one no more. */
export async function replaceSecret(tx: Queryable, id: string, secret: string, oldHours: number): Promise<void> {
  await tx.query(
    "replaceEndpointSecret",
    `update webhook_endpoint set old_secret = secret, old_secret_until = now() + make_interval(hours => $3), secret = $2
 where id = $1 and secret <> $2`,
    [id, secret, oldHours],
  );
}

/** With all that waits for them. */
export async function deleteEndpoints(tx: Queryable, ids: readonly string[]): Promise<void> {
  await tx.query("deleteEndpoints", "delete from webhook_endpoint where id = any($1::uuid[])", [ids]);
}

async function beginNow(tx: Queryable, id: string): Promise<void> {
  const { transaction, eventId } = await currentPosition(tx);
  await tx.query(
    "beginEndpoint",
    `insert into webhook_progress (endpoint_id, position, event_id) values ($1, $2, $3)
on conflict (endpoint_id) do update
   set position = excluded.position, event_id = excluded.event_id, health = null, paused_until = null, failing_since = null,
       claimed_by = null, claimed_until = null, next_at = now()`,
    [id, transaction, eventId],
  );
}

export interface EndpointToDisable {
  readonly endpointId: string;
  /** Who found that it fails, and still has the claim: enabled again, it stays enabled. */
  readonly sender: string;
  readonly reason: string;
}

/**
 * An endpoint that does not work any more, with the event that says so. Its types stay wanted for
 * 30 days. False: somebody was faster.
 */
export async function disableFailingEndpoint(
  tx: Queryable,
  { endpointId, sender, reason }: EndpointToDisable,
): Promise<boolean> {
  await lockConfiguration(tx);
  const [endpoint] = await tx.query<{ accountId: number; name: string }>(
    "findFailingEndpoint",
    `select e.account_id as "accountId", e.name from webhook_endpoint e join webhook_progress p on p.endpoint_id = e.id
 where e.id = $1 and e.enabled and p.claimed_by = $2 for update of e`,
    [endpointId, sender],
  );
  if (endpoint === undefined) return false;
  const { accountId, name } = endpoint;
  await disableEndpoint(tx, endpointId, reason);
  await writeEvents(tx, [
    { accountId, type: "endpoint.disabled", detail: { endpointId, name, disabledReason: reason } },
  ]);
  await raiseConfigurationVersion(tx);
  return true;
}

/** Of these accounts, those that are there. */
export function findEndpointOwners(
  tx: Queryable,
  names: readonly string[],
): Promise<readonly { readonly id: number; readonly name: string; readonly hasEndpoints: boolean }[]> {
  return tx.query(
    "findEndpointOwners",
    `select id, name, exists (select from webhook_endpoint e where e.account_id = a.id) as "hasEndpoints" from account a where name = any($1::text[])`,
    [names],
  );
}
