import { expect, it } from "vitest";
import { foldFigures } from "../../src/maintenance/keep-tables.ts";
import { createTestDatabase, statement } from "../support/database.ts";

it("keeps minutes for 31 days, and no longer", async () => {
  const { db } = await createTestDatabase();
  await db.query(
    statement(
      `insert into figures_of_minute (at, process_id, accepted, sent, delivered, undelivered, unsent, taken, refused, throttled, unanswered,
                                        answers, median_ms, slow_ms)
       select now() - make_interval(hours => a), gen_random_uuid(), a, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 from unnest($1::int[]) a`,
      [[1, 31 * 24 - 1, 31 * 24 + 1]],
    ),
  );
  await foldFigures({ db });
  const kept = await db.query<{ age: number }>(
    statement("select accepted::int as age from figures_of_minute order by 1"),
  );
  expect(kept.map(({ age }) => age)).toEqual([1, 743]);
});
