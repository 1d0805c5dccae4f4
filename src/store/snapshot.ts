// Makes a transaction read everything as of one instant.
import type { Queryable } from "./database.ts";

/** Must be the first statement of the transaction, which can then only read. */
export async function readAsOfNow(tx: Queryable): Promise<void> {
  await tx.query({
    name: "readAsOfNow",
    text: "/* readAsOfNow */ set transaction isolation level repeatable read, read only",
    values: [],
  });
}
