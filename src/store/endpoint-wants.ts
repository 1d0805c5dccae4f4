// What the endpoints of accounts want of the log: of enabled ones, and for 30 days more of those
// that were disabled.
import { maskOf } from "../sms/event-types.ts";
import { lockConfiguration, raiseConfigurationVersion } from "./configuration-version.ts";
import type { Queryable, Transactional } from "./database.ts";
import { forgetFormerReaders, hasFormerReaders, noteWantedByEndpoints } from "./wanted-events.ts";
import { listEndpointsOf } from "./webhook-endpoints.ts";

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
  if (!(await hasFormerReaders(db)) && (await listAccountsOfFormerEndpoints(db)).length === 0) return;
  await db.transaction(async (tx) => {
    await lockConfiguration(tx);
    const readers = await forgetFormerReaders(tx);
    const endpoints = await noteWantsOf(tx, await listAccountsOfFormerEndpoints(tx));
    if (readers > 0 || endpoints) await raiseConfigurationVersion(tx);
  });
}

/** Accounts with endpoints that were disabled too long ago to count. */
async function listAccountsOfFormerEndpoints(db: Queryable): Promise<readonly number[]> {
  const accounts = await db.query<{ accountId: number }>({
    name: "listAccountsOfFormerEndpoints",
    text: `/* listAccountsOfFormerEndpoints */
select distinct e.account_id as "accountId" from webhook_endpoint e join wanted_events w on w.account_id = e.account_id
 where e.disabled_at < now() - make_interval(days => $1) and w.by_endpoints <> 0`,
    values: [disabledStaysWantedDays],
  });
  return accounts.map(({ accountId }) => accountId);
}
