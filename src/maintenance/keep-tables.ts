// Maintains the tables: creates the partitions of the coming weeks, drops partitions older than the
// retention, and deletes rows of small tables that are no longer needed.
import type { Directory } from "../directory/directory.ts";
import { keepChangesMinutes } from "../directory/opt-out-follower.ts";
import { PeriodicService } from "../platform/service.ts";
import type { Database } from "../store/database.ts";
import { dropOldTexts, endCounting, firstText, type TextPlace } from "../store/account-usage.ts";
import { forgetFormerWants } from "../store/wanted-events.ts";
import { dropOldIdempotencyKeys } from "../store/idempotency-keys.ts";
import { dropOldAuditEntries } from "../store/audit.ts";
import { dropOldCampaigns } from "../store/campaigns.ts";
import { dropIdleReferences } from "../store/concatenation-references.ts";
import { dropOldSessions } from "../store/console-sessions.ts";
import { dropEventsOfGoneAccounts, eventGraceMs } from "../store/event-log.ts";
import { beginNextEraIfBehind } from "../store/log-era.ts";
import { dropJoinedParts, dropOldInboundMessages } from "../store/inbound.ts";
import { dropOldReplies } from "../store/inbound-replies.ts";
import { dropOldNodeRuns } from "../store/nodes.ts";
import { dropOldLoginOrigins } from "../store/login-origins.ts";
import { dropOldOptOutChanges } from "../store/opt-outs.ts";
import { dropSettledHeld } from "../store/outcomes.ts";
import {
  dropPartitionsBefore,
  ensurePartitions,
  listClosedMessageParts,
  readDatabaseTime,
} from "../store/partitions.ts";
import { indexClosedWeeks } from "../store/background-indexes.ts";
import { dropForgottenConnectors, dropOldParkedReceipts } from "../store/receipts.ts";
import { dropOldAttempts, trimAttempts } from "../store/webhook-attempts.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { dropOldHours, foldMinutes } from "../store/figures.ts";

export interface KeepTablesOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly directory: { readonly current: Directory };
  readonly idempotencyHours: number;
}

const everyMs = 10 * 60_000;
/**
 * Receipts come within days. After a lost acknowledgement, the SMSC repeats a part within hours.
 */
const keepReceiptHours = 7 * 24;
const keepHeldHours = 72;
const keepPartHours = 48;
const keepReferenceDays = 7;
const keepDraftDays = 30;
const eventsAtOnce = 2_000;
const textsAtOnce = 10_000;

export function keepTables(options: KeepTablesOptions): PeriodicService {
  return new PeriodicService({
    name: "keep-tables",
    everyMs,
    runOnce: async (signal) => keepTablesOnce(options, await readDatabaseTime(options.db), signal),
    telemetry: options.telemetry,
  });
}

/** Short transactions: a long one would hold back all who read the log. */
async function dropEventsOfGone(db: Database): Promise<void> {
  while ((await dropEventsOfGoneAccounts(db, eventsAtOnce)) === eventsAtOnce);
}

/** In small steps: a call that repeats a text waits for one that deletes it. */
async function dropTexts(db: Database): Promise<void> {
  let after: TextPlace | undefined = firstText;
  while (after !== undefined) after = await dropOldTexts(db, { after, limit: textsAtOnce });
}

export async function keepTablesOnce(
  { db, directory, idempotencyHours }: KeepTablesOptions,
  now: Date,
  signal?: AbortSignal,
): Promise<Record<string, number>> {
  const { retentionDays, eventDays } = directory.current;
  const oldest = new Date(now.getTime() - retentionDays * 24 * 3600 * 1000);
  const created = await ensurePartitions(db, now);
  const oldestEvent = new Date(now.getTime() - eventDays * 24 * 3600 * 1000 - eventGraceMs);
  const dropped = await dropPartitionsBefore(db, oldest, oldestEvent);
  await beginNextEraIfBehind(db);
  await forgetFormerWants(db);
  await dropEventsOfGone(db);
  await dropOldIdempotencyKeys(db, idempotencyHours);
  await dropIdleReferences(db, keepReferenceDays);
  await dropSettledHeld(db, keepHeldHours);
  await dropJoinedParts(db, keepPartHours);
  await dropOldInboundMessages(db, retentionDays);
  await dropOldReplies(db);
  await dropForgottenConnectors(db);
  await dropOldLoginOrigins(db);
  await dropOldSessions(db);
  await dropOldAuditEntries(db, retentionDays);
  await dropOldCampaigns(db, { draftDays: keepDraftDays, retentionDays });
  await dropOldNodeRuns(db, retentionDays);
  await dropOldOptOutChanges(db, keepChangesMinutes);
  await endCounting(db);
  await dropTexts(db);
  await dropOldAttempts(db, now);
  await trimAttempts(db);
  const receipts = await dropOldParkedReceipts(db, keepReceiptHours);
  const closed = await listClosedMessageParts(db, now);
  const indexed = await indexClosedWeeks(db, closed, signal);
  return { created: created.length, dropped: dropped.length, receipts, indexed: indexed.length };
}

// Folds the minutes of the figures into hours when they are two days old, and drops hours after the
// retention.

const keepHours = 48;
const minutesAtOnce = 5_000;

export function foldFigures(options: {
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly directory: { readonly current: Pick<Directory, "retentionDays"> };
}): PeriodicService {
  const { db, telemetry, directory } = options;
  return new PeriodicService({
    name: "fold-figures",
    everyMs,
    telemetry,
    runOnce: async () => {
      let folded = 0;
      for (let some = minutesAtOnce; some === minutesAtOnce; folded += some) {
        some = await foldMinutes(db, { keepHours, limit: minutesAtOnce });
      }
      await dropOldHours(db, directory.current.retentionDays);
      return { folded };
    },
  });
}
