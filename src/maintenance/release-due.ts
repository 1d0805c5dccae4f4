// Makes messages claimable whose time has come: scheduled ones, and those that an operator turned
// away for a while. What is not due stands apart in the queue; this moves it, in steps.
import { PeriodicService } from "../platform/service.ts";
import type { Database } from "../store/database.ts";
import { releaseDue } from "../store/queue-times.ts";
import type { Telemetry } from "../platform/telemetry.ts";

export interface ReleaseDueOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly onReleased: (due: { readonly urgent: boolean }) => void;
}

const everyMs = 250;
const batch = 1000;

export function releaseDueMessages(options: ReleaseDueOptions): PeriodicService {
  return new PeriodicService({
    name: "release-due",
    everyMs,
    runOnce: (signal) => releaseDueOnce(options, signal),
    telemetry: options.telemetry,
  });
}

/** Until nothing more is due. What is released can be sent while the rest is. */
export async function releaseDueOnce(
  { db, onReleased }: Pick<ReleaseDueOptions, "db" | "onReleased">,
  signal?: AbortSignal,
): Promise<{ released: number }> {
  let released = 0;
  for (;;) {
    const { count, isUrgent } = await releaseDue(db, batch);
    if (count > 0) onReleased({ urgent: isUrgent });
    released += count;
    if (count < batch || signal?.aborted === true) return { released };
  }
}
