import { expect, it } from "vitest";
import { blockSize, msisdnAt } from "../../src/sms/number-blocks.ts";
import { deleteObjects } from "../../src/store/configured-objects.ts";
import { importedNumbers, upsertPorted } from "../../src/store/number-lists.ts";
import { useTestDatabase } from "../support/database.ts";
import { addObject } from "../support/object-sql.ts";
import { rowsReadBy } from "../support/rows-read.ts";

const database = useTestDatabase();

it("imported come to a node in pages of bounded size, also where blocks are full", async () => {
  await database.rows(addObject("operators", "'A'"));
  const rows = await database.rows<{ id: number }>("select id from configured_object where section = 'operators'");
  const full = Buffer.alloc(2 * blockSize);
  for (let low = 0; low < blockSize; low += 1) full.writeUInt16LE(low, 2 * low);
  const blocks = [3, 4, 5].map((block) => ({ block, sets: [{ value: rows[0]?.id ?? 0, numbers: full }] }));
  await database.db.transaction((tx) => importedNumbers.saveBlocks(tx, blocks, null));
  const page = await importedNumbers.listPage(database.db, { block: -1, ownerId: 0 });
  expect(page.map(({ block, numbers }) => [block, numbers.length])).toEqual([[3, 2 * blockSize]]);
  const next = await importedNumbers.listPage(database.db, page[0] ?? { block: 0, ownerId: 0 });
  expect(next.map(({ block }) => block)).toEqual([4]);
});

it("given by the thousand are not read when another object is removed", async () => {
  const rows = Array.from({ length: 5_000 }, (_, at) => ({ number: msisdnAt(at), operator: "A" }));
  await upsertPorted(database.db, rows);
  await database.rows("analyze ported_number");
  await database.rows(addObject("lines", "'10001234'"));
  const asked = { plans: "auto", tables: "relname = 'ported_number'" };
  expect(await rowsReadBy(database.db, asked, (tx) => deleteObjects(tx, "lines", ["10001234"]))).toBe(0);
});
