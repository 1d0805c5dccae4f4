// Commands that only read leave a database as it is, and one that is not there stays so.
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEmptyDatabase, createTestDatabase, statement, type TestDatabase } from "../support/database.ts";
import { hodhod, temporaryFolder } from "./run-hodhod.ts";

/** All of them are processes in the tests of what they do. */
const reading: readonly string[][] = [
  ["apply", "--dry-run", "setup.json"],
  ["statement", "demo"],
  ["message", "0199a7c2-5b1e-7000-9d4e-0123456789ab"],
  ["backup", "a.backup"],
  ["links"],
  ["accounts"],
  ["export"],
  ["find", "09121234567"],
  ["opt-outs", "list", "10001234"],
  ["block-list", "list"],
  ["ported-numbers", "status"],
  ["webhooks", "list"],
  ["review", "list"],
  ["people", "list"],
];
/** The others that need a database. None of them makes one. */
const writing: readonly string[][] = [
  ["apply", "setup.json"],
  ["credit", "demo", "5", "--ref", "x"],
  ["token-key", "rotate"],
  ["cancel", "0199a7c2-5b1e-7000-9d4e-0123456789ab"],
  ["erase", "09121234567", "--yes"],
  ["opt-outs", "add", "10001234", "09121234567"],
  ["block-list", "delete", "x"],
  ["webhooks", "enable", "demo", "shop"],
  ["review", "allow", "0199a7c2-5b1e-7000-9d4e-0123456789ab"],
  ["people", "disable", "ali"],
  ["people", "reset-second-factor", "sara"],
];

const named = (commands: readonly string[][]) => commands.map((args) => [args.join(" "), args] as const);

let folder: ReturnType<typeof temporaryFolder>;
beforeAll(() => {
  folder = temporaryFolder();
  writeFileSync(path.join(folder.path, "setup.json"), '{"retentionDays": 30}');
});
afterAll(() => folder.remove());

async function tablesOf({ db }: TestDatabase): Promise<unknown> {
  return db.query(
    statement("select relname from pg_class where relnamespace = current_schema()::regnamespace order by 1"),
  );
}

describe("in a data folder without a database", () => {
  it.each(named([...reading, ...writing]))("%s refuses, says what to set, and makes nothing", async (_, args) => {
    // The first is a process.
    const endsBeforeDatabase = args !== reading[0];
    const { code, stdout, stderr } = await hodhod(args, { folder: folder.path, endsBeforeDatabase });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`hodhod: there is no database in the data folder ${path.join(folder.path, "data")}\n`);
    expect(stderr).toMatch(/^hint: set HODHOD_DATA_DIR .*DATABASE_URL.*first start.*apply --create.*\n$/m);
    expect(existsSync(path.join(folder.path, "data"))).toBe(false);
  });
});

describe.each([
  ["empty", async () => createEmptyDatabase(), /the database has no tables of Hodhod\nhint: .*hodhod migrate/],
  [
    "of an older version",
    async () => {
      const database = await createTestDatabase();
      await database.rows("update schema_migration set number = 0 where number = 1");
      return database;
    },
    /has the schema of an older version of Hodhod \(migration \d{4}_\w+ is missing\)\nhint: run hodhod migrate/,
  ],
])("on a database that is %s", (_, open, message) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.drop());

  it.each(named(reading))("%s refuses and changes nothing", async (_, args) => {
    const before = await tablesOf(database);
    const env = { DATABASE_URL: database.url };
    const { code, stderr } = await hodhod(args, { env, folder: folder.path, isSeenElsewhere: args !== reading[0] });
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(await tablesOf(database)).toEqual(before);
    expect(existsSync(path.join(folder.path, "a.backup"))).toBe(false);
  });
});

it("a database that nobody has described stays so, and a dry run judges as if it had the country's operators", async () => {
  const database = await createTestDatabase();
  const env = { DATABASE_URL: database.url };
  const input = '{"portedNumbers": [{"number": "09121234567", "operator": "Irancell"}]}';
  expect(await hodhod(["apply", "--dry-run", "-"], { env, input })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^\+ portedNumber 989121234567\n {4}operator: Irancell\nDry run: 1 created/,
    ) as unknown,
  });
  expect(await hodhod(["backup", "a.backup"], { env, folder: folder.path })).toMatchObject({ code: 0 });
  expect(await database.rows("select from configured_object")).toEqual([]);
  expect(await database.rows("select version::int from configuration")).toEqual([{ version: 1 }]);
  await database.drop();
});
