import { afterAll, beforeAll, expect, it } from "vitest";
import { loadConfiguration, readConfiguration } from "../../src/store/configuration.ts";
import { saveOperators, upsertPortedNumbers } from "../../src/store/setup-network.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { usualSettings } from "./usual-rows.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it("reads a configuration that nobody has touched", async () => {
  expect(await database.db.transaction(loadConfiguration)).toEqual({
    settings: { ...usualSettings, retentionDays: 400 },
    ...{ version: 1n, rules: [], staff: [] },
    ...{ operators: [], portedNumbers: [], connectors: [], removedConnectors: [], routes: [], lines: [], tariffs: [] },
    ...{ accounts: [], users: [], apiKeys: [], templates: [], tokenKeys: [], blockLists: [], endpoints: [] },
  });
});

it("reads all tables as of one instant", async () => {
  const operator = (name: string) => saveOperators(database.db, [{ name, enabled: true, prefixes: [] }]);
  await database.db.transaction(async (tx) => {
    const before = await loadConfiguration(tx);
    await operator("MCI");
    expect((await readConfiguration(tx)).operators).toEqual(before.operators);
  });
  expect((await database.db.transaction(loadConfiguration)).operators).toMatchObject([{ name: "MCI" }]);
});

it("reads ported numbers as one text an operator, always in the same order", async () => {
  const numbers = ["989120000003", "989120000001", "989120000002"].map((number) => ({ number, operator: "MCI" }));
  await upsertPortedNumbers(database.db, numbers);
  const { portedNumbers } = await database.db.transaction(loadConfiguration);
  expect(portedNumbers).toEqual([{ operator: "MCI", numbers: "989120000001,989120000002,989120000003" }]);
});
