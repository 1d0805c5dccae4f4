// Ends messages that have waited beyond their validity: 1304 when no operator took them, 1309 when
// they waited for staff, 1302 when they were submitted and their outcome stayed unknown. A receipt
// can still correct the last. What waits for staff has its validity looked at by the sending hours
// that count now.
import { type Directory, sendingHoursOf } from "../directory/directory.ts";
import { reportUnsentFor, reportUnreported } from "../events/message-ends.ts";
import { reasonCode } from "../sms/message-status.ts";
import { endOfValidity } from "../sms/sending-hours.ts";
import type { Database, Queryable } from "../store/database.ts";
import type { DequeuedMessage } from "../store/message-queue.ts";
import { hasExpired } from "../store/due-work.ts";
import { dequeueExpired } from "../store/queue-times.ts";
import { endUnsent, findHeldPastValidity, holdUnansweredParts } from "../store/outcomes.ts";
import { type ExpiredInReview, lockExpiredInReview, settleValidity } from "../store/review.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { uuidv7Time } from "../platform/uuid.ts";
import { endUnreported, listSweptConnectors } from "../store/receipts.ts";

export interface ExpireWaitingOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly directory: { readonly current: Pick<Directory, "accounts" | "lines"> };
}

/** At a time: after a long outage very many messages may end. */
const batch = 2000;
/** For connectors that were removed: the default of the setup file. */
const removedConnectorHours = 72;

export async function expireWaiting({
  db,
  telemetry,
  directory,
}: ExpireWaitingOptions): Promise<Record<string, number>> {
  if (!(await hasExpired(db))) return { expired: 0, unseen: 0, unknown: 0 };
  const { reasons, counts } = await db.transaction(async (tx) => {
    const expired = await dequeueExpired(tx, batch);
    const unseen = await takeUnseen(tx, directory.current);
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
  reportUnsentFor(telemetry, reasons);
  return counts;
}

/** Those whose validity is over; the others are looked at again when it will be. */
async function takeUnseen(
  tx: Queryable,
  directory: ExpireWaitingOptions["directory"]["current"],
): Promise<DequeuedMessage[]> {
  const expired = await lockExpiredInReview(tx, batch);
  if (expired.length === 0) return [];
  const judged = expired.map((message) => {
    const { accountId, messageId, now } = message;
    const end = endOf(message, directory);
    return { accountId, messageId, validUntil: end > now.getTime() ? new Date(end) : undefined };
  });
  await settleValidity(tx, judged);
  return judged.filter(({ validUntil }) => validUntil === undefined);
}

function endOf(message: ExpiredInReview, directory: ExpireWaitingOptions["directory"]["current"]): number {
  const from = message.sendAt?.getTime() ?? uuidv7Time(message.messageId);
  return endOfValidity(from, message.validUntil.getTime() - from, sendingHoursOf(directory, message));
}

/**
 * Ends the wait for receipts (reason 1301) of sent messages whose connector's deadline has passed
 * without a report.
 */
export async function endUnreportedMessages({
  db,
  telemetry,
  directory,
}: Pick<ExpireWaitingOptions, "db" | "telemetry"> & {
  readonly directory: { readonly current: Pick<Directory, "connectors"> };
}): Promise<Record<string, number>> {
  let ended = 0;
  const deadlines = new Map(
    directory.current.connectors.map(({ id, settings }) => [id, settings.receiptDeadlineHours]),
  );
  // Messages that a removed connector sent still wait for receipts, and end like any others.
  for (const connectorId of await listSweptConnectors(db)) {
    if (!deadlines.has(connectorId)) deadlines.set(connectorId, removedConnectorHours);
  }
  for (const [connectorId, deadlineHours] of deadlines)
    ended += await endUnreported(db, { connectorId, deadlineHours });
  reportUnreported(telemetry, ended);
  return { ended };
}
