import { expect, it } from "vitest";
import { raiseConfigurationVersion, findConfigurationVersion } from "../../src/store/configuration-version.ts";
import { readAsOfNow } from "../../src/store/snapshot.ts";
import { createTestDatabase } from "../support/database.ts";

it("keeps a transaction at one instant, and from writing", async () => {
  const { db, drop } = await createTestDatabase();
  const versions = await db.transaction(async (tx) => {
    await readAsOfNow(tx);
    const before = await findConfigurationVersion(tx);
    await raiseConfigurationVersion(db);
    return [before, await findConfigurationVersion(tx)];
  });
  expect(versions[1]).toBe(versions[0]);
  const writing = db.transaction(async (tx) => {
    await readAsOfNow(tx);
    return raiseConfigurationVersion(tx);
  });
  await expect(writing).rejects.toThrow(/read-only/);
  await drop();
});
