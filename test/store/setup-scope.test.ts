// Who uses a line or a tariff is found by index, in as few rows as are asked for, among ten
// thousand accounts and templates that all use it.
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Queryable } from "../../src/store/database.ts";
import { listUsesOfLine, listUsesOfTariff } from "../../src/store/setup-scope.ts";
import { createTestDatabase, statement, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  for (const text of [
    "insert into tariff (name) values ('usual'), ('unused')",
    "insert into sender_line (number, kind) values ('1000', 'dedicated'), ('2000', 'dedicated')",
    `insert into account (name, domain, tariff_id)
     select 'a' || n, 'a' || n, (select id from tariff where name = 'usual') from generate_series(1, 10000) n`,
    "insert into account_line (account_id, line_id) select a.id, l.id from account a, sender_line l where l.number = '1000'",
    "insert into template (id, account_id, content, sender) select 't' || id, id, 'x', '1000' from account",
    "analyze",
  ])
    await database.db.query(statement(text));
});
afterAll(() => database.drop());

const works: readonly [string, number, (tx: Queryable) => ReturnType<typeof listUsesOfLine>][] = [
  ["a line", 11, (tx) => listUsesOfLine(tx, "1000", 11)],
  ["a tariff", 11, (tx) => listUsesOfTariff(tx, "usual", 11)],
  ["a line of nobody", 0, (tx) => listUsesOfLine(tx, "2000", 11)],
  ["a tariff of nobody", 0, (tx) => listUsesOfTariff(tx, "unused", 11)],
];

async function rowsRead(tx: Queryable): Promise<number> {
  const [row] = await tx.query<{ read: number }>(
    statement(
      `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_xact_user_tables
        where relname in ('account', 'account_line', 'template')`,
    ),
  );
  return row?.read ?? 0;
}

it.each(works)("finds the uses of %s", async (_, count, find) => {
  for (const plans of ["force_custom_plan", "force_generic_plan"]) {
    await database.db.transaction(async (tx) => {
      await tx.query(statement(`set local plan_cache_mode = ${plans}`));
      const before = await rowsRead(tx);
      expect((await find(tx)).accounts).toHaveLength(count);
      // Accounts, their lines, and templates.
      expect((await rowsRead(tx)) - before, plans).toBeLessThanOrEqual(3 * count);
    });
  }
});
