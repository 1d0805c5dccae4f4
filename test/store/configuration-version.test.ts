import { afterAll, beforeAll, expect, it } from "vitest";
import {
  configurationChannel,
  findConfigurationVersion,
  isConfigurationEmpty,
  lockConfiguration,
  raiseConfigurationVersion,
} from "../../src/store/configuration-version.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it("rises with each change, and tells those who listen", async () => {
  const told = new Promise(
    (resolve) => void database.db.listen(configurationChannel, (version) => version && resolve(version)),
  );
  await database.db.ping();
  const before = await findConfigurationVersion(database.db);
  const raised = await database.db.transaction(raiseConfigurationVersion);
  expect(raised).toBe(before + 1n);
  expect(await findConfigurationVersion(database.db)).toBe(raised);
  // One that listened too late for the first hears of the next.
  const again = setInterval(() => void raiseConfigurationVersion(database.db), 100);
  expect(BigInt(String(await told))).toBeGreaterThanOrEqual(raised);
  clearInterval(again);
});

it("is locked for one writer at a time, while readers go on", async () => {
  let second = Promise.resolve<bigint>(0n);
  const first = await database.db.transaction(async (tx) => {
    await lockConfiguration(tx);
    second = database.db.transaction(lockConfiguration);
    await findConfigurationVersion(database.db);
    return raiseConfigurationVersion(tx);
  });
  expect(await second).toBeGreaterThanOrEqual(first);
});

it("tells whether anything was described yet", async () => {
  expect(await isConfigurationEmpty(database.db)).toBe(true);
  const text = "insert into operator (name) values ('MCI')";
  await database.db.query({ name: "insertOperator", text, values: [] });
  expect(await isConfigurationEmpty(database.db)).toBe(false);
});
