// What the endpoints of accounts want of the log: of enabled ones, and for 30 days more of those
// that were disabled.
import { maskOf } from "../sms/event-types.ts";
import type { Queryable } from "./database.ts";
import { noteWantedByEndpoints } from "./wanted-events.ts";
import { listEndpointsOf } from "./webhook-endpoints.ts";

const disabledStaysWantedDays = 30;
const dayMs = 86_400_000;

/**
 * In each transaction that changes endpoints of these accounts. Answers whether they want something
 * else than before.
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

/**
 * Ends what only endpoints wanted that were disabled too long ago. Answers whether there was any;
 * then the transaction has to raise the version of the configuration.
 */
export async function forgetFormerEndpoints(tx: Queryable): Promise<boolean> {
  const accounts = await tx.query<{ accountId: number }>({
    name: "listAccountsOfFormerEndpoints",
    text: `/* listAccountsOfFormerEndpoints */
select distinct e.account_id as "accountId" from webhook_endpoint e join wanted_events w on w.account_id = e.account_id
 where e.disabled_at < now() - make_interval(days => $1) and w.by_endpoints <> 0`,
    values: [disabledStaysWantedDays],
  });
  return noteWantsOf(
    tx,
    accounts.map(({ accountId }) => accountId),
  );
}
