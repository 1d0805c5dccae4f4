// How to look at what goes on: again and again until something holds, and by numbers of the
// database.
import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "../src/store/database.ts";

/** Whether it holds within that time. */
export async function holdsWithin(
  deadlineMs: number,
  holds: () => boolean | Promise<boolean>,
  pollMs = 100,
): Promise<boolean> {
  const until = performance.now() + deadlineMs;
  while (!(await holds())) {
    if (performance.now() > until) return false;
    await delay(pollMs);
  }
  return true;
}

/** What a statement that answers one number answers. */
export async function numberFrom(db: Database, text: string, values: readonly unknown[] = []): Promise<number> {
  const [row] = await db.query<{ number: number }>("", `select (${text})::int as number`, values);
  return row?.number ?? 0;
}
