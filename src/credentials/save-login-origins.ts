// Saves the addresses from which users logged in, and reads those that other nodes have saved, so
// that another node, or this one after a restart, knows them within seconds. Saves only addresses
// that are new or were saved an hour ago, so a busy service needs few statements.
import { PeriodicService } from "../platform/service.ts";
import type { Database } from "../store/database.ts";
import { listLoginOrigins, upsertLoginOrigins } from "../store/login-origins.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import type { LoginOrigins } from "./login-origins.ts";

const everyMs = 10_000;
/** Older logins are forgotten, so they are not read either. */
const keptSeconds = 24 * 3_600;
/** A slow transaction saves the time of its start, so each read overlaps the previous one. */
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
