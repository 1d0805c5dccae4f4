// Asks the database once a second, by one statement, which services of this node have something to
// do, and wakes them. A node that has nothing to do so asks one question instead of one for each.
import { PeriodicService, type Service } from "../platform/service.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import type { Queryable } from "../store/database.ts";
import { readDueWork } from "../store/due-work.ts";

/** What another node stored is found so soon, if its notification was lost. */
export const lookEveryMs = 1000;

export interface DueWorkOptions {
  readonly db: Queryable;
  readonly telemetry: Telemetry;
  readonly services: readonly Service[];
}

export function watchDueWork({ db, telemetry, services }: DueWorkOptions): PeriodicService {
  return new PeriodicService({
    ...{ name: "due-work", everyMs: lookEveryMs, telemetry },
    runOnce: async () => {
      const due = await readDueWork(db);
      for (const service of services) {
        const inMs = due[service.name] ?? Infinity;
        if (inMs <= lookEveryMs) service.wake?.(inMs);
      }
    },
  });
}
