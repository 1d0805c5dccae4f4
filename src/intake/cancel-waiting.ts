// Cancels and refunds waiting messages: of any account for staff, of their own for customers. Never
// cancels a message that was submitted, even in part, because the operator may have sent it.
import { reasonCode } from "../sms/message-status.ts";
import { type Actor, gatewayActor, insertAuditEntries } from "../store/audit.ts";
import type { Transactional } from "../store/database.ts";
import { dequeueUnsubmitted } from "../store/message-queue.ts";
import { endUnsent } from "../store/outcomes.ts";
import { findNamedMessages, type NamedMessage } from "../store/staff-lookups.ts";

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
    const ofAll = await findNamedMessages(tx, id);
    const named = ofAll.filter((message) => accountId === undefined || message.accountId === accountId);
    if (named.length === 0) return undefined;
    const dequeued = await dequeueUnsubmitted(tx, named.filter(mayWait));
    const ended =
      dequeued.length === 0
        ? []
        : await endUnsent(
            tx,
            dequeued.map((message) => ({ ...message, reason: reasonCode.canceled, detail: null })),
          );
    const canceled = ended.length;
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
