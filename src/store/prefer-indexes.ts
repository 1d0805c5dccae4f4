// Reads by indexes where statistics are missing: the planner would rather read everything.
import type { Queryable } from "./database.ts";

/** For the rest of the transaction. If that is pipelined, the next statements need not wait. */
export async function preferIndexes(tx: Queryable): Promise<void> {
  await tx.query({ name: "preferIndexes", text: "/* preferIndexes */ set local enable_seqscan = off", values: [] });
}
