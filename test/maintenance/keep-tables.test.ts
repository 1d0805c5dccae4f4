import { afterEach, expect, it, vi } from "vitest";
import { PeriodicService } from "../../src/platform/service.ts";
import { keepTables } from "../../src/maintenance/keep-tables.ts";
import { insertIdempotencyKeys } from "../../src/store/idempotency-keys.ts";
import { ensurePartitions, ensureWeeks, readDatabaseTime, weekName, weekStart } from "../../src/store/partitions.ts";
import { count, eventually, openWorld, storeCall } from "../support/factories.ts";

afterEach(() => vi.useRealTimers());

it("keeping the tables clears away what nothing needs any more, and leaves the rest", async () => {
  const world = await openWorld();
  await storeCall(world);
  await storeCall(world);
  await insertIdempotencyKeys(
    world.db,
    ["new", "old"].map((key) => ({ accountId: world.account().id, key, fingerprint: Buffer.from("a"), answer: "{}" })),
    24,
  );
  await world.rows("update idempotency_key set created_at = now() - interval '25 hours' where key = 'old'");
  await world.rows(
    "insert into concatenation_reference values ('989121', 1, now()), ('989122', 1, now() - interval '8 days')",
  );
  await world.rows(
    `insert into unmatched_receipt (connector_id, smsc_message_id, keys, exact, recipient, verdict, state, received_at)
     select 1, id, array[id], true, '', 'delivered', 'DELIVRD', now() - age
       from (values ('young', interval '6 days'), ('old', interval '8 days')) as v (id, age)`,
  );
  const events = [world.account().id, 990, 991];
  for (const [index, account] of events.entries())
    await world.rows(
      `insert into event (at, position, subject_id, account_id, type)
       select now(), n, gen_random_uuid(), $1, 1 from generate_series(1, $2::int) n`,
      [account, index === 1 ? 2500 : 1],
    );
  const { db, directory } = world;
  await ensurePartitions(db, new Date());
  const counts = await keepTables({ db, directory, idempotencyHours: 24 }, new Date());
  // The index of received messages, which no migration makes.
  expect(counts).toEqual({ created: 0, dropped: 0, receipts: 1, indexed: 0 });
  expect(await world.rows("select key from idempotency_key")).toEqual([{ key: "new" }]);
  expect(await world.rows("select smsc_message_id as id from unmatched_receipt")).toEqual([{ id: "young" }]);
  expect(await world.rows("select recipient from concatenation_reference")).toEqual([{ recipient: "989121" }]);
  expect(await count(world, "message")).toBe(2);
  // The others are of accounts that are gone.
  expect(await world.rows("select account_id as id from event")).toEqual([{ id: world.account().id }]);
  await world.close();
});

it("a node whose wall clock has jumped years ahead drops no week: the database's clock says what is old", async () => {
  const world = await openWorld();
  // A week may have begun since the test database was made.
  await ensurePartitions(world.db, new Date());
  await storeCall(world);
  await world.rows("update message set status = 2");
  const { db, directory } = world;
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3 * 365 * 24 * 3_600_000 });
  const counts = await keepTables({ db, directory, idempotencyHours: 24 }, await readDatabaseTime(db));
  expect(counts).toMatchObject({ created: 0, dropped: 0 });
  expect(await count(world, "message")).toBe(1);
  await world.close();
});

it("a service that stops does not wait for an index that waits for somebody's snapshot", async () => {
  const world = await openWorld();
  const { db, telemetry, directory } = world;
  const lastWeek = new Date(Date.now() - 9 * 24 * 3_600_000);
  await ensureWeeks(db, [weekStart(lastWeek)]);
  const index = `message_${weekName(weekStart(lastWeek))}_to_number`;
  const isMade = async (): Promise<boolean> =>
    (await world.rows("select from pg_index where indexrelid = to_regclass($1) and indisvalid", [index])).length === 1;
  const service = new PeriodicService({
    ...{ name: "keep-tables", everyMs: 600_000, telemetry },
    runOnce: async (signal) => keepTables({ db, directory, idempotencyHours: 24 }, await readDatabaseTime(db), signal),
  });
  // As a backup holds it.
  await db.dedicatedSession(async (client) => {
    await client.query("begin isolation level repeatable read");
    await client.query("select from message limit 1");
    await service.start();
    await eventually(async () => {
      const text =
        "select from pg_stat_activity where query like 'create index concurrently%' and wait_event_type = 'Lock'";
      return (await world.rows(text)).length > 0;
    });
    await service.stop();
    expect(await isMade()).toBe(false);
    await client.query("commit");
  });
  await keepTables({ db, directory, idempotencyHours: 24 }, new Date());
  expect(await isMade()).toBe(true);
  await world.close();
});
