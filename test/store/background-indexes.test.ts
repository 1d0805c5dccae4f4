import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ensurePartitions, listMessageWeeks } from "../../src/store/partitions.ts";
import { buildIndexes } from "../../src/store/background-indexes.ts";
import { findMessagesTo } from "../../src/store/staff-lookups.ts";
import { uuidFloor } from "../../src/uuid.ts";
import { mci, openWorld, storeCall, type World } from "../support/factories.ts";

const everything = { from: uuidFloor(0), before: uuidFloor(2 ** 48 - 1), limit: 10 };

const find = (world: World, recipient: string, range: Partial<typeof everything> = {}) =>
  world.db.transaction((tx) => findMessagesTo(tx, { recipient, ...everything, ...range }));

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
    expect([...new Set(made.flat())].sort()).toEqual([
      "inbound_message_by_id",
      ...parts.map((part) => `${part}_by_recipient`),
    ]);
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

  it("serves the search by number: summaries are read, not the rows", async () => {
    const world = await openWorld();
    await storeCall(world);
    const plan = await world.db.transaction(async (tx) => {
      await tx.query({ name: "", text: "set local enable_seqscan = off", values: [] });
      return tx.query<{ "QUERY PLAN": string }>({
        name: "",
        text: `explain select * from message where recipient = '${mci}' order by id desc limit 10`,
        values: [],
      });
    });
    const text = plan.map((row) => row["QUERY PLAN"]).join("\n");
    expect(text).toMatch(/Bitmap Index Scan on message_\w+recipient/);
    expect(text).not.toMatch(/Seq Scan/);
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
  await world.db.transaction(async (writer) => {
    await writer.query({ name: "", text: "lock table inbound_message in row exclusive mode", values: [] });
    const interrupted = world.db.dedicatedSession(async (client) => {
      await client.query("set statement_timeout = 100");
      await client.query("create index concurrently inbound_message_by_id on inbound_message (id)");
    });
    await expect(interrupted).rejects.toThrow("timeout");
  });
  expect(await valid()).toEqual([{ valid: false }]);
  expect(await buildIndexes(world.db)).toEqual(["inbound_message_by_id"]);
  expect(await valid()).toEqual([{ valid: true }]);
  await world.close();
});

describe("finding the messages to a number", () => {
  it("answers those of all accounts, the newest first, within the bounds", async () => {
    const world = await openWorld({ accounts: [{ name: "demo" }, { name: "bank" }] });
    const first = await storeCall(world);
    const second = await storeCall(world, { account: world.account("bank") });
    await storeCall(world, { messages: [{ recipient: "989121239999" }] });
    const found = await find(world, mci);
    expect(found.map(({ account, sentMessageId }) => [account, sentMessageId])).toEqual([
      ["bank", second[0]],
      ["demo", first[0]],
    ]);
    expect(found[0]).toMatchObject({ status: 0, reason: null, sender: "10001234" });
    expect(Math.abs((found[0]?.acceptedAt.getTime() ?? 0) - Date.now())).toBeLessThan(600_000);
    expect(await find(world, mci, { limit: 1 })).toHaveLength(1);
    expect(await find(world, mci, { from: second[0] ?? "" })).toHaveLength(1);
    expect(await find(world, mci, { before: second[0] ?? "" })).toHaveLength(1);
    expect(await find(world, "989129999999")).toEqual([]);
    await world.close();
  });

  it("knows the weeks that there are, the latest first", async () => {
    const world = await openWorld();
    const weeks = await listMessageWeeks(world.db);
    expect(weeks.length).toBeGreaterThanOrEqual(5);
    expect(weeks.map(Number)).toEqual(weeks.map(Number).sort((one, other) => other - one));
    await world.close();
  });
});
