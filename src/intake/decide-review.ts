// What staff decide about messages that a content rule keeps for review: allowed ones go out at
// their time, or at once where that is past; the others end with 1309 and their refund.
import { reasonCode } from "../sms/message-status.ts";
import { type Actor, insertAuditEntries } from "../store/audit.ts";
import type { Queryable, Transactional } from "../store/database.ts";
import type { DequeuedMessage } from "../store/message-queue.ts";
import { endUnsent } from "../store/outcomes.ts";
import { queueAllowed, type ReviewChoice, takeFromReview } from "../store/review.ts";

export type Decision = "allow" | "refuse";

/** Messages of one transaction: a rule may keep a million. */
const messagesAtOnce = 1000;

export interface ReviewDecision {
  readonly decision: Decision;
  readonly choice: ReviewChoice;
  /** Of one call; absent: all. */
  readonly most?: number;
}

/** Returns how many messages were decided. Less than `most`: there are no more. */
export async function decideReview(
  db: Transactional,
  by: Actor,
  { decision, choice, most = Infinity }: ReviewDecision,
): Promise<number> {
  let total = 0;
  while (total < most) {
    const wanted = Math.min(messagesAtOnce, most - total);
    const count = await db.transaction(async (tx) => {
      const taken = await takeFromReview(tx, choice, wanted);
      if (taken.length === 0) return 0;
      await (decision === "allow" ? queueAllowed(tx, taken) : refuse(tx, taken));
      const name = choice.rule ?? choice.batchId ?? taken[0]?.messageId ?? "";
      const after = { decision, messages: taken.length };
      await insertAuditEntries(tx, by, [{ action: "change", kind: "review", name, after }]);
      return taken.length;
    });
    total += count;
    if (count < wanted) break;
  }
  return total;
}

async function refuse(tx: Queryable, messages: readonly DequeuedMessage[]): Promise<void> {
  await endUnsent(
    tx,
    messages.map(({ accountId, messageId }) => ({ accountId, messageId, reason: reasonCode.notAllowed, detail: null })),
  );
}
