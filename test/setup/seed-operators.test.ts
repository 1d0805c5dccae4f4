import { expect, it } from "vitest";
import { seedOperators } from "../../src/setup/save-setup.ts";
import { defaultOperators } from "../../src/sms/numbering-plan.ts";
import { loadConfiguration } from "../../src/store/configuration.ts";
import { createTestDatabase } from "../support/database.ts";
import { applyDocument } from "../support/apply-document.ts";

it("gives a fresh gateway the operators of the country, once", async () => {
  const { db, drop } = await createTestDatabase();
  const operators = async () => (await db.transaction(loadConfiguration)).objects.operators;
  const seeded = await Promise.all([seedOperators(db), seedOperators(db), seedOperators(db)]);
  expect(seeded.filter(Boolean)).toHaveLength(1);
  expect((await operators()).map(({ name }) => name)).toEqual(defaultOperators.map(({ name }) => name));
  const text = JSON.stringify({
    tariffs: [{ name: "t", prices: [{ price: 1 }] }],
    accounts: [{ name: "a", tariff: "t" }],
  });
  await applyDocument(db, text, { prune: true });
  expect(await operators()).toEqual([]);
  expect(await seedOperators(db)).toBe(false);
  await drop();
});
