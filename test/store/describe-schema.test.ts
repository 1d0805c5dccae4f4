import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { describeSchema } from "../../src/store/describe-schema.ts";
import { createTestDatabase } from "../support/database.ts";

it("db/schema.sql is what the migrations lead to (else run npm run docs)", async () => {
  const { db, drop } = await createTestDatabase();
  const committed = readFileSync(new URL("../../db/schema.sql", import.meta.url), "utf8");
  expect(await describeSchema(db)).toBe(committed);
  await drop();
});
