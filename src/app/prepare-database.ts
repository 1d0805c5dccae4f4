// What happens to the database before a node works with it: the start waits for it, and brings it
// up to date.
import { setTimeout as delay } from "node:timers/promises";
import type { Config } from "../platform/config.ts";
import { ensureTokenKey } from "../credentials/access-token.ts";
import { seedOperators } from "../setup/save-setup.ts";
import { DatabaseUnavailable } from "../store/database-errors.ts";
import type { Database } from "../store/database.ts";
import { migrate } from "../store/migrate.ts";
import { ensurePartitions, readDatabaseTime } from "../store/partitions.ts";
import { checkRoleSettings } from "../store/transaction-settings.ts";

export interface WaitOptions {
  readonly progress?: (line: string) => void;
  /** Ends the wait for an unreachable database; the start then throws. */
  readonly abort?: AbortSignal;
}

const reachEveryMs = 500;

/** What happens once before nodes start: waits for the database, and brings it up to date. */
export async function prepareDatabase(
  options: WaitOptions & { readonly config: Pick<Config, "tokenLifetimeSeconds">; readonly db: Database },
): Promise<void> {
  const { config, db } = options;
  await untilReachable(db, options);
  await migrate(db, options.progress ? { progress: options.progress } : {});
  if (db.isPooled) await checkRoleSettings(db);
  await ensurePartitions(db, await readDatabaseTime(db));
  await ensureTokenKey({ database: db, tokenLifetimeSeconds: config.tokenLifetimeSeconds });
  await seedOperators(db);
}

/** The start waits for an unreachable database, as a running gateway does. */
export async function untilReachable(db: Database, { progress, abort }: WaitOptions): Promise<void> {
  const aborted = new Promise<never>((_, reject) => {
    const fail = (): void => reject(new Error("stopped while waiting for the database"));
    if (abort?.aborted === true) fail();
    else abort?.addEventListener("abort", fail, { once: true });
  });
  for (let attempt = 1; ; attempt += 1) {
    try {
      // A server that does not answer at all delays the abort by up to the connection timeout.
      await Promise.race([db.ping(), aborted]);
      return;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      if (attempt === 1) progress?.(`waiting for the database: ${error.message}`);
      await Promise.race([delay(reachEveryMs), aborted]);
    }
  }
}
