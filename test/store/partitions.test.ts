import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  dropPartitionsBefore,
  ensurePartitions,
  ensureWeeks,
  takeIndexLock,
  weekName,
  weekOfName,
  weekStart,
} from "../../src/store/partitions.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

const day = 24 * 3600 * 1000;

describe("weeks", () => {
  it("begin on Monday 00:00 UTC and are named by their date", () => {
    expect(weekStart(new Date("2026-11-20T19:00:00Z"))).toEqual(new Date("2026-11-16T00:00:00Z"));
    expect(weekStart(new Date("2026-11-16T00:00:00Z"))).toEqual(new Date("2026-11-16T00:00:00Z"));
    expect(weekStart(new Date("2026-11-15T23:59:59.999Z"))).toEqual(new Date("2026-11-09T00:00:00Z"));
    expect(weekName(new Date("2026-11-16T00:00:00Z"))).toBe("2026_11_16");
  });

  it("are found again by their names, all of them over a century", () => {
    for (let time = Date.UTC(1999, 11, 27); time < Date.UTC(2100, 0, 1); time += 7 * day) {
      expect(weekOfName(weekName(new Date(time)))?.getTime()).toBe(time);
    }
    for (const name of ["2026_11_17", "2026_13_01", "2026-11-16", "20261116", "default", ""])
      expect(weekOfName(name)).toBeUndefined();
  });
});

describe("partitions", () => {
  let test: TestDatabase;
  beforeEach(async () => {
    test = await createTestDatabase();
  });
  afterEach(async () => {
    await test.drop();
  });

  const rows = <Row>(text: string, values: unknown[] = []) => test.rows<Row>(text, values);
  const book = (account: number, amount: bigint, at: Date, messages = 1) =>
    rows("insert into ledger_entry (account_id, id, kind, amount, messages) values ($1, $2, 'charge', $3, $4)", [
      account,
      uuidv7(at.getTime()),
      amount,
      messages,
    ]);

  it("are not waited for behind a lock that somebody holds: others would wait behind it as well", async () => {
    const holder = new pg.Client({ connectionString: test.url });
    await holder.connect();
    try {
      const past = new Date(Date.now() - 400 * day);
      await ensureWeeks(test.db, [weekStart(past)]);
      await holder.query("begin; lock table message in access exclusive mode");
      const busy = { code: "55P03" };
      await expect(ensurePartitions(test.db, new Date(Date.now() + 60 * day))).rejects.toMatchObject(busy);
      await expect(dropPartitionsBefore(test.db, new Date(Date.now() - 300 * day))).rejects.toMatchObject(busy);
      await holder.query("rollback");
      expect(await dropPartitionsBefore(test.db, new Date(Date.now() - 300 * day))).not.toEqual([]);
    } finally {
      await holder.end();
    }
  });

  it("are made ahead, once, also when several nodes ask at once", async () => {
    const later = new Date(Date.now() + 60 * day);
    const made = await Promise.all([1, 2, 3].map(() => ensurePartitions(test.db, later)));
    expect(made.flat().sort()).toEqual([...new Set(made.flat())].sort());
    expect(made.flat()).toHaveLength(25);
    expect(await ensurePartitions(test.db, later)).toEqual([]);
  });

  it("take back from the default part what belongs to them when they come late", async () => {
    const future = new Date(Date.now() + 100 * day);
    await book(1, -5n, future);
    expect(await rows("select tableoid::regclass::text as part from ledger_entry")).toEqual([
      { part: "ledger_entry_default" },
    ]);
    await ensureWeeks(test.db, [weekStart(future)]);
    expect(await rows("select tableoid::regclass::text as part, amount from ledger_entry")).toEqual([
      { part: `ledger_entry_${weekName(weekStart(future))}`, amount: -5n },
    ]);
  });

  it("stay while an index is made: a drop that waits for it would hold up all writers", async () => {
    await ensureWeeks(test.db, [new Date("2024-03-04T00:00:00Z")]);
    const cutoff = new Date("2024-04-01T00:00:00Z");
    await test.db.dedicatedSession(async (client) => {
      expect(await takeIndexLock(client)).toBe(true);
      expect(await dropPartitionsBefore(test.db, cutoff)).toEqual([]);
    });
    expect(await dropPartitionsBefore(test.db, cutoff)).toContain("message_2024_03_04");
  });

  it("go when they are old, and their money is carried forward", async () => {
    const old = new Date("2024-03-06T12:00:00Z");
    const next = new Date("2024-03-13T12:00:00Z");
    await ensureWeeks(test.db, [weekStart(old), weekStart(next)]);
    await book(1, -5n, old, 2);
    await book(1, 12n, old, 0);
    await book(2, -1n, old);
    await book(1, -4n, next);
    const sums = () =>
      rows("select account_id, sum(amount)::bigint as sum from ledger_entry group by account_id order by account_id");
    const before = await sums();
    const dropped = await dropPartitionsBefore(test.db, weekStart(next));
    const tables = ["event", "ledger_entry", "message", "receipt", "submission"];
    expect([...dropped].sort()).toEqual(tables.map((table) => `${table}_2024_03_04`));
    expect(await sums()).toEqual(before);
    expect(
      await rows("select account_id, kind, amount, messages, created_at from ledger_entry order by account_id, id"),
    ).toEqual([
      { account_id: 1, kind: "carried", amount: 7n, messages: 2, created_at: weekStart(next) },
      { account_id: 1, kind: "charge", amount: -4n, messages: 1, created_at: expect.any(Date) as Date },
      { account_id: 2, kind: "carried", amount: -1n, messages: 1, created_at: weekStart(next) },
    ]);
    await dropPartitionsBefore(test.db, new Date("2024-03-18T00:00:00Z"));
    expect(await sums()).toEqual(before);
    expect(await dropPartitionsBefore(test.db, new Date("2024-03-18T00:00:00Z"))).toEqual([]);
  });

  it("drops events earlier than all else, where they are kept for fewer days", async () => {
    await ensureWeeks(test.db, [new Date("2024-03-04T00:00:00Z")]);
    const dropped = await dropPartitionsBefore(
      test.db,
      new Date("2024-03-05T00:00:00Z"),
      new Date("2024-03-11T00:00:00Z"),
    );
    expect(dropped).toEqual(["event_2024_03_04"]);
  });

  it("case 7: are kept while a message of theirs still waits, whatever the retention", async () => {
    const accepted = new Date("2024-03-06T12:00:00Z");
    const after = new Date("2024-03-18T00:00:00Z");
    await ensureWeeks(test.db, [weekStart(accepted)]);
    const id = uuidv7(accepted.getTime());
    await rows(
      `insert into message (account_id, id, batch_id, sender, recipient, content, language, operator, encoding, parts, cost, route_id,
                            priority, send_at, valid_until)
       values (1, $1, $1, '10001234', '989121230000', 'x', 'en', 'MCI', 'gsm7', 1, 5, 1, 1, '2025-03-06', '2025-03-07')`,
      [id],
    );
    expect(await dropPartitionsBefore(test.db, after)).not.toContain("message_2024_03_04");
    expect(await rows("select id from message")).toEqual([{ id }]);
    await rows("update message set status = 2");
    expect(await dropPartitionsBefore(test.db, after)).toEqual(["message_2024_03_04"]);
  });

  it("are kept while their last day is not over", async () => {
    const monday = weekStart(new Date("2024-03-06T12:00:00Z"));
    await ensureWeeks(test.db, [monday]);
    expect(await dropPartitionsBefore(test.db, new Date(monday.getTime() + 7 * day - 1))).toEqual([]);
  });
});
