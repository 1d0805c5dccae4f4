// What accounts want of the log of events: the types that their endpoints name, and all types while
// they read the log. What nobody wants is not written. And how positions of the log keep rising when the
// ids of transactions start again from the beginning: after a restore, or in another cluster.
import { everyEvent, maskOf } from "../sms/event-types.ts";
import { lockConfiguration, raiseConfigurationVersion } from "./configuration-version.ts";
import type { Queryable, Transactional } from "./database.ts";
import { int4, rows, rowStatement } from "./row-statement.ts";
import { listEndpointsOf } from "./webhook-endpoints.ts";

export interface WantedByEndpoints {
  readonly accountId: number;
  /** Of types (event-types.ts); 0: none. */
  readonly mask: number;
}

export const setWantedByEndpointsStatement = rowStatement(
  "setWantedByEndpoints",
  {
    wanted: rows<WantedByEndpoints>({
      account_id: int4("accountId"),
      mask: int4("mask"),
    }),
  },
  ({ wanted }) => `insert into wanted_events as w (account_id, by_endpoints)
select account_id, mask from ${wanted.as("t")} order by account_id
on conflict (account_id) do update set by_endpoints = excluded.by_endpoints where w.by_endpoints <> excluded.by_endpoints
returning w.account_id`,
);

/**
 * Call it in each transaction that changes endpoints, with all that the endpoints of the account
 * want. Returns whether the mask changed. If it did, the transaction must raise the version of the
 * configuration.
 */
export async function noteWantedByEndpoints(tx: Queryable, wanted: readonly WantedByEndpoints[]): Promise<boolean> {
  if (wanted.length === 0) return false;
  const changed = await tx.query(setWantedByEndpointsStatement.with({ wanted }));
  return changed.length > 0;
}

/** Whether it is noted that the account reads the log, for another 30 days. */
export async function isReaderNoted(db: Queryable, accountId: number): Promise<boolean> {
  const noted = await db.query(
    "isReaderNoted",
    `select from wanted_events where account_id = $1 and by_reader = $2 and read_until >= now() + interval '30 days'`,
    [accountId, everyEvent],
  );
  return noted.length > 0;
}

/**
 * Notes that an account reads the log: all types are kept for 30 days, and an hour more, because
 * this is written once an hour. Returns whether the nodes do not know it yet. Then the transaction
 * must raise the version of the configuration. It must take that lock before calling this: taking
 * the two locks in the other order can deadlock.
 */
export async function wantAllForReader(tx: Queryable, accountId: number): Promise<boolean> {
  const [row] = await tx.query<{ isNew: boolean }>(
    "wantAllForReader",
    `with before as materialized (select by_reader from wanted_events where account_id = $1)
insert into wanted_events as w (account_id, by_reader, read_until) values ($1, $2, now() + interval '30 days 1 hour')
on conflict (account_id) do update set by_reader = excluded.by_reader, read_until = excluded.read_until
 where w.by_reader <> excluded.by_reader or w.read_until < now() + interval '30 days'
returning (select by_reader from before) is distinct from w.by_reader as "isNew"`,
    [accountId, everyEvent],
  );
  return row?.isNew ?? false;
}

/**
 * Forgets readers that did not come back, and returns the number of their accounts. If it is not 0,
 * the transaction, which holds the lock of the configuration, must raise its version.
 */
export async function forgetFormerReaders(tx: Queryable): Promise<number> {
  const forgotten = await tx.query(
    "forgetFormerReaders",
    `update wanted_events set by_reader = 0, read_until = null where read_until < now() returning account_id`,
  );
  return forgotten.length;
}

const disabledStaysWantedDays = 30;
const dayMs = 86_400_000;

/**
 * Call it in each transaction that changes endpoints of these accounts, under the lock of the
 * configuration. Without the lock it could overwrite what others change meanwhile. Returns whether
 * the accounts want other events than before.
 */
export async function noteWantsOf(tx: Queryable, accountIds: readonly number[]): Promise<boolean> {
  const endpoints = await listEndpointsOf(tx, accountIds);
  const since = Date.now() - disabledStaysWantedDays * dayMs;
  const wanted = accountIds.map((accountId) => {
    const counting = endpoints.filter(
      (endpoint) =>
        endpoint.accountId === accountId && (endpoint.enabled || (endpoint.disabledAt?.getTime() ?? 0) > since),
    );
    return { accountId, mask: maskOf(counting.flatMap(({ events }) => events)) };
  });
  return noteWantedByEndpoints(tx, wanted);
}

/** Stops keeping events that only former readers and endpoints wanted. The nodes follow. */
export async function forgetFormerWants(db: Transactional): Promise<void> {
  // The lock is not asked for where there is nothing to do: a long change may hold it.
  if ((await listFormerWants(db)).length === 0) return;
  await db.transaction(async (tx) => {
    await lockConfiguration(tx);
    const accountIds = await listFormerWants(tx);
    const readers = await forgetFormerReaders(tx);
    const endpoints = await noteWantsOf(tx, accountIds);
    if (readers > 0 || endpoints) await raiseConfigurationVersion(tx);
  });
}

/** Accounts whose reader did not come back, or with endpoints that were disabled too long ago to count. */
async function listFormerWants(db: Queryable): Promise<readonly number[]> {
  const accounts = await db.query<{ accountId: number }>(
    "listFormerWants",
    `select account_id as "accountId" from wanted_events w
 where read_until < now()
    or by_endpoints <> 0 and exists (
      select from webhook_endpoint e where e.account_id = w.account_id and e.disabled_at < now() - make_interval(days => $1))`,
    [disabledStaysWantedDays],
  );
  return accounts.map(({ accountId }) => accountId);
}

// The least position of the next transaction. It is made from the clock's seconds, with room for
// 2^30 transactions in each, so it is higher than all positions that another copy of this database
// has given out.
const nextEra = `greatest(extract(epoch from now())::bigint << 30, shift + own, coalesce((select max(position) from event), 0) + 1)`;

/**
 * Makes new positions higher than all earlier ones, whatever ids the transactions of this cluster
 * have. For a restore, which loses what came after the backup. `ifBehind`: only if the tables were
 * moved into another cluster by other means, so that the log has positions that this one has not reached.
 */
export async function beginNextEra(tx: Queryable, { ifBehind = false } = {}): Promise<void> {
  await tx.query(
    "beginNextEra",
    `update event_log set shift = ${nextEra} - own from (select pg_current_xact_id()::text::bigint as own) as current
 where not $1 or (select max(position) from event) >= shift + own`,
    [ifBehind],
  );
}
