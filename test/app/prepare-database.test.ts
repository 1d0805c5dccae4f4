import { expect, it, onTestFinished, vi } from "vitest";
import { prepareDatabase } from "../../src/app/prepare-database.ts";
import { listMessageWeeks, readDatabaseTime, weekStart } from "../../src/store/partitions.ts";
import { createEmptyDatabase } from "../support/database.ts";
import { setClockWrong } from "../support/wrong-clock.ts";

it("a first start on a machine whose clock is years ahead makes the weeks of the database", async () => {
  onTestFinished(() => void vi.useRealTimers());
  const { db, drop } = await createEmptyDatabase();
  onTestFinished(drop);
  await setClockWrong(db, { days: 1000 });
  await prepareDatabase({ config: { tokenLifetimeSeconds: 3600 }, db });
  const first = (await listMessageWeeks(db)).at(-1);
  expect(first).toEqual(weekStart(await readDatabaseTime(db)));
});
