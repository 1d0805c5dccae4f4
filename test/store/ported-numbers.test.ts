import fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Msisdn } from "../../src/sms/msisdn.ts";
import { blockCount, blockSize, msisdnAt, NumberCollector } from "../../src/sms/number-blocks.ts";
import { deleteObjects } from "../../src/store/configured-objects.ts";
import { findPortedNumber, importedNumbers, listKnownPorted, upsertPorted } from "../../src/store/number-lists.ts";
import { useTestDatabase } from "../support/database.ts";
import { addObject } from "../support/object-sql.ts";
import { rowsReadBy } from "../support/rows-read.ts";

const database = useTestDatabase();
const ids: number[] = [];

beforeAll(async () => {
  for (const name of ["A", "B"]) await database.rows(addObject("operators", `'${name}'`));
  const rows = await database.rows<{ id: number }>(
    "select id from configured_object where section = 'operators' order by name",
  );
  ids.push(...rows.map(({ id }) => id));
});
beforeEach(() => database.rows("truncate ported_block, ported_number"));

type Ported = ReadonlyMap<number, "A" | "B">;

async function store(imported: Ported): Promise<void> {
  const collector = new NumberCollector();
  for (const [place, operator] of imported) collector.add(place, operator === "A" ? 1 : 2);
  await database.db.transaction(async (tx) => {
    const blocks = collector.givenBlocks().map((block) => ({
      block,
      sets: collector.pack(block).map(({ value, numbers }) => ({ value: ids[value - 1] ?? 0, numbers })),
    }));
    await importedNumbers.saveBlocks(tx, blocks, null);
  });
}

const place = fc.oneof(
  fc.tuple(fc.constantFrom(0, 1, 5, blockCount - 1), fc.nat(5)).map(([block, low]) => block * blockSize + low),
  fc.nat(999_999_999),
);
const ported = fc
  .array(fc.tuple(place, fc.constantFrom("A" as const, "B" as const)), { maxLength: 25 })
  .map((pairs): Ported => new Map(pairs));

describe("ported numbers, given and imported", () => {
  it("are listed together in pages of any size, each once, the given one before the imported one", async () => {
    await fc.assert(
      fc.asyncProperty(ported, ported, fc.integer({ min: 1, max: 9 }), async (given, imported, limit) => {
        await database.rows("truncate ported_block, ported_number");
        await store(imported);
        const rows = [...given].map(([at, operator]) => ({ number: msisdnAt(at), operator }));
        await upsertPorted(database.db, rows);
        const expected = [
          ...[...imported].filter(([at]) => !given.has(at)).map(([at, operator]) => [msisdnAt(at), operator, true]),
          ...rows.map(({ number, operator }) => [number, operator, false]),
        ].sort(([one = ""], [other = ""]) => (one < other ? -1 : 1));
        const found: unknown[] = [];
        for (let after: Msisdn | undefined; ;) {
          const page = await listKnownPorted(database.db, { after, limit });
          found.push(...page.map(({ number, operator, isImported }) => [number, operator, isImported]));
          if (page.length < limit) break;
          after = page.at(-1)?.number as Msisdn;
        }
        expect(found).toEqual(expected);
        for (const [number, operator, isImported] of expected.slice(0, 3)) {
          expect(await findPortedNumber(database.db, number as Msisdn)).toEqual({ number, operator, isImported });
        }
      }),
      { numRuns: 40 },
    );
  });

  it("come to a node in pages of bounded size, also where blocks are full", async () => {
    const full = Buffer.alloc(2 * blockSize);
    for (let low = 0; low < blockSize; low += 1) full.writeUInt16LE(low, 2 * low);
    const blocks = [3, 4, 5].map((block) => ({ block, sets: [{ value: ids[0] ?? 0, numbers: full }] }));
    await database.db.transaction((tx) => importedNumbers.saveBlocks(tx, blocks, null));
    const page = await importedNumbers.listPage(database.db, { block: -1, ownerId: 0 });
    expect(page.map(({ block, numbers }) => [block, numbers.length])).toEqual([[3, 2 * blockSize]]);
    const next = await importedNumbers.listPage(database.db, page[0] ?? { block: 0, ownerId: 0 });
    expect(next.map(({ block }) => block)).toEqual([4]);
  });
});

it("given by the thousand are not read when another object is removed", async () => {
  const rows = Array.from({ length: 5_000 }, (_, at) => ({ number: msisdnAt(at), operator: "A" }));
  await upsertPorted(database.db, rows);
  await database.rows("analyze ported_number");
  await database.rows(addObject("lines", "'10001234'"));
  const asked = { plans: "auto", tables: "relname = 'ported_number'" };
  expect(await rowsReadBy(database.db, asked, (tx) => deleteObjects(tx, "lines", ["10001234"]))).toBe(0);
});
