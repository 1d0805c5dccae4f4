// Tells within this process what became of messages, for metrics and figures: the one place that
// does. Called when the change is committed. Customers read it in the log of events, which is
// written with the change (docs/decisions/0040).
import { messageStatus, reasonCode } from "../sms/message-status.ts";
import type { Ended } from "../store/progress.ts";
import type { Telemetry } from "../platform/telemetry.ts";

/** What answers and receipts brought about. */
export function reportProgress(telemetry: Telemetry, { sent, delivered, undelivered }: Ended): void {
  if (sent > 0) telemetry.emit("message.sent", { count: sent });
  if (delivered > 0) telemetry.emit("message.ended", { status: messageStatus.delivered, count: delivered });
  if (undelivered > 0) telemetry.emit("message.ended", { status: messageStatus.undelivered, count: undelivered });
}

/** They ended without having been sent. */
export function reportUnsent(telemetry: Telemetry, reason: number, count: number): void {
  if (count > 0) telemetry.emit("message.ended", { status: messageStatus.unsent, reason, count });
}

/** The same, by the reason of each. */
export function reportUnsentFor(telemetry: Telemetry, reasons: readonly number[]): void {
  for (const reason of new Set(reasons))
    reportUnsent(telemetry, reason, reasons.filter((each) => each === reason).length);
}

/** No receipt came in time: they stay sent. */
export function reportUnreported(telemetry: Telemetry, count: number): void {
  if (count > 0) telemetry.emit("message.ended", { status: messageStatus.sent, reason: reasonCode.noReceipt, count });
}
