// What staff decide about messages that a content rule keeps for review: allowed ones go out at
// their time, or at once where that is past, within the sending hours; the others end with 1309 and
// their refund.
import { sendingHoursOf } from "../directory/sending-hours-of.ts";
import type { Directory } from "../directory/directory.ts";
import { reasonCode } from "../sms/message-status.ts";
import { type Actor, insertAuditEntries } from "../store/audit.ts";
import type { Queryable, Transactional } from "../store/database.ts";
import { endUnsent } from "../store/outcomes.ts";
import {
  type AllowedMessage,
  type DecidedMessage,
  queueAllowed,
  type ReviewChoice,
  takeFromReview,
} from "../store/review.ts";

export type Decision = "allow" | "refuse";

export interface DecideOptions {
  readonly db: Transactional;
  readonly by: Actor;
  readonly directory: Pick<Directory, "accounts" | "lines">;
}

/** Messages of one transaction: a rule may keep a million. */
const messagesAtOnce = 1000;

/** Returns how many messages were decided. */
export async function decideReview(
  { db, by, directory }: DecideOptions,
  decision: Decision,
  choice: ReviewChoice,
): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await db.transaction(async (tx) => {
      const taken = await takeFromReview(tx, choice, messagesAtOnce);
      if (taken.length === 0) return 0;
      await (decision === "allow" ? allow(tx, directory, taken) : refuse(tx, taken));
      const name = choice.rule ?? choice.batchId ?? taken[0]?.messageId ?? "";
      const after = { decision, messages: taken.length };
      await insertAuditEntries(tx, by, [{ action: "change", kind: "review", name, after }]);
      return taken.length;
    });
    total += count;
    if (count < messagesAtOnce) return total;
  }
}

async function refuse(tx: Queryable, messages: readonly DecidedMessage[]): Promise<void> {
  await endUnsent(
    tx,
    messages.map(({ accountId, messageId }) => ({ accountId, messageId, reason: reasonCode.notAllowed, detail: null })),
  );
}

async function allow(
  tx: Queryable,
  directory: Pick<Directory, "accounts" | "lines">,
  messages: readonly DecidedMessage[],
): Promise<void> {
  await queueAllowed(
    tx,
    messages.map((message) => allowed(message, directory)),
  );
}

/** The time at which an allowed message goes out. */
export function allowed(message: DecidedMessage, directory: Pick<Directory, "accounts" | "lines">): AllowedMessage {
  const { accountId, messageId, sendAt, now } = message;
  const isAhead = sendAt !== null && sendAt > now;
  const earliest = isAhead ? sendAt : now;
  const open = sendingHoursOf(directory, message)?.openTime(earliest.getTime());
  const own = { accountId, messageId, wantedAt: null, dueAt: isAhead ? sendAt : null };
  if (open === undefined) return { ...own, windowEnd: null };
  const windowEnd = new Date(open.until);
  if (open.from === earliest.getTime()) return { ...own, windowEnd };
  return { ...own, dueAt: new Date(open.from), wantedAt: earliest, windowEnd };
}
