// Finds the messages to a number in all stretches of time.
import type { Database } from "../../src/store/database.ts";
import { listStretches } from "../../src/store/messages-to-number.ts";
import { findMessagesTo, type FoundMessage } from "../../src/store/staff-lookups.ts";
import { latestUuidMs, uuidCeiling } from "../../src/uuid.ts";

/** The newest first; of each stretch up to the limit. */
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
  for (const stretch of await listStretches(db, { fromMs, before })) {
    found.push(...(await db.transaction((tx) => findMessagesTo(tx, { recipient, stretch, limit }))));
  }
  return found;
}
