// Counts what waits in the queue, and for how long, for the metrics.
import { PeriodicService } from "../platform/service.ts";
import { countRows, measureOldestWaiting } from "../store/attention.ts";
import type { Database, Queryable } from "../store/database.ts";
import { measureQueue } from "../store/queue-times.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { type LogHolder, measureLogHolder } from "../store/event-log.ts";

const everyMs = 10_000;
/**
 * Counting reads the whole queue, so its load is limited to 1 % of one core: the more waits, the
 * rarer it is counted.
 */
const restFactor = 100;

export interface MeasureQueueOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
}

export function measureQueueDepth({ db, telemetry }: MeasureQueueOptions): PeriodicService {
  return new PeriodicService({
    ...{ name: "measure-queue", everyMs, restFactor, telemetry },
    runOnce: async () => {
      const depth = await measureQueue(db);
      telemetry.emit("queue.depth", depth);
      return { ...depth };
    },
  });
}

export function measureQueueAge({ db, telemetry }: MeasureQueueOptions): PeriodicService {
  return new PeriodicService({
    ...{ name: "measure-queue-age", everyMs, telemetry },
    runOnce: async () => {
      const { codeSeconds, otherSeconds } = await measureOldestWaiting(db);
      telemetry.emit("queue.age", { oldestSeconds: Math.max(codeSeconds, otherSeconds) });
    },
  });
}

// Measures how far the readers of the event log are behind because of a transaction that somebody
// holds open, and how many requests to endpoints wait to be tried again.

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
      telemetry.emit("webhook.waiting", { count: await countRows(db, "webhookRetries") });
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
