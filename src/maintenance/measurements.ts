// What the metrics say of the queue, of the readers of the event log, and of falling delivery.
import type { Database, Queryable } from "../store/database.ts";
import { measureLogHolder } from "../store/event-log.ts";
import { measureQueue } from "../store/queue-times.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { countRows } from "../store/figures.ts";
import { fallOf, type NamedFall, sumOf } from "../sms/delivery-quality.ts";
import { listDelivery } from "../store/delivery-quality.ts";

interface MeasureOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
}

export async function measureQueueDepth({ db, telemetry }: MeasureOptions): Promise<void> {
  telemetry.emit("queue.depth", await measureQueue(db));
}

/**
 * How far the readers of the event log are behind because of a transaction that somebody holds
 * open, and how many requests to endpoints wait to be tried again. The age of a transaction counts
 * from the first measurement at which it was the oldest, because that of other roles may be hidden.
 */
export class EventsBehind {
  readonly #options: { readonly db: Queryable; readonly telemetry: Telemetry };
  #seen: { readonly oldest: bigint | null; readonly at: number } | undefined;

  constructor(options: { readonly db: Queryable; readonly telemetry: Telemetry }) {
    this.#options = options;
  }

  async measure(): Promise<void> {
    const { db, telemetry } = this.#options;
    telemetry.emit("events.behind", { seconds: this.secondsOf(await measureLogHolder(db), performance.now()) });
    telemetry.emit("webhook.waiting", { count: await countRows(db, "webhookRetries") });
  }

  /** `at`: milliseconds of a monotonic clock. `oldest`: null where none is open. */
  secondsOf(oldest: bigint | null, at: number): number {
    if (this.#seen?.oldest !== oldest) this.#seen = { oldest, at };
    return oldest === null ? 0 : (at - this.#seen.at) / 1000;
  }
}

const hourMs = 3_600_000;
/** The week before, the day but for its last hour, that hour: where they begin, and the end. */
const hoursAgo = [8 * 24, 24, 1, 0];

/** Where an operator fails, so do all lines: the first say it. */
const mostFalls = 20;

export async function measureDeliveryFalls({ db, telemetry }: MeasureOptions): Promise<void> {
  const now = Date.now();
  const bounds = hoursAgo.map((hours) => new Date(now - hours * hourMs));
  const falls: NamedFall[] = [];
  for (const by of ["connector", "operator", "line"] as const) {
    for (const { name, spans } of await listDelivery(db, { by, bounds })) {
      const [weekBefore, restOfDay, hour] = spans;
      if (name === null || !weekBefore || !restOfDay || !hour) continue;
      const fall = fallOf([hour, sumOf([hour, restOfDay])], weekBefore);
      if (fall) falls.push({ by, name, ...fall });
    }
  }
  telemetry.emit("delivery.measured", { falls: falls.slice(0, mostFalls) });
}
