// What a dead node was about to write, or had written without hearing the answer: taken over, and settled by its connector's policy
// for uncertain parts (setup `uncertain`).
import type { Directory } from "../directory/directory.ts";
import { PeriodicService } from "../service.ts";
import { reasonCode } from "../sms/message-status.ts";
import type { Database, Queryable } from "../store/database.ts";
import { requeueMessages, takeOverOrphanedClaims, type UncertainMessage } from "../store/message-queue.ts";
import { endUnsent, holdMessages } from "../store/outcomes.ts";
import type { Telemetry } from "../telemetry.ts";
import { uuidv7 } from "../uuid.ts";

export interface RecoverClaimsOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly directory: { readonly current: Directory };
  readonly onRequeued: () => void;
}

const everyMs = 1000;
const claimsAtATime = 50;

export function recoverClaims(options: RecoverClaimsOptions): PeriodicService {
  return new PeriodicService({
    name: "recover-claims",
    everyMs,
    runOnce: () => recoverClaimsOnce(options),
    telemetry: options.telemetry,
  });
}

export async function recoverClaimsOnce({
  db,
  telemetry,
  directory,
  onRequeued,
}: RecoverClaimsOptions): Promise<Record<string, number>> {
  const policies = new Map(directory.current.connectors.map(({ id, settings }) => [id, settings.uncertain]));
  const counts = await db.transaction(async (tx) => {
    const uncertain = await takeOverOrphanedClaims(tx, claimsAtATime);
    // A connector that is gone from the configuration cannot say; resending is the default.
    const under = (policy: string): UncertainMessage[] =>
      uncertain.filter(({ connectorId }) => (policies.get(connectorId) ?? "resend") === policy);
    return settleUncertain(tx, { resend: under("resend"), hold: under("hold"), fail: under("fail") });
  });
  if (counts.resent > 0) onRequeued();
  if (counts.failed > 0)
    telemetry.emit("message.ended", { status: 4, reason: reasonCode.outcomeUnknown, count: counts.failed });
  return counts;
}

async function settleUncertain(
  tx: Queryable,
  { resend, hold, fail }: { resend: UncertainMessage[]; hold: UncertainMessage[]; fail: UncertainMessage[] },
) {
  if (resend.length > 0) {
    await requeueMessages(
      tx,
      resend.map((message) => ({ ...message, delayMs: undefined })),
    );
  }
  // Failed ones are held too: a receipt may still prove that they were taken.
  if (hold.length + fail.length > 0) await holdMessages(tx, [...hold, ...fail]);
  if (fail.length > 0) {
    await endUnsent(
      tx,
      fail.map(({ accountId, messageId }) => ({
        accountId,
        messageId,
        reason: reasonCode.outcomeUnknown,
        detail: null,
        refundId: uuidv7(),
      })),
    );
  }
  return { resent: resend.length, held: hold.length, failed: fail.length };
}
