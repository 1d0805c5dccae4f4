import { expect, it } from "vitest";
import { loadConfiguration } from "../../src/store/configuration.ts";
import { rotateTokenKey } from "../../src/store/token-keys.ts";
import { createTestDatabase } from "../support/database.ts";

it("adds a key unless the newest is young enough", async () => {
  const { db, drop } = await createTestDatabase();
  const rotate = (fill: number, unlessYoungerThanSeconds: number) =>
    db.transaction((tx) =>
      rotateTokenKey(tx, { secret: Buffer.alloc(32, fill), unlessYoungerThanSeconds, retireAfterSeconds: 60 }),
    );
  expect([await rotate(1, 100), await rotate(2, 100), await rotate(3, 0)]).toEqual([true, false, true]);
  const { tokenKeys } = await db.transaction(loadConfiguration);
  expect(tokenKeys.map(({ secret, retiredAt }) => [secret[0], retiredAt !== undefined])).toEqual([
    [1, true],
    [3, false],
  ]);
  await drop();
});
