import { describe, expect, it } from "vitest";
import {
  ensureWeeks,
  indexClosedWeeks,
  listClosedMessageParts,
  weekName,
  weekStart,
} from "../../src/store/partitions.ts";
import { openWorld, storeCall, type World } from "../support/factories.ts";

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

it("new parts summarise no blocks that still fill", async () => {
  const world = await openWorld();
  await storeCall(world);
  const [week] = await openParts(world);
  expect(week).toMatch(/^message_\d{4}_\d{2}_\d{2}$/);
  // They have a summary now.
  expect(await openParts(world)).toEqual([]);
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
