import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Database } from "../../src/store/database.ts";
import { checkSchema, migrate, readMigrations, SchemaTooNew, type Migration } from "../../src/store/migrate.ts";
import { createEmptyDatabase, type TestDatabase } from "../support/database.ts";

function migration(number: number, text: string, breaking = false): Migration {
  return { number, name: `000${number}_test`, text, breaking, checksum: text };
}

describe("migrate", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createEmptyDatabase();
  });
  afterAll(async () => {
    await database.drop();
  });

  it("applies every migration once, also when several nodes start at once", async () => {
    const nodes = Array.from({ length: 5 }, () => Database.open({ url: database.url }));
    const applied = await Promise.all(nodes.map((db) => migrate(db)));
    await Promise.all(nodes.map((db) => db.close()));
    expect(applied.flat().sort()).toEqual(readMigrations().map(({ name }) => name));
    expect(await migrate(database.db)).toEqual([]);
    await checkSchema(database.db);
  });

  it("refuses a newer breaking schema, and lives with a newer safe one", async () => {
    const ours = readMigrations();
    const safe = migration(ours.length + 1, "create table newer (a integer)");
    const breaking = migration(ours.length + 2, "create table breaking (a integer)", true);
    await migrate(database.db, { migrations: [...ours, safe] });
    expect(await migrate(database.db)).toEqual([]);
    await migrate(database.db, { migrations: [...ours, safe, breaking] });
    await expect(migrate(database.db)).rejects.toThrow(SchemaTooNew);
    await expect(checkSchema(database.db)).rejects.toThrow(SchemaTooNew);
  });
});

describe("the progress of migrate", () => {
  it("is a line for a new database, and one for each migration of an old one", async () => {
    const database = await createEmptyDatabase();
    const ours = [1, 2, 3].map((number) => migration(number, `create table t${number} (a integer)`));
    const told: string[] = [];
    const progress = (line: string) => told.push(line);
    await migrate(database.db, { migrations: ours.slice(0, 1), progress });
    await migrate(database.db, { migrations: ours, progress });
    await migrate(database.db, { migrations: ours, progress });
    expect(told).toEqual([
      "created the tables, up to migration 0001_test",
      "applied migration 0002_test",
      "applied migration 0003_test",
    ]);
    await database.drop();
  });
});

describe("migrate of a faulty migration", () => {
  it("leaves nothing of it, and says so again until it is mended", async () => {
    const database = await createEmptyDatabase();
    const good = migration(1, "create table good (a integer)");
    const faulty = migration(2, "create table half (a integer); select 1 / 0");
    await expect(migrate(database.db, { migrations: [good, faulty] })).rejects.toThrow("division by zero");
    const mended = migration(2, "create table half (a integer)");
    expect(await migrate(database.db, { migrations: [good, mended] })).toEqual(["0002_test"]);
    await expect(migrate(database.db, { migrations: [good, faulty] })).rejects.toThrow("differs from the one");
    await database.drop();
  });
});

it("reads from its first line whether a migration is breaking", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "hodhod-migrations-"));
  try {
    writeFileSync(path.join(folder, "0001_first.sql"), "-- safe\nselect 1;\n");
    writeFileSync(path.join(folder, "0002_second.sql"), "-- breaking\nselect 2;\n");
    expect(readMigrations(folder).map(({ name, breaking }) => [name, breaking])).toEqual([
      ["0001_first", false],
      ["0002_second", true],
    ]);
    writeFileSync(path.join(folder, "0003_third.sql"), "select 3;\n");
    expect(() => readMigrations(folder)).toThrow("0003_third.sql must begin with");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe("migrate while others use the table", () => {
  const first = migration(1, "create table used (a integer)");
  const second = migration(2, "create table half (a integer); alter table used add column b integer");

  /** Holds the table as a backup does, until the work is over. */
  async function whileUsed(url: string, work: () => Promise<void>): Promise<void> {
    const reader = Database.open({ url });
    try {
      await reader.transaction(async (tx) => {
        await tx.query({ name: "readUsed", text: "select from used", values: [] });
        await work();
      });
    } finally {
      await reader.close();
    }
  }

  it("gives up soon, leaves nothing, says what to do, and goes on when it is done", async () => {
    const database = await createEmptyDatabase();
    await migrate(database.db, { migrations: [first] });
    await whileUsed(database.url, async () => {
      const given = migrate(database.db, { migrations: [first, second], lockTimeoutMs: 50 });
      await expect(given).rejects.toThrow(/0002_test waits .*another session.*Start again/);
    });
    expect(await migrate(database.db, { migrations: [first, second] })).toEqual(["0002_test"]);
    await database.drop();
  });
});
