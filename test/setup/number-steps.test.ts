// An import of many numbers works in short steps: what else the process does waits for none of them.
import { setImmediate } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { importBlockList } from "../../src/setup/change-block-lists.ts";
import { importPortedNumbers, listOperators } from "../../src/setup/import-ported-numbers.ts";
import { readNumberFile, readPortedNumbers } from "../../src/setup/number-file.ts";
import { useTestDatabase } from "../support/database.ts";

const database = useTestDatabase();
const by = { who: "test" };

beforeAll(async () => {
  await database.rows("insert into operator (name) values ('MCI'), ('Irancell')");
});

/** The processor time of the longest turn of the event loop, in milliseconds. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let isDone = false;
  let longest = 0;
  const watch = async (): Promise<void> => {
    while (!isDone) {
      const before = process.cpuUsage();
      await setImmediate();
      longest = Math.max(longest, process.cpuUsage(before).user / 1000);
    }
  };
  const watching = watch();
  await work().finally(() => (isDone = true));
  await watching;
  return longest;
}

/** One chunk; each number in another block, or all in a few. */
function chunkOf(lineOf: (number: number) => string, step: number): AsyncIterable<Uint8Array> {
  const lines = Array.from({ length: 300_000 }, (_, index) => lineOf(989_100_000_000 + ((index * step) % 890_000_000)));
  const chunk = Buffer.from(lines.join("\n"));
  return (async function* () {
    yield chunk;
  })();
}

it.each([1, 16_001])("numbers of a block list, %i apart", async (step) => {
  const chunks = chunkOf(String, step);
  const ms = await longestTurn(async () => {
    const { numbers } = await readNumberFile({ chunks });
    await importBlockList(database.db, { name: "regulator", numbers, by });
  });
  expect(ms).toBeLessThan(50);
});

it.each([
  [1, false],
  [16_001, false],
  [7, true],
])("ported numbers, %i apart, changes: %s", async (step, isChanges) => {
  const operators = await listOperators(database.db);
  const chunks = chunkOf((number) => `${number},${number % 2 === 0 ? "MCI" : "Irancell"}`, step);
  const ms = await longestTurn(async () => {
    const { numbers } = await readPortedNumbers(
      { chunks },
      { operators: operators.map(({ name }) => name), isChanges },
    );
    await importPortedNumbers(database.db, { numbers, operators, isChanges, by });
  });
  expect(ms).toBeLessThan(50);
});
