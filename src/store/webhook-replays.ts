// What shall be sent to endpoints again. The node that sends the endpoint's events does it.
import type { Queryable } from "./database.ts";
import { logBeginning, type Position } from "./event-log.ts";

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
  const [endpoint] = await tx.query<{ enabled: boolean }>({
    name: "lockEndpointForReplay",
    text: "/* lockEndpointForReplay */ select enabled from webhook_endpoint where id = $1 for share",
    values: [endpointId],
  });
  if (endpoint?.enabled !== true) return "disabled";
  const inserted = await tx.query({
    name: "insertReplay",
    text: `/* insertReplay */
with inserted as (
  insert into webhook_replay (endpoint_id, event_ids, from_at, to_at, position, event_id, until_position, until_event_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (endpoint_id) do nothing returning endpoint_id),
due as (update webhook_progress p set next_at = now() from inserted i where p.endpoint_id = i.endpoint_id)
select endpoint_id from inserted`,
    values: [
      ...[endpointId, eventIds, from, to, logBeginning.transaction, logBeginning.eventId],
      ...[until.transaction, until.eventId],
    ],
  });
  return inserted.length > 0 ? "begins" : "busy";
}

export async function isReplaying(db: Queryable, endpointId: string): Promise<boolean> {
  const found = await db.query({
    name: "isReplaying",
    text: "/* isReplaying */ select from webhook_replay where endpoint_id = $1",
    values: [endpointId],
  });
  return found.length > 0;
}
