// Partitions as the gateway of an earlier schema made them, of the tables that it had.
import type { Database } from "../../src/store/database.ts";
import { weekName, weekStart } from "../../src/store/partitions.ts";
import { uuidFloor } from "../../src/platform/uuid.ts";
import { statement } from "./database.ts";

const weekMs = 7 * 24 * 3600 * 1000;
const byId = (time: number): string => uuidFloor(time);
const byTime = (time: number): string => new Date(time).toISOString();
/** Of the first schema. */
const tables = { message: byId, ledger_entry: byId, submission: byTime };

/** The default ones and this week's. */
export async function makeFormerPartitions(db: Database): Promise<void> {
  const monday = weekStart(new Date());
  for (const [table, bound] of Object.entries(tables)) {
    const [from, to] = [bound(monday.getTime()), bound(monday.getTime() + weekMs)];
    await db.query(statement(`create table ${table}_default partition of ${table} default`));
    await db.query(
      statement(
        `create table ${table}_${weekName(monday)} partition of ${table} for values from ('${from}') to ('${to}')`,
      ),
    );
  }
}
