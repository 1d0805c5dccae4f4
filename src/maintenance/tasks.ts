// The background tasks of a node that dispatches. Each can safely run on all nodes at once.
import type { DirectoryService } from "../directory/directory-service.ts";
import { PeriodicService, type PeriodicServiceOptions } from "../platform/service.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import type { Database } from "../store/database.ts";
import { readDatabaseTime } from "../store/partitions.ts";
import { AssignReceived } from "./assign-received.ts";
import { ReportBuilder } from "./build-reports.ts";
import { TextEraser } from "./erase-texts.ts";
import { endUnreportedMessages, expireWaiting } from "./expire-waiting.ts";
import { KeepSendingHours, releaseDueMessages, releaseWaitingForReferences, RerouteWaiting } from "./move-waiting.ts";
import { foldFigures, keepTables, limitParkedReceipts } from "./keep-tables.ts";
import { EventsBehind, measureDeliveryFalls, measureQueueDepth } from "./measurements.ts";
import { type RecoverClaimsOptions, recoverClaims } from "./recover-claims.ts";

export interface TaskOptions extends Pick<RecoverClaimsOptions, "membership" | "alone" | "outcomesFlushed"> {
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly directory: DirectoryService;
  readonly idempotencyHours: number;
  /** Something in the queue may be due now. */
  readonly announceDue: (due: { readonly urgent: boolean }) => void;
  readonly receipts: { applyParked(): Promise<number> };
  readonly inbound: { deliverIncomplete(): Promise<number> };
}

const second = 1000;
const minute = 60 * second;

export function maintenanceTasks(options: TaskOptions): PeriodicService[] {
  const { db, telemetry, directory, announceDue, receipts, inbound } = options;
  const queued = { ...options, onQueued: () => announceDue({ urgent: false }) };
  const assignReceived = new AssignReceived(options);
  const reports = new ReportBuilder({ ...options, timeZone: () => directory.current.timeZone });
  const eraser = new TextEraser(options);
  const rerouteWaiting = new RerouteWaiting(options);
  const eventsBehind = new EventsBehind(options);
  // A rest of so many times the length of a round bounds the load: 10 is a tenth of one core.
  const tasks: readonly Omit<PeriodicServiceOptions, "telemetry">[] = [
    { name: "recover-claims", onDemand: true, everyMs: 2 * second, runOnce: () => recoverClaims(queued) },
    { name: "release-due", onDemand: true, everyMs: 100, runOnce: (signal) => releaseDueMessages(options, signal) },
    // Reads the whole queue.
    { name: "expire-waiting", everyMs: 3 * second, restFactor: 10, runOnce: () => expireWaiting(options) },
    // A phone with all references in use costs one lookup per reference.
    {
      name: "release-held-back",
      onDemand: true,
      everyMs: 2 * second,
      restFactor: 10,
      runOnce: () => releaseWaitingForReferences(options),
    },
    { name: "reroute-waiting", everyMs: 2 * second, restFactor: 10, runOnce: () => rerouteWaiting.run() },
    { name: "end-unreported", everyMs: minute, runOnce: () => endUnreportedMessages(options) },
    { name: "erase-texts", everyMs: 10 * second, runOnce: (signal) => eraser.run(signal) },
    // Many recipients may never match a line, and each round reads them all.
    {
      name: "assign-received",
      onDemand: true,
      everyMs: 2 * second,
      restFactor: 100,
      runOnce: () => assignReceived.run(),
    },
    {
      name: "keep-tables",
      everyMs: 10 * minute,
      runOnce: async (signal) => keepTables(options, await readDatabaseTime(db), signal),
    },
    { name: "fold-figures", everyMs: 10 * minute, runOnce: () => foldFigures(options) },
    { name: "build-reports", everyMs: 15 * second, restFactor: 3, runOnce: (signal) => reports.run(signal) },
    {
      name: "apply-late-receipts",
      onDemand: true,
      everyMs: 2 * second,
      runOnce: async () => ({ applied: await receipts.applyParked() }),
    },
    { name: "limit-parked-receipts", everyMs: minute, runOnce: () => limitParkedReceipts(options) },
    {
      name: "deliver-incomplete",
      everyMs: minute,
      runOnce: async () => ({ joined: await inbound.deliverIncomplete() }),
    },
    { name: "measure-events-behind", everyMs: 10 * second, runOnce: () => eventsBehind.measure() },
    // Counting reads the whole queue.
    { name: "measure-queue", everyMs: 5 * second, restFactor: 100, runOnce: () => measureQueueDepth(options) },
    { name: "measure-delivery", everyMs: 5 * minute, restFactor: 100, runOnce: () => measureDeliveryFalls(options) },
  ];
  return [keepSendingHours(options, queued), ...tasks.map((task) => new PeriodicService({ ...task, telemetry }))];
}

function keepSendingHours(
  { telemetry, directory }: TaskOptions,
  queued: ConstructorParameters<typeof KeepSendingHours>[0],
): PeriodicService {
  const sendingHours = new KeepSendingHours(queued);
  const service = new PeriodicService({
    ...{ name: "keep-sending-hours", onDemand: true, everyMs: 2 * second, telemetry },
    runOnce: (signal) => sendingHours.run(signal),
  });
  // Changed hours give waiting messages other times. They may also have changed while no node ran.
  service.wake();
  directory.onChange(() => service.wake());
  return service;
}
