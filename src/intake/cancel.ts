// Cancels and refunds messages that wait: scheduled batches by the clients' API, until 30 seconds before
// their time, and anything that waits by staff and customers. Never cancels a message that
// was submitted, even in part, because the operator may have sent it.
import { reportUnsent } from "../events/message-ends.ts";
import { reasonCode } from "../sms/message-status.ts";
import type { Database, DatabaseClock, Queryable, Transactional } from "../store/database.ts";
import { findMessagesOfBatch, type StoredMessage } from "../store/message-reads.ts";
import { type DequeuedMessage, dequeueUnsubmitted } from "../store/message-queue.ts";
import { endUnsent } from "../store/outcomes.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { type Actor, gatewayActor, insertAuditEntries } from "../store/audit.ts";
import { findNamedMessages, type NamedMessage } from "../store/staff-lookups.ts";

const leadSeconds = 30;

/** Ends and refunds messages that were taken from the queue. Returns how many ended so. */
export async function endCanceled(tx: Queryable, dequeued: readonly DequeuedMessage[]): Promise<number> {
  if (dequeued.length === 0) return 0;
  const ended = await endUnsent(
    tx,
    dequeued.map((message) => ({ ...message, reason: reasonCode.canceled, detail: null })),
  );
  return ended.length;
}

/** Why nothing of a batch could be canceled. */
export type CancelRefusal =
  | { readonly kind: "unknown" }
  | { readonly kind: "notScheduled" }
  | { readonly kind: "alreadyCanceled"; readonly at: Date }
  | { readonly kind: "tooLate"; readonly since: Date };

/** Explains the refusal for a batch of the account. Any other batch is unknown. */
export async function whyNotCanceled(
  db: Queryable,
  batch: { readonly accountId: number; readonly batchId: string },
): Promise<CancelRefusal> {
  return decideCancel(await findMessagesOfBatch(db, batch));
}

type CanceledOrNot = Pick<StoredMessage, "sendAt" | "status" | "reason" | "finalAt">;

function decideCancel(messages: readonly CanceledOrNot[]): CancelRefusal {
  if (messages.length === 0) return { kind: "unknown" };
  const canceledAt = messages.find(({ reason }) => reason === reasonCode.canceled)?.finalAt ?? null;
  if (canceledAt !== null) return { kind: "alreadyCanceled", at: canceledAt };
  // Sending hours may give messages of one batch different times.
  const times = messages.flatMap(({ sendAt }) => sendAt?.getTime() ?? []);
  if (times.length === 0) return { kind: "notScheduled" };
  return { kind: "tooLate", since: new Date(Math.max(...times) - leadSeconds * 1000) };
}

/**
 * Returns how many messages were canceled; 0 if the batch is unknown, another account's, not
 * scheduled, or too close to its time. What waits for staff is canceled at any time.
 */
export async function cancelScheduledBatch(
  {
    db,
    telemetry,
  }: { db: Pick<Database, "transaction"> & { clock: Pick<DatabaseClock, "now"> }; telemetry: Telemetry },
  { accountId, batchId }: { accountId: number; batchId: string },
): Promise<number> {
  const notBefore = db.clock.now() + leadSeconds * 1000;
  const canceled = await db.transaction(async (tx) => {
    const messages = await findMessagesOfBatch(tx, { accountId, batchId });
    const inTime = messages.filter(
      ({ reason, sendAt }) => reason === reasonCode.inReview || (sendAt !== null && sendAt.getTime() >= notBefore),
    );
    const named = inTime.map(({ id: messageId }) => ({ accountId, messageId }));
    return endCanceled(tx, await dequeueUnsubmitted(tx, named));
  });
  reportUnsent(telemetry, reasonCode.canceled, canceled);
  return canceled;
}

/** The outcome for the messages of one id. */
export interface CanceledMessages {
  /** Ended at 4 with 1305, each with its refund. */
  readonly canceled: number;
  /** Ended by an earlier cancellation. */
  readonly canceledBefore: number;
  /** Claimed for a link, or submitted at least in part. */
  readonly onTheirWay: number;
  /** Sent, or ended for another reason. */
  readonly over: number;
}

export interface CancelOptions {
  /** For the audit. */
  readonly by?: Actor;
  /** Only what is this account's; absent: of any. */
  readonly accountId?: number | undefined;
}

/** `id`: a batchId or a sentMessageId. Undefined if there is no such batch or message. */
export async function cancelWaiting(
  db: Transactional,
  id: string,
  { by = gatewayActor, accountId }: CancelOptions = {},
): Promise<CanceledMessages | undefined> {
  return db.transaction(async (tx) => {
    const named = await findNamedMessages(tx, id, accountId);
    if (named.length === 0) return undefined;
    const canceled = await endCanceled(tx, await dequeueUnsubmitted(tx, named.filter(mayWait)));
    if (canceled > 0) {
      const after = { canceled };
      await insertAuditEntries(tx, by, [{ action: "change", kind: "messages", name: id, after }]);
    }
    const canceledBefore = named.filter(({ reason }) => reason === reasonCode.canceled).length;
    const onTheirWay = named.filter(({ status }) => status === 0).length - canceled;
    return { canceled, canceledBefore, onTheirWay, over: named.length - canceled - canceledBefore - onTheirWay };
  });
}

function mayWait({ status, reason, partsTaken }: NamedMessage): boolean {
  return status === 0 && (reason === null || reason === reasonCode.inReview) && partsTaken === 0;
}
