// Disables an endpoint that does not work any more: in one transaction with the event that says so.
import { lockConfiguration, raiseConfigurationVersion } from "./configuration-version.ts";
import type { Queryable } from "./database.ts";
import { writeEvents } from "./event-log.ts";

export interface EndpointToDisable {
  readonly endpointId: string;
  /** Of the time in which it failed: enabled again, it stays enabled. */
  readonly epoch: number;
  readonly reason: string;
}

/** What waits for it is dropped. Its types stay wanted for 30 days. False: somebody was faster. */
export async function disableFailingEndpoint(
  tx: Queryable,
  { endpointId, epoch, reason }: EndpointToDisable,
): Promise<boolean> {
  await lockConfiguration(tx);
  const [disabled] = await tx.query<{ accountId: number; name: string }>({
    name: "disableFailingEndpoint",
    text: `/* disableFailingEndpoint */
with disabled as (
  update webhook_endpoint set enabled = false, disabled_reason = $3, disabled_at = now()
   where id = $1 and epoch = $2 and enabled returning id, account_id, name),
retries as (delete from webhook_retry where endpoint_id in (select id from disabled)),
replays as (delete from webhook_replay where endpoint_id in (select id from disabled)),
failed as (update webhook_progress set last_failure_at = now() where endpoint_id in (select id from disabled))
select account_id as "accountId", name from disabled`,
    values: [endpointId, epoch, reason],
  });
  if (disabled === undefined) return false;
  const { accountId, name } = disabled;
  await writeEvents(tx, [
    { accountId, type: "endpoint.disabled", detail: { endpointId, name, disabledReason: reason } },
  ]);
  await raiseConfigurationVersion(tx);
  return true;
}
