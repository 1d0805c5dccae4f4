// Measures how far the readers of the event log are behind because of a transaction that somebody
// holds open, and how many requests to endpoints wait to be tried again.
import { PeriodicService } from "../platform/service.ts";
import type { Queryable } from "../store/database.ts";
import { type LogHolder, measureLogHolder } from "../store/event-log.ts";
import { countRetries } from "../store/webhook-deliveries.ts";
import type { Telemetry } from "../platform/telemetry.ts";

const everyMs = 10_000;

export interface MeasureEventsBehindOptions {
  readonly db: Queryable;
  readonly telemetry: Telemetry;
}

export function measureEventsBehind({ db, telemetry }: MeasureEventsBehindOptions): PeriodicService {
  const behind = new EventsBehind();
  return new PeriodicService({
    name: "measure-events-behind",
    everyMs,
    telemetry,
    runOnce: async () => {
      const seconds = behind.secondsOf(await measureLogHolder(db), performance.now());
      telemetry.emit("events.behind", { seconds });
      telemetry.emit("webhook.waiting", { count: await countRetries(db) });
      return {};
    },
  });
}

/**
 * The age of transactions of other roles may be hidden: then it counts from the first look at which
 * this one was the oldest.
 */
export class EventsBehind {
  #seen: { readonly oldest: bigint; readonly at: number } | undefined;

  /** `at`: milliseconds of a monotonic clock. */
  secondsOf({ oldest, isHeld, seconds }: LogHolder, at: number): number {
    if (!isHeld) {
      this.#seen = undefined;
      return 0;
    }
    if (this.#seen?.oldest !== oldest) this.#seen = { oldest, at };
    return Math.max(seconds ?? 0, (at - this.#seen.at) / 1000);
  }
}
