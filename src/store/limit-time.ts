// Ends what a transaction asks for when it takes too long, whatever the session allows otherwise.
import type { Queryable } from "./database.ts";

/** For each statement that follows in the transaction. */
export async function limitTime(tx: Queryable, milliseconds: number): Promise<void> {
  await tx.query({
    name: "limitTime",
    text: `/* limitTime */ select set_config('statement_timeout', $1::text, true)`,
    values: [String(milliseconds)],
  });
}
