// How many receipts of a connector may wait for their submission.
import { beforeAll, beforeEach, expect, it } from "vitest";
import { limitParkedReceipts } from "../../src/maintenance/keep-tables.ts";
import { Database } from "../../src/store/database.ts";
import { clear, useWorld } from "../support/factories.ts";

const world = useWorld({ connectors: [{ name: "one" }, { name: "two" }] });
let told: { connector: string; count: number }[];

beforeAll(() => {
  world.telemetry.on("receipt.dropped", (event) => told.push(event));
});

beforeEach(async () => {
  await clear(world);
  told = [];
});

const limit = async (most: number, db = world.db): Promise<number> =>
  (await limitParkedReceipts({ db, telemetry: world.telemetry, directory: world.directory, most })).dropped;

async function park(connectorId: number, from: number, to: number): Promise<void> {
  await world.rows(
    `insert into unmatched_receipt (connector_id, smsc_message_id, keys, exact, recipient, verdict, state)
     select $1, 'n' || n, array['n' || n], true, '', 'delivered', 'DELIVRD' from generate_series($2::int, $3::int) n`,
    [connectorId, from, to],
  );
}

async function parkedOf(connectorId: number): Promise<string[]> {
  const rows = await world.rows<{ id: string }>(
    "select r.smsc_message_id as id from unmatched_receipt r where r.connector_id = $1 order by r.id",
    [connectorId],
  );
  return rows.map(({ id }) => id);
}

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `n${from + index}`);

it("drops the oldest receipts of a connector that has too many, and none of another", async () => {
  const [one, two] = [world.connector("one").id, world.connector("two").id];
  await park(one, 1, 130);
  await park(two, 1, 95);
  expect(await limit(100)).toBe(30);
  expect(await parkedOf(one)).toEqual(numbered(31, 130));
  expect(await parkedOf(two)).toEqual(numbered(1, 95));
  expect(told).toEqual([{ connector: "one", count: 30 }]);
  expect(await limit(100)).toBe(0);
});

it("drops in several statements what does not go in one", async () => {
  const { id } = world.connector("one");
  await park(id, 1, 25_000);
  expect(await limit(100)).toBe(24_900);
  expect(await parkedOf(id)).toEqual(numbered(24_901, 25_000));
});

it("two nodes at once keep the newest, and drop no receipt beyond the bound", async () => {
  const { id } = world.connector("one");
  const other = Database.open({ url: world.url });
  try {
    for (let last = 5000; last <= 25_000; last += 5000) {
      await park(id, last - 4999, last);
      await Promise.all([limit(1000), limit(1000, other)]);
      expect(await parkedOf(id)).toEqual(numbered(last - 999, last));
    }
  } finally {
    await other.close();
  }
});
