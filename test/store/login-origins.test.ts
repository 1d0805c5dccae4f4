import { afterEach, beforeEach, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { dropOldLoginOrigins, listLoginOrigins, upsertLoginOrigins } from "../../src/store/console-sessions.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const origin = (personId: number, number: number) => ({ personId, addressHash: Buffer.alloc(32, number) });
const age = (hours: number) =>
  database.rows("update login_origin set seen_at = seen_at - make_interval(hours => $1)", [hours]);

it("drops what is older than 30 days, and of each user all but the newest 32", async () => {
  await upsertLoginOrigins(database.db, [origin(7, 0), origin(8, 0)]);
  await age(30 * 24 + 1);
  await upsertLoginOrigins(
    database.db,
    Array.from({ length: 20 }, (_, index) => origin(7, index + 1)),
  );
  await age(1);
  await upsertLoginOrigins(database.db, [
    ...Array.from({ length: 20 }, (_, index) => origin(7, index + 101)),
    origin(9, 1),
  ]);
  expect(await dropOldLoginOrigins(database.db)).toBe(2 + 8);
  const rows = await listLoginOrigins(database.db, 24 * 3600);
  expect(rows.filter(({ personId }) => personId === 7)).toHaveLength(32);
  expect(rows.filter(({ personId, ageSeconds }) => personId === 7 && ageSeconds < 1800)).toHaveLength(20);
  expect(rows.filter(({ personId }) => personId === 9)).toHaveLength(1);
  expect(await dropOldLoginOrigins(database.db)).toBe(0);
});
