// Takes over the claims of a dead node, whose messages may have been written without an answer.
// Settles each message by its connector's policy for uncertain parts (setup `uncertain`).
import type { Directory } from "../directory/directory.ts";
import { reportUnsent } from "../events/message-ends.ts";
import { missingParts, type PartNumber } from "../sms/segmentation.ts";
import { reasonCode } from "../sms/message-status.ts";
import { isSubmittedTooOften, type UncertainPolicy } from "../sms/submit-outcome.ts";
import type { Database, Queryable } from "../store/database.ts";
import { requeueMessages } from "../store/message-queue.ts";
import { keepOrphanedClaims, takeOverOrphanedClaims, type UncertainMessage } from "../store/claims.ts";
import { endUnsent, holdParts } from "../store/outcomes.ts";
import type { Telemetry } from "../platform/telemetry.ts";

export interface RecoverClaimsOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly directory: { readonly current: Directory };
  /** This node's registration among the nodes. */
  readonly membership: { readonly nodeId: string };
  /** No other node can hold outcomes that are not on disk yet. */
  readonly alone: boolean;
  /** Resolves when all outcomes that this node knows are on disk. */
  readonly outcomesFlushed: () => Promise<unknown>;
  readonly onQueued: () => void;
}

/**
 * More than one node holds, since its windows bound its messages; this limit is only a safeguard.
 */
const claimsAtATime = 2000;
/**
 * After an outage that cost the nodes their leases, they have this long to write down their
 * outcomes.
 */
const settleSeconds = 5;

export async function recoverClaims({
  db,
  telemetry,
  directory,
  membership,
  alone,
  outcomesFlushed,
  onQueued,
}: RecoverClaimsOptions): Promise<Record<string, number>> {
  const connectors = new Map(directory.current.connectors.map(({ id, settings }) => [id, settings]));
  await outcomesFlushed();
  const counts = await db.transaction(async (tx) => {
    const uncertain = await takeOverOrphanedClaims(tx, {
      nodeId: membership.nodeId,
      standingSeconds: alone ? 0 : settleSeconds,
      limit: claimsAtATime,
    });
    if (uncertain.length > 0) await keepOrphanedClaims(tx, uncertain);
    const sorted: Record<UncertainPolicy, UncertainMessage[]> = { resend: [], hold: [], fail: [] };
    // A connector that is no longer configured has no policy; resending is the default.
    for (const message of uncertain)
      sorted[policyFor(message, connectors.get(message.connectorId)?.uncertain ?? "resend")].push(message);
    const partsOf = (message: UncertainMessage): readonly PartNumber[] =>
      missingParts(message, { asOnePayload: connectors.get(message.connectorId)?.longMessages === "payload" });
    return settleUncertain(tx, sorted, partsOf);
  });
  if (counts.resent > 0) onQueued();
  reportUnsent(telemetry, reasonCode.outcomeUnknown, counts.failed);
  return counts;
}

/** An expired message is not sent again, nor one that went unanswered too often. */
function policyFor({ expired, unanswered }: UncertainMessage, policy: UncertainPolicy): UncertainPolicy {
  if (expired) return "fail";
  return policy === "resend" && isSubmittedTooOften(unanswered) ? "hold" : policy;
}

async function settleUncertain(
  tx: Queryable,
  { resend, hold, fail }: Record<UncertainPolicy, UncertainMessage[]>,
  partsOf: (message: UncertainMessage) => readonly PartNumber[],
) {
  if (resend.length > 0) {
    await requeueMessages(
      tx,
      resend.map((message) => ({
        ...message,
        // The node may have submitted it once more.
        unanswered: message.unanswered + 1,
        delayMs: undefined,
        // A claim does not hold it: the back-off begins again.
        attempt: 0,
        open: { connectorId: message.connectorId, parts: partsOf(message) },
      })),
    );
  }
  // Failed messages are held as well: a receipt may still prove that they were taken.
  const held = [...hold, ...fail].flatMap((message) => partsOf(message).map((part) => ({ ...message, part })));
  if (held.length > 0) await holdParts(tx, held);
  if (fail.length > 0) {
    await endUnsent(
      tx,
      fail.map(({ accountId, messageId, tries }) => ({
        accountId,
        messageId,
        tries,
        reason: reasonCode.outcomeUnknown,
        detail: null,
      })),
    );
  }
  return { resent: resend.length, held: hold.length, failed: fail.length };
}
