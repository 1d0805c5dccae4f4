import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { DatabaseUnavailable, TransactionConflict } from "../../src/store/database-errors.ts";
import { Database } from "../../src/store/database.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";
import { openDatabaseWire } from "../support/database-wire.ts";
import { createEmptyDatabase, statement, type TestDatabase } from "../support/database.ts";

async function caught(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe("Database", () => {
  let test: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    test = await createEmptyDatabase();
    db = test.db;
    await db.query(
      statement("create table item (id integer primary key, note text, constraint no_noise check (note <> 'noise'))"),
    );
  });
  afterAll(async () => {
    await test.drop();
  });

  it("reads and writes the types that the schema uses, to their edges", async () => {
    const id = randomUUID();
    const [row] = await db.query<Record<string, unknown>>(
      statement(
        `select $1::bigint as big, $2::timestamptz as time, $3::uuid as id, $4::bytea as bytes, $5::bigint[] as bigs,
                $6::uuid[] as ids, $7::text[] as texts, $8::jsonb as json, count(*) as count, $9::smallint[] as smalls`,
        [
          9_223_372_036_854_775_807n,
          new Date("2026-11-20T10:00:00.123Z"),
          id,
          Buffer.from([0, 255]),
          [1n, -9_223_372_036_854_775_808n, null],
          [id],
          ['a"b', "c\\d", "e,f", "{}", "NULL", "", null, "سلام ‌", "😀"],
          JSON.stringify({ a: [1] }),
          [1, 2],
        ],
      ),
    );
    expect(row).toEqual({
      big: 9_223_372_036_854_775_807n,
      time: new Date("2026-11-20T10:00:00.123Z"),
      id,
      bytes: Buffer.from([0, 255]),
      bigs: [1n, -9_223_372_036_854_775_808n, null],
      ids: [id],
      texts: ['a"b', "c\\d", "e,f", "{}", "NULL", "", null, "سلام ‌", "😀"],
      json: { a: [1] },
      count: 1n,
      smalls: [1, 2],
    });
  });

  it("case 3: commits synchronously even where the server's default is lax", async () => {
    const settings = "select current_setting('synchronous_commit') as sync, current_setting('TimeZone') as zone";
    // The test cluster itself is started with synchronous_commit = off.
    const direct = new pg.Client({ connectionString: test.url });
    await direct.connect();
    expect((await direct.query(settings)).rows).toEqual([{ sync: "off", zone: "UTC" }]);
    await direct.end();
    expect(await db.query(statement(settings))).toEqual([{ sync: "on", zone: "UTC" }]);
    // A stronger one is the operator's choice.
    const strong = Database.open({
      url: `${test.url}&options=${encodeURIComponent("-c synchronous_commit=remote_apply")}`,
    });
    expect(await strong.query(statement(settings))).toEqual([{ sync: "remote_apply", zone: "UTC" }]);
    await strong.close();
  });

  it("never takes a transaction for committed that the server undid", async () => {
    const work = db.transaction(async (tx) => {
      await caught(tx.query(statement("select 1 / 0")));
    });
    await expect(work).rejects.toThrow("its error was lost");
  });

  it("lets nothing into a transaction that is over", async () => {
    const tx = await db.transaction(async (inner) => inner);
    await expect(tx.query(statement("select 1 as one"))).rejects.toThrow("the transaction is over");
  });

  it("lets an error of a statement's own through as it came", async () => {
    const error = await caught(db.query(statement("insert into item values (3, 'noise')")));
    expect(error).toMatchObject({ code: "23514", constraint: "no_noise" });
  });

  it("tells a transaction that it lost against another and can be run again", async () => {
    await db.query(statement("insert into item values (11, ''), (12, '')"));
    const first = deferred();
    const second = deferred();
    const cross = (mine: number, other: number, ready: () => void, wait: Promise<void>) =>
      db.transaction(async (tx) => {
        await tx.query(statement("update item set note = 'x' where id = $1", [mine]));
        ready();
        await wait;
        await tx.query(statement("update item set note = 'y' where id = $1", [other]));
      });
    const results = await Promise.allSettled([
      cross(11, 12, first.resolve, second.promise),
      cross(12, 11, second.resolve, first.promise),
    ]);
    const reasons = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toBeInstanceOf(TransactionConflict);
    expect(reasons[0]).toMatchObject({ code: "40P01", retriable: true });
  });

  it("runs a single statement again that lost against another", async () => {
    await db.query(statement("insert into item values (1, 'early')"));
    const holder = deferred();
    const held = deferred();
    const holding = db.transaction(async (tx) => {
      await tx.query(statement("lock table item in exclusive mode"));
      held.resolve();
      await holder.promise;
    });
    await held.promise;
    let tries = 0;
    const text =
      "do $$ begin perform set_config('lock_timeout', '20', true); update item set note = 'late' where id = 1; end $$";
    const late = (async () => {
      while (tries < 50) {
        tries += 1;
        const error = await caught(db.query(statement(text)));
        if (error === undefined) return;
        expect(error).toMatchObject({ name: "TransactionConflict", code: "55P03" });
        holder.resolve();
      }
    })();
    await Promise.all([late, holding]);
    expect(await db.query(statement("select note from item where id = 1"))).toEqual([{ note: "late" }]);
  });

  it("survives an altered table under its prepared statements", async () => {
    await db.query(statement("create table altered (a integer)"));
    const all = statement("select * from altered");
    await Promise.all(Array.from({ length: 8 }, () => db.query(all)));
    await db.query(statement("alter table altered add b integer"));
    expect(await Promise.all(Array.from({ length: 8 }, () => db.query(all)))).toHaveLength(8);
  });

  it("says of a statement that took too long that it was certainly undone", async () => {
    const impatient = Database.open({ url: test.url, statementTimeoutMs: 50 });
    const error = await caught(impatient.query(statement("select pg_sleep(10)")));
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    expect(error).toMatchObject({ inDoubt: false, retriable: true });
    await impatient.close();
  });
});

describe("a pipelined Database", () => {
  let test: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    test = await createEmptyDatabase();
    db = test.db.openApart({ isPipelined: true });
  });
  afterAll(async () => {
    await db.close();
    await test.drop();
  });

  it("answers each statement of a transaction that are given at once, in one transaction", async () => {
    const arrivals = await db.transaction((tx) =>
      Promise.all(
        [1, 2, 3].map(async (each) => {
          const numbered = statement(`select ${each} as each, (extract(epoch from now()) * 1000)::float8 as began`);
          const [row] = await tx.query<{ each: number; began: number }>(numbered);
          return row;
        }),
      ),
    );
    expect(arrivals.map((row) => row?.each)).toEqual([1, 2, 3]);
    // One transaction.
    expect(new Set(arrivals.map((row) => row?.began)).size).toBe(1);
  });

  it("undoes a transaction in which one of them fails, and goes on", async () => {
    await test.rows("create table entry (id integer)");
    const work = db.transaction((tx) =>
      Promise.all([
        tx.query(statement("insert into entry values (1)")),
        tx.query(statement("select 1 / 0")),
        tx.query(statement("insert into entry values (2)")),
      ]),
    );
    await expect(work).rejects.toThrow("division by zero");
    expect(await db.query(statement("select id from entry"))).toEqual([]);
    await db.transaction((tx) =>
      Promise.all([3, 4].map((id) => tx.query(statement(`insert into entry values (${id})`)))),
    );
    expect(await db.query(statement("select id from entry order by id"))).toEqual([{ id: 3 }, { id: 4 }]);
  });

  it("case 5: fails without a server, and with nothing left unheard", async () => {
    const unheard: unknown[] = [];
    const listen = (reason: unknown): void => void unheard.push(reason);
    process.on("unhandledRejection", listen);
    const wire = await openDatabaseWire(test.url);
    const overWire = wire.db.openApart({ isPipelined: true });
    try {
      await overWire.ping();
      const work = overWire.transaction((tx) => {
        wire.break();
        return Promise.all([tx.query(statement("select 1")), tx.query(statement("select 2"))]);
      });
      expect(await caught(work)).toBeInstanceOf(DatabaseUnavailable);
      await new Promise((resolve) => setImmediate(resolve));
      expect(unheard).toEqual([]);
    } finally {
      process.off("unhandledRejection", listen);
      await overWire.close();
      await wire.close();
    }
  });
});

describe("Database when its server fails", () => {
  it("takes a server that accepts no more connections for one that is away", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "hodhod-full-"));
    // As PostgreSQL on a machine that stands still: its socket listens, and nobody accepts.
    const program = `require("net").createServer().listen({ path: process.argv[1], backlog: 1 }, () => {
      require("fs").writeSync(1, "listens");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    })`;
    const child = spawn(process.execPath, ["-e", program, path.join(folder, ".s.PGSQL.5432")]);
    const url = `postgresql://u@localhost/d?host=${encodeURIComponent(folder)}`;
    const full = Database.open({ url, connectTimeoutMs: 500 });
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await full.close();
      rmSync(folder, { recursive: true });
    });
    await once(child.stdout, "data");
    const errors = await Promise.all(Array.from({ length: 8 }, () => caught(full.ping())));
    expect(errors.filter((error) => !(error instanceof DatabaseUnavailable))).toEqual([]);
  });

  it("case 5: opens without a server, and says that nothing was sent", async () => {
    const db = Database.open({ url: "postgres://nobody@127.0.0.1:1/none" });
    const error = await caught(db.query(statement("select 1")));
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    expect(error).toMatchObject({ inDoubt: false });
    await db.close();
  });

  it("treats an interrupted statement as uncertain, but not a transaction before its commit, and recovers", async () => {
    const test = await createEmptyDatabase();
    const telemetry = new Telemetry();
    const db = Database.open({ url: test.url, telemetry });
    const lost = telemetry.next("database.lost");
    const sleeping = caught(db.query(statement("select pg_sleep(60)")));
    await terminateSleepers(test.db);
    expect(await sleeping).toMatchObject({ name: "DatabaseUnavailable", inDoubt: true });
    await lost;

    const back = telemetry.next("database.back");
    const cut = caught(
      db.transaction(async (tx) => {
        await tx.query(statement("create table undone (a integer)"));
        await tx.query(statement("select pg_sleep(60)"));
      }),
    );
    await terminateSleepers(test.db);
    expect(await cut).toMatchObject({ name: "DatabaseUnavailable", inDoubt: false });
    await back;
    expect(await db.query(statement("select to_regclass('undone') as undone"))).toEqual([{ undone: null }]);
    await db.close();
    await test.drop();
  });

  it("gives up waiting for a session when all are taken, without calling the database lost", async () => {
    const telemetry = new Telemetry();
    let lost = false;
    telemetry.on("database.lost", () => {
      lost = true;
    });
    const test = await createEmptyDatabase({ poolSize: 1, connectTimeoutMs: 2000, telemetry });
    const hold = deferred();
    const holding = test.db.transaction(async () => hold.promise);
    const error = await caught(test.rows("select 1"));
    expect(error).toMatchObject({ name: "DatabaseUnavailable", inDoubt: false });
    expect(lost).toBe(false);
    hold.resolve();
    await holding;
    await test.db.ping();
    await test.drop();
  });
});

describe("Database.listen", () => {
  it("hands on notifications, and subscribes again by itself after its connection was lost", async () => {
    const test = await createEmptyDatabase();
    const waiting = new Map<string, () => void>();
    const payload = (text: string) => new Promise<void>((resolve) => waiting.set(text, resolve));
    const stop = await test.db.listen("hodhod_test", (text) => waiting.get(text)?.());
    const notify = (text: string) => test.rows("select pg_notify('hodhod_test', $1)", [text]);

    const one = payload("one");
    await notify("one");
    await one;

    const again = payload("");
    await test.rows(
      "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%' and datname = current_database()",
    );
    await again;
    const two = payload("two");
    await notify("two");
    await two;
    await stop();
    await test.drop();
  });

  it("tolerates a server that is away", async () => {
    const db = Database.open({ url: "postgres://nobody@127.0.0.1:1/none" });
    await (
      await db.listen("hodhod_test", () => undefined)
    )();
    await db.close();
  });
});

async function terminateSleepers(db: Database): Promise<void> {
  const terminate = statement(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and wait_event = 'PgSleep'`,
  );
  while ((await db.query(terminate)).length === 0);
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
