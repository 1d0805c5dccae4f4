// Ends messages that have waited beyond their validity: 1304 when no operator took them, 1309 when
// they waited for staff, 1302 when they were submitted and their outcome stayed unknown. A receipt
// can still correct the last.
import { tellUnsentFor } from "../message-ends.ts";
import { PeriodicService } from "../service.ts";
import { reasonCode } from "../sms/message-status.ts";
import type { Database } from "../store/database.ts";
import { dequeueExpired } from "../store/queue-times.ts";
import { endUnsent, findHeldPastValidity, holdUnansweredParts } from "../store/outcomes.ts";
import { takeExpiredFromReview } from "../store/review.ts";
import type { Telemetry } from "../telemetry.ts";

export interface ExpireWaitingOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
}

/** After a long outage very many messages may end: a tenth of one core at most. */
const everyMs = 3000;
const restFactor = 10;
const batch = 2000;

export function expireWaiting(options: ExpireWaitingOptions): PeriodicService {
  return new PeriodicService({
    name: "expire-waiting",
    everyMs,
    restFactor,
    runOnce: () => expireWaitingOnce(options),
    telemetry: options.telemetry,
  });
}

export async function expireWaitingOnce({ db, telemetry }: ExpireWaitingOptions): Promise<Record<string, number>> {
  const { reasons, counts } = await db.transaction(async (tx) => {
    const expired = await dequeueExpired(tx, batch);
    const unseen = await takeExpiredFromReview(tx, batch);
    const unknown = await findHeldPastValidity(tx, batch);
    if (expired.length > 0) await holdUnansweredParts(tx, expired);
    const endings = [
      ...expired.map((message) => ({ ...message, reason: reasonCode.expired })),
      ...unseen.map((message) => ({ ...message, reason: reasonCode.notAllowed })),
      ...unknown.map((message) => ({ ...message, reason: reasonCode.outcomeUnknown })),
    ];
    const endedFor =
      endings.length === 0
        ? []
        : await endUnsent(
            tx,
            endings.map((ending) => ({ ...ending, detail: null })),
          );
    return { reasons: endedFor, counts: { expired: expired.length, unseen: unseen.length, unknown: unknown.length } };
  });
  tellUnsentFor(telemetry, reasons);
  return counts;
}
