// Cancels and refunds waiting messages of any account, for staff. Never cancels a message that was submitted, even in part, because
// the operator may have sent it.
import { reasonCode } from "../sms/message-status.ts";
import { type Actor, gatewayActor, insertAuditEntries } from "../store/audit.ts";
import type { Database } from "../store/database.ts";
import { dequeueUnsubmitted } from "../store/message-queue.ts";
import { endUnsent } from "../store/outcomes.ts";
import { findNamedMessages, type NamedMessage } from "../store/staff-lookups.ts";
import { uuidv7 } from "../uuid.ts";

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

/** `id`: a batchId or a sentMessageId; `by`: for the audit. Undefined if no account has such a batch or message. */
export async function cancelWaiting(
  db: Database,
  id: string,
  by: Actor = gatewayActor,
): Promise<CanceledMessages | undefined> {
  return db.transaction(async (tx) => {
    const named = await findNamedMessages(tx, id);
    if (named.length === 0) return undefined;
    const dequeued = await dequeueUnsubmitted(tx, named.filter(mayWait));
    const canceled =
      dequeued.length === 0
        ? 0
        : await endUnsent(
            tx,
            dequeued.map((message) => ({ ...message, reason: reasonCode.canceled, detail: null, refundId: uuidv7() })),
          );
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
  return status === 0 && reason === null && partsTaken === 0;
}
