// Taking back a scheduled batch before its time, with its charge (decisions §3: until 30 seconds before).
import { reasonCode } from "../sms/message-status.ts";
import type { Database } from "../store/database.ts";
import { dequeueScheduledBatch } from "../store/message-queue.ts";
import { endUnsent } from "../store/outcomes.ts";
import type { Telemetry } from "../telemetry.ts";
import { uuidCeiling, uuidFloor, uuidv7, uuidv7Time } from "../uuid.ts";

const leadSeconds = 30;

/** Answers how many messages were canceled; 0 when the batch is unknown, another account's, not scheduled, or too near its time. */
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
    return endUnsent(
      tx,
      messages.map((message) => ({ ...message, reason: reasonCode.canceled, detail: null, refundId: uuidv7() })),
    );
  });
  if (canceled > 0) telemetry.emit("message.ended", { status: 4, reason: reasonCode.canceled, count: canceled });
  return canceled;
}
