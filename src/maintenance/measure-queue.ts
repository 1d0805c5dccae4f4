// Counts what waits in the queue, and for how long, for the metrics.
import { PeriodicService } from "../platform/service.ts";
import { measureOldestWaiting } from "../store/attention.ts";
import type { Database } from "../store/database.ts";
import { measureQueue } from "../store/queue-times.ts";
import type { Telemetry } from "../platform/telemetry.ts";

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
