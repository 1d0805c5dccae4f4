import { afterAll, beforeAll, expect, it } from "vitest";
import { loadConfiguration } from "../../src/store/configuration.ts";
import {
  deleteConnectors,
  deleteOperators,
  deletePortedNumbers,
  replaceRoutes,
  saveOperators,
  upsertConnectors,
  upsertPortedNumbers,
} from "../../src/store/setup-network.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
const rows = () => database.db.transaction(loadConfiguration);

it("moves a prefix between operators that are written together", async () => {
  const { db } = database;
  await saveOperators(db, [{ name: "A", enabled: true, prefixes: ["912", "913"] }]);
  await db.transaction((tx) =>
    saveOperators(tx, [
      { name: "A", enabled: false, prefixes: ["912"] },
      { name: "B", enabled: true, prefixes: ["913"] },
    ]),
  );
  expect((await rows()).operators).toMatchObject([
    { name: "A", enabled: false, prefixes: ["912"] },
    { name: "B", enabled: true, prefixes: ["913"] },
  ]);
});

it("moves a ported number, and forgets it", async () => {
  const { db } = database;
  await upsertPortedNumbers(db, [{ number: "989121111111", operator: "A" }]);
  await upsertPortedNumbers(db, [{ number: "989121111111", operator: "B" }]);
  expect((await rows()).portedNumbers).toEqual([{ operator: "B", numbers: "989121111111" }]);
  await deletePortedNumbers(db, ["989121111111"]);
  await deleteOperators(db, ["B"]);
  expect((await rows()).portedNumbers).toEqual([]);
  expect((await rows()).operators).toHaveLength(1);
});

it("replaces all routes, and keeps the ids of those that stay", async () => {
  const { db } = database;
  const settings = { port: 1 };
  await upsertConnectors(db, [
    { name: "x", enabled: true, paused: false, settings },
    { name: "y", enabled: false, paused: false, settings },
  ]);
  await replaceRoutes(db, [{ operator: "*", line: "*", connectors: ["x", "y"] }]);
  const [before] = (await rows()).routes;
  await replaceRoutes(db, [
    { operator: "A", line: "service", connectors: ["y"] },
    { operator: "*", line: "*", connectors: ["y", "x"] },
  ]);
  const { routes, connectors } = await rows();
  const ids = Object.fromEntries(connectors.map(({ name, id }) => [name, id]));
  expect(routes).toMatchObject([
    { operator: "A", connectorIds: [ids["y"]] },
    { id: before?.id, operator: "*", connectorIds: [ids["y"], ids["x"]] },
  ]);
  await replaceRoutes(db, []);
  await deleteConnectors(db, ["x", "y"]);
  expect(await rows()).toMatchObject({ routes: [], connectors: [] });
});
