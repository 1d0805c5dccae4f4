// Looks for connectors, operators and lines whose share delivered fell: in the last hour, or in the
// last day, against the week before that day.
import type { Telemetry } from "../platform/telemetry.ts";
import { fallOf, type NamedFall, sumOf } from "../sms/delivery-quality.ts";
import type { Queryable } from "../store/database.ts";
import { listDelivery } from "../store/delivery-quality.ts";

const hourMs = 3_600_000;
/** The week before, the day but for its last hour, that hour: where they begin, and the end. */
const hoursAgo = [8 * 24, 24, 1, 0];

/** Where an operator fails, so do all lines: the first say it. */
const mostFalls = 20;

interface MeasureOptions {
  readonly db: Queryable;
  readonly telemetry: Telemetry;
}

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
