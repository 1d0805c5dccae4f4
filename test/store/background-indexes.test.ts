import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  ensurePartitions,
  ensureWeeks,
  listClosedMessageParts,
  weekName,
  weekStart,
} from "../../src/store/partitions.ts";
import { buildIndexes, indexClosedWeeks } from "../../src/store/background-indexes.ts";
import { findAll } from "../support/messages-to-number.ts";
import { mci, openWorld, storeCall, type World } from "../support/factories.ts";

const find = (world: World, recipient: string) => findAll(world.db, { recipient });

async function unindexedParts(world: World): Promise<string[]> {
  const rows = await world.rows<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'message'::regclass
        and not exists (select from pg_indexes x where x.tablename = c.relname and x.indexdef like '%bloom%') order by 1`,
  );
  return rows.map(({ name }) => name);
}

/**
 * The parts with rows whose first blocks have no summary yet: a summary that exists is written anew
 * for nearly every message.
 */
async function openParts(world: World): Promise<string[]> {
  const rows = await world.rows<{ name: string; made: number }>(
    `select x.indrelid::regclass::text as name, brin_summarize_range(x.indexrelid, 0) as made
       from pg_inherits i join pg_index x on x.indexrelid = i.inhrelid
      where i.inhparent = 'message_by_recipient'::regclass and pg_relation_size(x.indrelid) > 0`,
  );
  return rows.filter(({ made }) => made === 1).map(({ name }) => name);
}

/** Leaves the remains of an index that was begun. */
async function interruptIndex(world: World, table: string, index: string): Promise<void> {
  await world.db.transaction(async (writer) => {
    await writer.query({ name: "", text: `lock table ${table} in row exclusive mode`, values: [] });
    const interrupted = world.db.dedicatedSession(async (client) => {
      await client.query("set statement_timeout = 100");
      await client.query(`create index concurrently ${index} on ${table} (id)`);
    });
    await expect(interrupted).rejects.toThrow("timeout");
  });
}

describe("the index by recipient", () => {
  it("comes with new parts, and to those that an older version made, without changing what is found", async () => {
    const world = await openWorld();
    expect(await unindexedParts(world)).toEqual([]);
    const [id] = await storeCall(world);

    // As an older version left it: parts that the migration could not index, one of them cut off
    // half-way.
    await world.rows("drop index message_by_recipient");
    const parts = await unindexedParts(world);
    expect(parts).toContain("message_default");
    await world.rows(
      `create index message_by_recipient on only message using brin (recipient text_bloom_ops
         (n_distinct_per_range = 330, false_positive_rate = 0.005)) with (pages_per_range = 16, autosummarize = on)`,
    );
    await world.rows("create index message_default_by_recipient on message_default (parts)");
    expect((await find(world, mci)).map((found) => found.sentMessageId)).toEqual([id]);

    const made = await Promise.all([buildIndexes(world.db), buildIndexes(world.db)]);
    expect(made.flat().sort()).toEqual(["inbound_message_by_id", ...parts.map((part) => `${part}_by_recipient`)]);
    expect(await unindexedParts(world)).toEqual([]);
    expect(await buildIndexes(world.db)).toEqual([]);
    expect((await find(world, mci)).map((found) => found.sentMessageId)).toEqual([id]);
    const [parent] = await world.rows<{ valid: boolean }>(
      "select indisvalid as valid from pg_index where indexrelid = 'message_by_recipient'::regclass",
    );
    expect(parent).toEqual({ valid: true });
    // Weeks that are made later, too.
    await ensurePartitions(world.db, new Date(Date.now() + 60 * 24 * 3_600_000));
    expect(await unindexedParts(world)).toEqual([]);
    await world.close();
  });

  it("summarises no blocks that still fill: of new parts, and of those that get the index while they are small", async () => {
    const world = await openWorld();
    await storeCall(world);
    const [week] = await openParts(world);
    expect(week).toMatch(/^message_\d{4}w\d{2}$/);
    // They have a summary now; it is left to them only when the index is made again.
    expect(await openParts(world)).toEqual([]);
    await world.rows(`drop index message_by_recipient`);
    await world.rows(
      `create index message_by_recipient on only message using brin (recipient text_bloom_ops
         (n_distinct_per_range = 330, false_positive_rate = 0.005)) with (pages_per_range = 16, autosummarize = on)`,
    );
    await buildIndexes(world.db);
    expect(await openParts(world)).toEqual([week]);
    // So do parts that an older version filled a little: by migration 0013.
    expect(await openParts(world)).toEqual([]);
    await world.rows(readFileSync("db/migrations/0013_open_recipient_blocks.sql", "utf8"));
    expect(await openParts(world)).toEqual([week]);
    await world.close();
  });
});

it("the index of received messages comes to a table that stands, also after an interrupted attempt", async () => {
  const world = await openWorld();
  const valid = (): Promise<object[]> =>
    world.rows("select indisvalid as valid from pg_index where indexrelid = to_regclass('inbound_message_by_id')");
  expect(await valid()).toEqual([]);
  expect(await buildIndexes(world.db)).toEqual(["inbound_message_by_id"]);
  expect(await buildIndexes(world.db)).toEqual([]);
  await world.rows("drop index inbound_message_by_id");
  await interruptIndex(world, "inbound_message", "inbound_message_by_id");
  expect(await valid()).toEqual([{ valid: false }]);
  expect(await buildIndexes(world.db)).toEqual(["inbound_message_by_id"]);
  expect(await valid()).toEqual([{ valid: true }]);
  await world.close();
});

describe("weeks that are over", () => {
  const hourMs = 3_600_000;
  const weekMs = 7 * 24 * hourMs;
  const monday = weekStart(new Date());
  const before = (weeks: number): Date => new Date(monday.getTime() - weeks * weekMs);
  const partOf = (week: Date): string => `message_${weekName(week)}`;

  it("are over on every node's clock an hour after their end, the default part never", async () => {
    const world = await openWorld();
    await ensureWeeks(world.db, [before(2), before(1)]);
    const [older, last] = [partOf(before(2)), partOf(before(1))];
    expect(await listClosedMessageParts(world.db, new Date(monday.getTime() + hourMs - 1))).toEqual([older]);
    expect(await listClosedMessageParts(world.db, new Date(monday.getTime() + hourMs))).toEqual([last, older]);
    await world.close();
  });

  it("get a tree by recipient, also after an interrupted attempt", async () => {
    const world = await openWorld();
    await ensureWeeks(world.db, [before(1), monday]);
    const closed = partOf(before(1));
    await interruptIndex(world, closed, `${closed}_to_number`);
    const made = await Promise.all([indexClosedWeeks(world.db, [closed]), indexClosedWeeks(world.db, [closed])]);
    expect(made.flat()).toEqual([`${closed}_to_number`]);
    expect(await indexClosedWeeks(world.db, [closed])).toEqual([]);
    await world.close();
  });
});
