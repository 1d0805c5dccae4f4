// A database of migration 0022 with a configuration in it goes on: a node reads it, and follows
// what a program of before and one of now change.
import { afterAll, beforeAll, expect, it } from "vitest";
import { loadDirectory, type LoadedDirectory } from "../../src/directory/load-directory.ts";
import { applySetup } from "../../src/setup/apply-setup.ts";
import { migrate, readMigrations } from "../../src/store/migrate.ts";
import { createEmptyDatabase, statement, type TestDatabase } from "../support/database.ts";

/** The last migration before the one that notes changes. */
const formerMigrations = 22;

let database: TestDatabase;
beforeAll(async () => {
  database = await createEmptyDatabase();
  await migrate(database.db, { migrations: readMigrations().slice(0, formerMigrations) });
});
afterAll(() => database.drop());

const run = (text: string) => database.db.query(statement(text));
const load = (before?: LoadedDirectory) =>
  database.db.transaction((tx) => loadDirectory(tx, { maximumParts: 10 }, before));

it("is read, and followed", async () => {
  await run("insert into tariff (name) values ('standard')");
  await run("insert into account (name, domain, tariff_id) select 'shop', 'shop.example', id from tariff");
  await run("insert into account_balance (account_id, balance) select id, 100 from account");
  await run("insert into api_key (account_id, name, key_sha256) select id, 'main', 'ab' from account");
  await run("update configuration set version = 41");
  await migrate(database.db);

  const first = await load();
  expect(first.directory.version).toBe(41n);
  expect(first.directory.findApiKey("6162")?.account.name).toBe("shop");
  expect(await run("select from configuration_change")).toEqual([]);

  // As a program of before changes it.
  await run("update account set requests_per_second = 3");
  await run("update configuration set version = version + 1");
  const second = await load(first);
  expect(second.directory.findAccount("shop")?.requestsPerSecond).toBe(3);
  expect(second.network).toBe(first.network);

  const text = JSON.stringify({ accounts: [{ name: "shop", apiKeys: [] }], retentionDays: 9 });
  await applySetup(database.db, { text, folder: ".", prune: false, dryRun: false });
  const third = await load(second);
  expect(third.directory.findApiKey("6162")).toBeUndefined();
  expect(third.directory.retentionDays).toBe(9);
});
