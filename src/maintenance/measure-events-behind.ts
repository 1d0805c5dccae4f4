// Measures how far the readers of the event log are behind because of a transaction that somebody
// holds open. The age of transactions of other roles may be hidden: then it counts from the first
// look at which this one was the oldest.
import { PeriodicService } from "../service.ts";
import type { Queryable } from "../store/database.ts";
import { measureLogHolder } from "../store/events-behind.ts";
import type { Telemetry } from "../telemetry.ts";

const everyMs = 10_000;

export interface MeasureEventsBehindOptions {
  readonly db: Queryable;
  readonly telemetry: Telemetry;
}

export function measureEventsBehind({ db, telemetry }: MeasureEventsBehindOptions): PeriodicService {
  const behind = new EventsBehind(db);
  return new PeriodicService({
    name: "measure-events-behind",
    everyMs,
    telemetry,
    runOnce: async () => {
      telemetry.emit("events.behind", { source: "log", seconds: await behind.look() });
      return {};
    },
  });
}

export class EventsBehind {
  readonly #db: Queryable;
  readonly #now: () => number;
  #seen: { readonly oldest: bigint; readonly at: number } | undefined;

  /** `now`: milliseconds of a monotonic clock. */
  constructor(db: Queryable, now: () => number = () => performance.now()) {
    this.#db = db;
    this.#now = now;
  }

  /** Seconds. */
  async look(): Promise<number> {
    const { oldest, isHeld, seconds } = await measureLogHolder(this.#db);
    const at = this.#now();
    if (!isHeld) {
      this.#seen = undefined;
      return 0;
    }
    if (this.#seen?.oldest !== oldest) this.#seen = { oldest, at };
    return Math.max(seconds ?? 0, (at - this.#seen.at) / 1000);
  }
}
