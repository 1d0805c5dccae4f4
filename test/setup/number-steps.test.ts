// An import of many numbers works in short steps: what else the process does waits for none of them.
import { Readable } from "node:stream";
import { beforeAll, it } from "vitest";
import { withoutHolding } from "../../fuzz/event-loop.ts";
import { importBlockList } from "../../src/setup/change-number-lists.ts";
import {
  importPortedNumbers,
  listOperators,
  readNumberFile,
  readPortedNumbers,
} from "../../src/setup/import-numbers.ts";
import { useTestDatabase } from "../support/database.ts";
import { addObject } from "../support/object-sql.ts";

const database = useTestDatabase();
const by = { who: "test" };

beforeAll(async () => {
  for (const name of ["MCI", "Irancell"]) await database.rows(addObject("operators", `'${name}'`));
});

/** One chunk; each number in another block, or all in a few. */
function chunkOf(lineOf: (number: number) => string, step: number): Buffer {
  const lines = Array.from({ length: 300_000 }, (_, index) => lineOf(989_100_000_000 + ((index * step) % 890_000_000)));
  return Buffer.from(lines.join("\n"));
}

it("numbers of a block list", async () => {
  const chunk = chunkOf(String, 16_001);
  await withoutHolding(async () => {
    const { numbers } = await readNumberFile({ chunks: Readable.from([chunk]) });
    await importBlockList(database.db, { name: "regulator", numbers, by });
  });
});

it.each([
  [16_001, false],
  [7, true],
])("ported numbers, %i apart, changes: %s", async (step, isChanges) => {
  const operators = await listOperators(database.db);
  const chunk = chunkOf((number) => `${number},${number % 2 === 0 ? "MCI" : "Irancell"}`, step);
  await withoutHolding(async () => {
    const { numbers } = await readPortedNumbers(
      { chunks: Readable.from([chunk]) },
      { operators: operators.map(({ name }) => name), isChanges },
    );
    await importPortedNumbers(database.db, { numbers, operators, isChanges, by });
  });
});
