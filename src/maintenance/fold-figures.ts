// Folds the minutes of the figures into hours when they are two days old, and drops hours after the
// retention.
import type { Directory } from "../directory/directory.ts";
import { PeriodicService } from "../platform/service.ts";
import type { Database } from "../store/database.ts";
import { dropOldHours, foldMinutes } from "../store/figures.ts";
import type { Telemetry } from "../platform/telemetry.ts";

const everyMs = 10 * 60_000;
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
