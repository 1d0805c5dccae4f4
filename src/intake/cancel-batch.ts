// Cancels and refunds a scheduled batch before its time (decisions §3: until 30 seconds before).
import { tellUnsent } from "../events/message-ends.ts";
import { reasonCode } from "../sms/message-status.ts";
import type { Database, Queryable } from "../store/database.ts";
import { findMessagesOfBatch, type StoredMessage } from "../store/message-reads.ts";
import { dequeueScheduledBatch } from "../store/message-queue.ts";
import { endUnsent } from "../store/outcomes.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { uuidCeiling, uuidFloor, uuidv7Time } from "../platform/uuid.ts";

const leadSeconds = 30;

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
  return judgeCancel(await findMessagesOfBatch(db, batch));
}

type CanceledOrNot = Pick<StoredMessage, "sendAt" | "status" | "reason" | "finalAt">;

export function judgeCancel(messages: readonly CanceledOrNot[]): CancelRefusal {
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
  { db, telemetry }: { db: Database; telemetry: Telemetry },
  { accountId, batchId }: { accountId: number; batchId: string },
): Promise<number> {
  const acceptedAt = uuidv7Time(batchId);
  const canceled = await db.transaction(async (tx) => {
    const messages = await dequeueScheduledBatch(tx, {
      accountId,
      batchId,
      firstId: uuidFloor(acceptedAt),
      lastId: uuidCeiling(acceptedAt),
      leadSeconds,
    });
    if (messages.length === 0) return 0;
    const ended = await endUnsent(
      tx,
      messages.map((message) => ({ ...message, reason: reasonCode.canceled, detail: null })),
    );
    return ended.length;
  });
  tellUnsent(telemetry, reasonCode.canceled, canceled);
  return canceled;
}
