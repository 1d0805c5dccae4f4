// Maintains the tables: creates the partitions of the coming weeks, drops partitions older than the
// retention, and deletes rows of small tables that are no longer needed.
import type { Directory } from "../directory/directory.ts";
import { keepChangesMinutes } from "../directory/opt-out-follower.ts";
import type { Database } from "../store/database.ts";
import { dropOldTexts, endCounting, firstText, type TextPlace } from "../store/account-usage.ts";
import { beginNextEra, forgetFormerWants } from "../store/wanted-events.ts";
import { dropOldCampaigns } from "../store/campaigns.ts";
import { dropOldLoginOrigins, dropOldSessions } from "../store/console-sessions.ts";
import { dropEventsOfGoneAccounts, eventGraceMs } from "../store/event-log.ts";
import {
  dropPartitionsBefore,
  ensurePartitions,
  indexClosedWeeks,
  listClosedMessageParts,
} from "../store/partitions.ts";
import { trimAttempts } from "../store/webhook-attempts.ts";
import { foldDelivery } from "../store/delivery-quality.ts";
import { dropOldRows } from "../store/old-rows.ts";
import { tryLockReports } from "../store/reports.ts";
import { keepRepliesSeconds } from "../store/inbound-replies.ts";
import { dropParkedBeyond } from "../store/kept-receipts.ts";
import type { Telemetry } from "../platform/telemetry.ts";

interface KeepTablesOptions {
  readonly db: Database;
  readonly directory: { readonly current: Pick<Directory, "retentionDays" | "eventDays"> };
  readonly idempotencyHours: number;
}

const daySeconds = 86_400;
/**
 * Receipts come within days. After a lost acknowledgement, the SMSC repeats a part within hours.
 */
const keepReceiptDays = 7;
/** No receipt comes later (store/receipts.ts). */
const keepRemovedDays = 10;
const keepHeldDays = 3;
const keepPartDays = 2;
const keepReferenceDays = 7;
const keepDraftDays = 30;
const keepAttemptDays = 7;
const eventsAtOnce = 2_000;
const textsAtOnce = 10_000;

/** Short transactions: a long one would hold back all who read the log. */
async function dropEventsOfGone(db: Database): Promise<void> {
  while ((await dropEventsOfGoneAccounts(db, eventsAtOnce)) === eventsAtOnce);
}

/** In small steps: a call that repeats a text waits for one that deletes it. */
async function dropTexts(db: Database): Promise<void> {
  let after: TextPlace | undefined = firstText;
  while (after !== undefined) after = await dropOldTexts(db, { after, limit: textsAtOnce });
}

export async function keepTables(
  { db, directory, idempotencyHours }: KeepTablesOptions,
  now: Date,
  signal?: AbortSignal,
): Promise<Record<string, number>> {
  const { retentionDays, eventDays } = directory.current;
  const oldest = new Date(now.getTime() - retentionDays * 24 * 3600 * 1000);
  const created = await ensurePartitions(db, now);
  const oldestEvent = new Date(now.getTime() - eventDays * 24 * 3600 * 1000 - eventGraceMs);
  const dropped = await dropPartitionsBefore(db, oldest, oldestEvent);
  await beginNextEra(db, { ifBehind: true });
  await forgetFormerWants(db);
  await dropEventsOfGone(db);
  await dropOldRows(db, "idempotencyKeys", idempotencyHours * 3600);
  await dropOldRows(db, "idleReferences", keepReferenceDays * daySeconds);
  await dropOldRows(db, "heldParts", keepHeldDays * daySeconds);
  await dropOldRows(db, "joinedParts", keepPartDays * daySeconds);
  await dropOldRows(db, "receivedMessages", retentionDays * daySeconds);
  await dropOldRows(db, "settledReplies", keepRepliesSeconds);
  await dropOldRows(db, "removedConnectors", keepRemovedDays * daySeconds);
  await dropOldLoginOrigins(db);
  await dropOldSessions(db);
  await dropOldRows(db, "auditEntries", retentionDays * daySeconds);
  await dropOldCampaigns(db, { draftDays: keepDraftDays, retentionDays });
  await dropOldRows(db, "nodeRuns", retentionDays * daySeconds);
  await dropOldRows(db, "optOutChanges", keepChangesMinutes * 60);
  await endCounting(db);
  await dropTexts(db);
  await dropOldRows(db, "webhookAttempts", keepAttemptDays * daySeconds);
  await trimAttempts(db);
  const receipts = await dropOldRows(db, "parkedReceipts", keepReceiptDays * daySeconds);
  const closed = await listClosedMessageParts(db, now);
  const indexed = await indexClosedWeeks(db, closed, signal);
  return { created: created.length, dropped: dropped.length, receipts, indexed: indexed.length };
}

interface LimitParkedOptions extends Pick<KeepTablesOptions, "db"> {
  readonly telemetry: Telemetry;
  readonly directory: { readonly current: Pick<Directory, "connectors"> };
  /** Parked receipts per connector. */
  readonly most?: number;
}

const mostParked = 1_000_000;
const parkedAtOnce = 10_000;

/**
 * Of the receipts of each connector that wait for their submission the newest stay, so that an SMSC
 * that invents receipts cannot fill the disk.
 */
export async function limitParkedReceipts({
  db,
  telemetry,
  directory,
  most = mostParked,
}: LimitParkedOptions): Promise<{ dropped: number }> {
  let total = 0;
  for (const { id: connectorId, name: connector } of directory.current.connectors) {
    let count = 0;
    for (let dropped = parkedAtOnce; dropped === parkedAtOnce; count += dropped)
      dropped = await dropParkedBeyond(db, { connectorId, newest: most, limit: parkedAtOnce });
    if (count > 0) telemetry.emit("receipt.dropped", { connector, count });
    total += count;
  }
  return { dropped: total };
}

/** The longest series of the console has 30 days. */
const keepMinuteDays = 31;
/** The delivery quality compares 30 days with those before. */
const keepDeliveryDays = 61;

/** Folds the delivery counts as they grow older, and drops what no page shows any more. */
export async function foldFigures({ db }: Pick<KeepTablesOptions, "db">): Promise<void> {
  await dropOldRows(db, "minutesOfFigures", keepMinuteDays * daySeconds);
  await db.transaction(async (tx) => {
    if (await tryLockReports(tx)) await foldDelivery(tx);
  });
  await dropOldRows(db, "deliveryCounts", keepDeliveryDays * daySeconds);
}
