// Writes down from where users logged in, and reads what other nodes have written: a restart or another node knows it within
// seconds. Writes only what is new or an hour old, so that a busy service costs a statement now and then.
import { PeriodicService } from "../service.ts";
import type { Database } from "../store/database.ts";
import { listLoginOrigins, upsertLoginOrigins } from "../store/login-origins.ts";
import type { Telemetry } from "../telemetry.ts";
import type { LoginOrigins } from "./login-origins.ts";

const everyMs = 10_000;
/** What is forgotten is read no more. */
const keptSeconds = 24 * 3_600;
/** A statement that took long to commit wrote the time of its beginning. */
const overlapSeconds = 60;

export interface SaveLoginOriginsOptions {
  readonly database: Database;
  readonly origins: LoginOrigins;
  readonly telemetry: Telemetry;
}

export function saveLoginOrigins({ database, origins, telemetry }: SaveLoginOriginsOptions): PeriodicService {
  let readAt: number | undefined;
  return new PeriodicService({
    name: "login-origins",
    everyMs,
    telemetry,
    runOnce: async () => {
      const unsaved = origins.unsaved();
      if (unsaved.length > 0) await upsertLoginOrigins(database, unsaved);
      origins.saved(unsaved);
      const begunAt = performance.now();
      const sinceSeconds = readAt === undefined ? keptSeconds : (begunAt - readAt) / 1000 + overlapSeconds;
      const rows = await listLoginOrigins(database, Math.min(sinceSeconds, keptSeconds));
      for (const { userId, addressHash, ageSeconds } of rows) origins.learn(userId, addressHash, ageSeconds * 1000);
      readAt = begunAt;
      return { saved: unsaved.length, read: rows.length };
    },
  });
}
