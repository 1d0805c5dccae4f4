// Finds the messages to a number in all ranges of time, also while the weeks change.
import pg from "pg";
import type { Database } from "../../src/store/database.ts";
import { listRanges } from "../../src/store/message-reads.ts";
import { findMessagesTo, type FoundMessage } from "../../src/store/staff-lookups.ts";
import { latestUuidMs, uuidCeiling } from "../../src/platform/uuid.ts";
import { eventually } from "./factories.ts";

/** The newest first; of each range up to the limit. */
export async function findAll(
  db: Database,
  {
    recipient,
    fromMs = 0,
    before = uuidCeiling(latestUuidMs),
    limit = 100,
  }: {
    readonly recipient: string;
    readonly fromMs?: number;
    readonly before?: string;
    readonly limit?: number;
  },
): Promise<readonly FoundMessage[]> {
  const found: FoundMessage[] = [];
  for (const range of await listRanges(db, { fromMs, before })) {
    found.push(...(await db.transaction((tx) => findMessagesTo(tx, { recipient, range, limit }))));
  }
  return found;
}

// Not of pg_stat_activity, which stays the same within a transaction.
const waiting =
  "select from pg_locks l join pg_database d on d.oid = l.database where not l.granted and d.datname = current_database()";

/**
 * Does the works while another session makes a change that they wait for. Each begins when those
 * before wait, so they go on in their order. Answers what the last one answers.
 */
export async function amid(
  url: string,
  change: string,
  ...works: readonly (() => Promise<unknown>)[]
): Promise<unknown> {
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  try {
    await other.query("begin");
    await other.query(change);
    const begun: Promise<unknown>[] = [];
    for (const work of works) {
      begun.push(work());
      await eventually(async () => (await other.query(waiting)).rowCount === begun.length);
    }
    await other.query("commit");
    return (await Promise.all(begun)).at(-1);
  } finally {
    await other.end();
  }
}
