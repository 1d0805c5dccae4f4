// Endpoints as answers show them, with the state of their sending. One statement reads from the log
// of events what waits for each of them. It is ended if it takes too long.
import { ApiError } from "../../texts/errors.ts";
import { isRetriable } from "../../store/database-errors.ts";
import type { Transactional } from "../../store/database.ts";
import { listFirstEventTimes, type SoughtEvents } from "../../store/event-log.ts";
import { limitTime } from "../../store/limit-time.ts";
import { maskOf } from "../../sms/event-types.ts";
import { type EndpointSending, type EndpointRow, listEndpointProgress } from "../../store/webhook-endpoints.ts";
import type { EndpointTold } from "./endpoint-schemas.ts";

const usualLimitMs = 3_000;

/** `db`: few sessions of their own, so that nobody who lists takes those of sending. */
export async function tellEndpoints(
  db: Transactional,
  rows: readonly EndpointRow[],
  limitMs = usualLimitMs,
): Promise<readonly EndpointTold[]> {
  if (rows.length === 0) return [];
  return db.transaction(async (tx) => {
    await limitTime(tx, limitMs);
    const ids = rows.map(({ id }) => id);
    const progressOf = new Map((await listEndpointProgress(tx, ids)).map((each) => [each.endpointId, each]));
    const sought = rows.flatMap((row) => soughtOf(row, progressOf.get(row.id)) ?? []);
    const times = await listFirstEventTimes(tx, sought);
    const untriedOf = new Map(sought.map(({ id }, index) => [id, times[index]]));
    return rows.map((row) => toldOf(row, progressOf.get(row.id), untriedOf.get(row.id)));
  });
}

/**
 * An endpoint whose change is stored. The state of its sending is left out if it cannot be read in
 * time, or if `db` has no turn for it (429): an error would look as if nothing had been changed.
 */
export async function tellChangedEndpoint(db: Transactional, row: EndpointRow): Promise<EndpointTold> {
  const [told] = await tellEndpoints(db, [row]).catch((error: unknown) => {
    if (isRetriable(error) || error instanceof ApiError) return [];
    throw error;
  });
  return told ?? tellNewEndpoint(row);
}

/** Nothing has been sent to it, and nothing waits. */
export function tellNewEndpoint(row: EndpointRow): EndpointTold {
  return toldOf(row, undefined, undefined);
}

/** Undefined: nothing waits. What a disabled endpoint missed comes only by a replay. */
function soughtOf(
  { id, accountId, events, enabled }: EndpointRow,
  progress: EndpointSending | undefined,
): (SoughtEvents & { readonly id: string }) | undefined {
  if (!enabled || progress === undefined || progress.position === null) return undefined;
  return { id, accountId, mask: maskOf(events), after: progress.position };
}

function toldOf(row: EndpointRow, progress: EndpointSending | undefined, untriedSince: Date | undefined): EndpointTold {
  const { lastSuccessAt = null, lastFailureAt = null } = progress ?? {};
  const waitingSince = [row.enabled ? progress?.retryingSince : undefined, untriedSince].filter(
    (at) => at instanceof Date,
  );
  const [oldestWaitingAt = null] = waitingSince.toSorted((one, other) => one.getTime() - other.getTime());
  const pausedUntil = row.enabled ? (progress?.pausedUntil ?? null) : null;
  return { ...row, lastSuccessAt, lastFailureAt, oldestWaitingAt, pausedUntil };
}
