import { expect, it } from "vitest";
import { loadConfiguration } from "../../src/store/configuration.ts";
import { createTestDatabase } from "../support/database.ts";
import { hodhod } from "./run-hodhod.ts";

it("hodhod token-key rotate makes a new key and retires the one before", async () => {
  const { db, url, drop } = await createTestDatabase();
  for (let round = 0; round < 2; round += 1) {
    const { code, stdout } = await hodhod(["token-key", "rotate"], { env: { DATABASE_URL: url } });
    expect(code).toBe(0);
    expect(stdout).toContain("Tokens given out before stay good");
  }
  const { tokenKeys } = await db.transaction(loadConfiguration);
  expect(tokenKeys.map(({ retiredAt }) => retiredAt !== undefined)).toEqual([true, false]);
  await drop();
});
