import { beforeEach, expect, it } from "vitest";
import { foldFigures } from "../../src/maintenance/keep-tables.ts";
import type { Database } from "../../src/store/database.ts";
import { createTestDatabase, statement } from "../support/database.ts";

let db: Database;
beforeEach(async () => {
  ({ db } = await createTestDatabase());
});

function fold(retentionDays: number): Promise<unknown> {
  return foldFigures({ db, directory: { current: { retentionDays } } });
}

/** Inserts rows of so many hours ago each, with that number as what was accepted. */
async function insertAged(table: "hour" | "minute", ages: readonly number[]): Promise<void> {
  const ofNode = table === "minute" ? ["process_id, ", "gen_random_uuid(), "] : ["", ""];
  await db.query(
    statement(
      `insert into figures_of_${table} (at, ${ofNode[0]}accepted, sent, delivered, undelivered, unsent, taken, refused, throttled, unanswered,
                                        answers, median_ms, slow_ms)
       select now() - make_interval(hours => a), ${ofNode[1]}a, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 from unnest($1::int[]) a`,
      [ages],
    ),
  );
}

async function agesIn(table: "hour" | "minute"): Promise<readonly number[]> {
  const rows = await db.query<{ age: number }>(
    statement(`select accepted::int as age from figures_of_${table} order by 1`),
  );
  return rows.map(({ age }) => age);
}

it("keeps hours for as many days as messages are kept, and no longer", async () => {
  await insertAged("hour", [1, 6 * 24, 7 * 24 - 1, 7 * 24 + 1, 30 * 24]);
  await fold(7);
  expect(await agesIn("hour")).toEqual([1, 144, 167]);
  await fold(6);
  expect(await agesIn("hour")).toEqual([1]);
});

it("keeps minutes for 48 hours, and their sums as hours after that", async () => {
  await insertAged("minute", [1, 47, 50, 60]);
  await fold(7);
  expect(await agesIn("minute")).toEqual([1, 47]);
  expect(await agesIn("hour")).toEqual([50, 60]);
});
