// Endpoints with what their sending has come to, as it is told.
import type { Queryable } from "../../store/database.ts";
import { readLogOf } from "../../store/event-log.ts";
import { maskOf } from "../../sms/event-types.ts";
import { type EndpointProgress, type EndpointRow, listEndpointProgress } from "../../store/webhook-endpoints.ts";
import type { EndpointTold } from "./endpoint-schemas.ts";

export async function tellEndpoints(db: Queryable, rows: readonly EndpointRow[]): Promise<readonly EndpointTold[]> {
  const progress = await listEndpointProgress(
    db,
    rows.map(({ id }) => id),
  );
  const progressOf = new Map(progress.map((each) => [each.endpointId, each]));
  return Promise.all(
    rows.map(async (row) => {
      const found = progressOf.get(row.id);
      const { lastSuccessAt = null, lastFailureAt = null } = found ?? {};
      return { ...row, lastSuccessAt, lastFailureAt, oldestWaitingAt: await oldestWaiting(db, row, found) };
    }),
  );
}

/** Null: nothing waits. What a disabled endpoint missed comes only by a replay. */
async function oldestWaiting(
  db: Queryable,
  { accountId, events, enabled }: EndpointRow,
  progress: EndpointProgress | undefined,
): Promise<Date | null> {
  if (!enabled || progress === undefined || progress.position === null) return null;
  const { retryingSince, position: after } = progress;
  const { rows } = await readLogOf(db, { accountId, mask: maskOf(events), after, limit: 1 });
  const untried = rows[0]?.at ?? null;
  if (retryingSince === null || untried === null) return retryingSince ?? untried;
  return retryingSince < untried ? retryingSince : untried;
}
