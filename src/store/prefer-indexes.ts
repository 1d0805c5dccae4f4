// Reads by indexes where statistics are missing or mislead: the planner would rather read
// everything.
import type { Queryable } from "./database.ts";

/** For the rest of the transaction. If that is pipelined, the next statements need not wait. */
export async function preferIndexes(tx: Queryable): Promise<void> {
  await tx.query({ name: "preferIndexes", text: "/* preferIndexes */ set local enable_seqscan = off", values: [] });
}

/**
 * For the rest of the transaction, each statement is planned once for all values. Otherwise
 * PostgreSQL plans it again each time, as long as it expects a plan for known values to be cheaper.
 * Planning a large statement may take as long as running it.
 */
export async function planOnce(tx: Queryable): Promise<void> {
  await tx.query({
    name: "planOnce",
    text: "/* planOnce */ set local plan_cache_mode = force_generic_plan",
    values: [],
  });
}

/**
 * For the rest of the transaction: rows are read in an index's order and no more than are asked
 * for, not all of them first and then sorted.
 */
export async function preferIndexOrder(tx: Queryable): Promise<void> {
  await tx.query({ name: "preferIndexOrder", text: "/* preferIndexOrder */ set local enable_sort = off", values: [] });
}

/** Ends `preferIndexOrder` where statements of another kind follow in the transaction. */
export async function sortAgain(tx: Queryable): Promise<void> {
  await tx.query({ name: "sortAgain", text: "/* sortAgain */ set local enable_sort = on", values: [] });
}
