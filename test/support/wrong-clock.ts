// A wall clock that is years off, as that of a node without a time server may be.
import { vi } from "vitest";
import type { Database } from "../../src/store/database.ts";
import { readDatabaseTime } from "../../src/store/partitions.ts";
import { uuidv7Time } from "../../src/platform/uuid.ts";

const dayMs = 24 * 3_600_000;

/**
 * The wall clock of this process stands that many days ahead, or behind, until vi.useRealTimers.
 * The database's time is known before, as on a node that has its lease.
 */
export async function setClockWrong(db: Database, { days }: { readonly days: number }): Promise<void> {
  const askedAt = performance.now();
  db.clock.heard(await readDatabaseTime(db), askedAt);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + days * dayMs });
}

/** Whether the id has the time of the database to within a minute. */
export async function isIdOfNow(db: Database, id: string): Promise<boolean> {
  return Math.abs(uuidv7Time(id) - (await readDatabaseTime(db)).getTime()) < 60_000;
}
