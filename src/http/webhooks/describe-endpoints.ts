// Endpoints as answers show them, with the state of their sending. One statement reads from the log
// of events what waits for each of them. It is ended if it takes too long.
import { ApiError } from "../../texts/errors.ts";
import { isRetriable } from "../../store/database-errors.ts";
import type { Transactional } from "../../store/database.ts";
import { listFirstEventTimes, type SoughtEvents } from "../../store/event-log.ts";
import { maskOf } from "../../sms/event-types.ts";
import { type EndpointRow, type EndpointSending, listEndpointProgress } from "../../store/webhook-endpoints.ts";
import type { DescribedEndpoint } from "./endpoint-schemas.ts";
import { limitTime } from "../../store/transaction-settings.ts";

const usualLimitMs = 3_000;

/** `db`: few sessions of their own, so that nobody who lists takes those of sending. */
export async function describeEndpoints(
  db: Transactional,
  rows: readonly EndpointRow[],
  limitMs = usualLimitMs,
): Promise<readonly DescribedEndpoint[]> {
  if (rows.length === 0) return [];
  return db.transaction(async (tx) => {
    await limitTime(tx, limitMs);
    const ids = rows.map(({ id }) => id);
    const progressOf = new Map((await listEndpointProgress(tx, ids)).map((each) => [each.endpointId, each]));
    const sought = rows.flatMap((row) => soughtOf(row, progressOf.get(row.id)) ?? []);
    const times = await listFirstEventTimes(tx, sought);
    const untriedOf = new Map(sought.map(({ id }, index) => [id, times[index]]));
    return rows.map((row) => describedEndpoint(row, progressOf.get(row.id), untriedOf.get(row.id)));
  });
}

/**
 * An endpoint whose change is stored. The state of its sending is left out if it cannot be read in
 * time, or if `db` has no turn for it (429): an error would look as if nothing had been changed.
 */
export async function describeChangedEndpoint(db: Transactional, row: EndpointRow): Promise<DescribedEndpoint> {
  const [told] = await describeEndpoints(db, [row]).catch((error: unknown) => {
    if (isRetriable(error) || error instanceof ApiError) return [];
    throw error;
  });
  return told ?? describeNewEndpoint(row);
}

/** Nothing has been sent to it, and nothing waits. */
export function describeNewEndpoint(row: EndpointRow): DescribedEndpoint {
  return describedEndpoint(row, undefined, undefined);
}

/** Undefined: nothing waits. What a disabled endpoint missed comes only by a replay. */
function soughtOf(
  { id, accountId, events, enabled }: EndpointRow,
  progress: EndpointSending | undefined,
): (SoughtEvents & { readonly id: string }) | undefined {
  if (!enabled || progress === undefined || progress.position === null) return undefined;
  return { id, accountId, mask: maskOf(events), after: progress.position };
}

function describedEndpoint(
  row: EndpointRow,
  progress: EndpointSending | undefined,
  untriedSince: Date | undefined,
): DescribedEndpoint {
  const { lastSuccessAt = null, lastFailureAt = null } = progress ?? {};
  const waitingSince = [row.enabled ? progress?.retryingSince : undefined, untriedSince].filter(
    (at) => at instanceof Date,
  );
  const [oldestWaitingAt = null] = waitingSince.toSorted((one, other) => one.getTime() - other.getTime());
  const pausedUntil = row.enabled ? (progress?.pausedUntil ?? null) : null;
  return { ...row, lastSuccessAt, lastFailureAt, oldestWaitingAt, pausedUntil };
}
