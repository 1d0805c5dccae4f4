// Endpoints of webhooks as they are configured, with their secrets. What their sending has come to
// is in other tables.
import type { Queryable } from "./database.ts";
import type { Position } from "./event-log.ts";
import { conditions } from "./conditions.ts";

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
  return tx.query<EndpointRow>({
    name: "",
    text: `/* listEndpoints */
select id, account_id as "accountId", name, url, events, batch_size as "batchSize", enabled, disabled_reason as "disabledReason",
       disabled_at as "disabledAt", created_at as "createdAt", secret, old_secret as "oldSecret", old_secret_until as "oldSecretUntil"
  from webhook_endpoint where ${text} order by created_at, id`,
    values,
  });
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
  const rows = await db.query<Omit<EndpointSending, "position"> & { transaction: bigint | null; eventId: string }>({
    name: "listEndpointProgress",
    text: `/* listEndpointProgress */
select e.id as "endpointId", p.position as transaction, p.event_id as "eventId", p.last_success_at as "lastSuccessAt",
       p.last_failure_at as "lastFailureAt",
       case when p.paused_until > now() then p.paused_until end as "pausedUntil",
       (select min(r.happened_at) from webhook_retry r where r.endpoint_id = e.id) as "retryingSince"
  from webhook_endpoint e left join webhook_progress p on p.endpoint_id = e.id
 where e.id = any($1::uuid[])`,
    values: [endpointIds],
  });
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
  return db.query<ListedEndpoint>({
    name: "listEndpointsByName",
    text: `/* listEndpointsByName */
select a.name as account, e.name, e.id as "endpointId", e.url, e.events, e.batch_size as "batchSize", e.enabled,
       e.disabled_reason as "disabledReason", p.last_success_at as "lastSuccessAt", p.last_failure_at as "lastFailureAt"
  from webhook_endpoint e join account a on a.id = e.account_id left join webhook_progress p on p.endpoint_id = e.id
 where ($1::int is null or e.account_id = $1) and (a.name, e.name) > ($2, $3)
 order by a.name, e.name limit $4`,
    values: [accountId ?? null, after.account, after.name, limit],
  });
}
