// Which API keys were used of late. A call only notes its key here; the database hears of all of
// them together, once a minute. A node that ends forgets the last minute.
import { PeriodicService } from "../platform/service.ts";
import { noteApiKeyUse } from "../store/api-keys.ts";
import type { Database } from "../store/database.ts";
import type { Telemetry } from "../platform/telemetry.ts";

export class KeyUses {
  /** By hash. Only keys that are known get here, so there are no more than those. */
  #used = new Set<string>();

  note(sha256Hex: string): void {
    this.#used.add(sha256Hex);
  }

  /** Those since the last call. */
  take(): readonly string[] {
    const used = [...this.#used];
    this.#used = new Set();
    return used;
  }
}

const everyMs = 60_000;

export function saveKeyUses({
  database,
  uses,
  telemetry,
}: {
  readonly database: Database;
  readonly uses: KeyUses;
  readonly telemetry: Telemetry;
}): PeriodicService {
  return new PeriodicService({
    name: "key-uses",
    everyMs,
    firstAfterMs: everyMs,
    telemetry,
    runOnce: async () => {
      const used = uses.take();
      try {
        if (used.length > 0) await noteApiKeyUse(database, used);
      } catch (error) {
        for (const key of used) uses.note(key);
        throw error;
      }
      return { used: used.length };
    },
  });
}
