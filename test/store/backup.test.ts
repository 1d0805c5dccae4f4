import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type pg from "pg";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { BackupDamaged } from "../../src/store/backup-file.ts";
import { backup } from "../../src/store/backup.ts";
import type { Database } from "../../src/store/database.ts";
import { writeEvents } from "../../src/store/event-log.ts";
import { lockSchema, migrate, readMigrations, tablesOf } from "../../src/store/migrate.ts";
import { ensureWeeks, weekStart } from "../../src/store/partitions.ts";
import { restore } from "../../src/store/restore.ts";
import { CommandFailed } from "../../src/platform/command-failed.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import {
  createEmptyDatabase,
  createPreparedDatabase,
  createTestDatabase,
  statement,
  type TestDatabase,
} from "../support/database.ts";
import { mostKeptBy } from "../support/heap.ts";
import { addObject } from "../support/object-sql.ts";

const oddTexts = [
  "",
  "\\.",
  "\\N",
  "a\tb\nc\rd\\e\\",
  "سلام‌دنیا 😀 ﷽",
  "\u0001\u007f\u0085\u2028\ufeff",
  "\"quoted\", {braces} 'single'",
  "\\.\n\\.\n",
];
const old = new Date("2024-03-06T12:00:00Z");

let folder: string;
let file: string;
/** Of the test that runs. */
const made: TestDatabase[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "hodhod-backup-"));
  file = path.join(folder, "a.backup");
});
afterEach(async () => {
  for (const database of made.splice(0)) await database.drop();
  rmSync(folder, { recursive: true });
});

async function forThisTest(making: Promise<TestDatabase>): Promise<TestDatabase> {
  const database = await making;
  made.push(database);
  return database;
}

const makeFilled = (): Promise<TestDatabase> => createPreparedDatabase("rows for a backup", fill);
const filledDatabase = (): Promise<TestDatabase> => forThisTest(makeFilled());
const emptyDatabase = (): Promise<TestDatabase> => forThisTest(createEmptyDatabase());

interface Saved {
  readonly source: TestDatabase;
  readonly bytes: Buffer;
}
/** A database with a backup of it, for the tests in which it stays as it is. */
let saved: Promise<Saved> | undefined;
const savedDatabase = (): Promise<Saved> => {
  saved ??= (async () => {
    const source = await makeFilled();
    await backup(source.db, file);
    return { source, bytes: readFileSync(file) };
  })().catch((error: unknown) => {
    // A test that is tried again makes it again.
    saved = undefined;
    throw error;
  });
  return saved;
};
afterAll(async () => {
  await (await saved?.catch(() => undefined))?.source.drop();
});

async function fill(db: Database): Promise<void> {
  await ensureWeeks(db, [weekStart(old)]);
  await db.query(statement(addObject("tariffs", "'t'")));
  await db.query(
    statement(
      "insert into account (name, domain, tariff, allowed_ips) select 'a' || n, 'd', 't', '{10.0.0.0/8,\"x,y\"}' from generate_series(1, 3) n",
    ),
  );
  await db.query(statement("insert into api_key (account_id, name, key_sha256) values (1, 'k', '\\x00ff0a5c2e')"));
  await db.query(statement(addObject("connectors", "'mci'", "$1"), [JSON.stringify({ host: 'a"b\\', n: 1 })]));
  for (const [index, content] of oddTexts.entries()) {
    const at = index % 2 === 0 ? Date.now() : old.getTime();
    await db.query(
      statement(
        `insert into message (account_id, id, batch_id, sender, recipient, given_sender, content, language, operator, encoding,
           parts, cost, route_id, priority, valid_until)
         values (1, $1, $1, '1000', '989121112233', $2, $3, 'fa', 'MCI', 'ucs2', 1, 9007199254740993, 1, 0, now())`,
        [uuidv7(at), index === 0 ? null : content, content],
      ),
    );
  }
  await db.query(statement("delete from account where name = 'a3'"));
  await db.query(statement("update configuration set version = 77"));
}

/** The rows of each table, as text; in one statement, for which one session is enough. */
async function everything(db: Database): Promise<Record<string, unknown>> {
  // A restore begins another era of the log.
  const tables = tablesOf(readMigrations()).filter((table) => table !== "event_log");
  const selects = tables.map(
    (table) =>
      `select '${table}' as name, coalesce(json_agg(t.* order by t::text), '[]')::text as rows from (select * from ${table}) t`,
  );
  const read = await db.query<{ name: string; rows: string }>(statement(selects.join("\nunion all ")));
  return Object.fromEntries(read.map(({ name, rows }) => [name, rows]));
}

function changed(bytes: Buffer, from: string, to: string): Buffer {
  return gzipSync(gunzipSync(bytes).toString().replace(from, to));
}

describe("backup and restore", () => {
  it("keep the events, and the positions that were given out since, in another cluster's transactions", async () => {
    const source = await filledDatabase();
    const target = await emptyDatabase();
    await source.rows("insert into wanted_events (account_id, by_endpoints) values (1, -1)");
    const write = (db: Database, name: string) =>
      writeEvents(db, [{ accountId: 1, type: "credit.low", detail: { name } }]);
    // As if the cluster of the backup had come much further.
    await source.rows("update event_log set shift = 1000000000");
    await write(source.db, "kept");
    await backup(source.db, file);
    await write(source.db, "lost");
    const [lost] = await source.rows<{ position: string }>("select max(position) as position from event");
    await restore(target.db, file);
    await write(target.db, "new");
    const details = await target.rows<{ detail: unknown; isBehind: boolean }>(
      'select detail, position > $1 as "isBehind" from event order by position',
      [lost?.position],
    );
    expect(details).toEqual([
      { detail: { name: "kept" }, isBehind: false },
      { detail: { name: "new" }, isBehind: true },
    ]);
  });

  it("bring back every row, byte for byte, in its own week, with sequences that go on", async () => {
    const source = await filledDatabase();
    const target = await emptyDatabase();
    const written = await backup(source.db, file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const restored = await restore(target.db, file);
    expect(restored).toEqual(written);
    expect(await everything(target.db)).toEqual(await everything(source.db));
    const parts = statement("select distinct tableoid::regclass::text as part from message order by part");
    expect(await target.db.query(parts)).toEqual(await source.db.query(parts));
    // Account 3 was deleted: its number is not given again.
    const next = statement("insert into account (name, domain, tariff) values ('new', 'd', 't') returning id");
    expect(await target.db.query(next)).toEqual([{ id: 4 }]);
  });

  it("leave no lease and no heartbeat to the gateway that was saved", async () => {
    const source = await filledDatabase();
    await source.rows(
      "insert into node_figures (process_id, host, at, figures) values (gen_random_uuid(), 'a', now(), '{}')",
    );
    await source.rows(
      "insert into node (id, host, lease_until, configuration_version, pid) values (gen_random_uuid(), 'a', now() + interval '1 hour', 1, 1)",
    );
    const target = await emptyDatabase();
    await backup(source.db, file);
    await restore(target.db, file);
    // It would be refused where a gateway uses the database.
    await restore(target.db, file, { force: true });
    expect(await target.rows("select from node where lease_until > now()")).toEqual([]);
    expect(await target.rows("select from node_figures")).toEqual([]);
  });

  it("bring a backup of an earlier schema to the present one", async () => {
    const source = await filledDatabase();
    const target = await emptyDatabase();
    await backup(source.db, file);
    const later = "alter table message add column later text default 'new'; create table later (a integer)";
    const next = readMigrations().length + 1;
    const migrations = [
      ...readMigrations(),
      { number: next, name: `000${next}_later`, text: later, breaking: false, checksum: "x" },
    ];
    await restore(target.db, file, { migrations });
    expect(await target.rows("select distinct later from message")).toEqual([{ later: "new" }]);
    expect(await migrate(target.db, { migrations })).toEqual([]);
  });

  it("change nothing while another session holds a table or the schema, and go on once it is gone", async () => {
    const source = await filledDatabase();
    const target = await emptyDatabase();
    await backup(source.db, file);
    await restore(target.db, file);
    await target.rows("update configuration set version = 78");
    const before = await everything(target.db);
    const holds: readonly ((client: pg.ClientBase) => Promise<unknown>)[] = [
      (client) => client.query("lock table account in access share mode"),
      lockSchema,
    ];
    for (const hold of holds)
      await target.db.dedicatedSession(async (client) => {
        await client.query("begin");
        await hold(client);
        const refusal = await restore(target.db, file, { force: true, lockTimeoutMs: 50 }).catch(
          (error: unknown) => error,
        );
        await client.query("rollback");
        expect(refusal).toBeInstanceOf(CommandFailed);
        expect(String(refusal)).toContain("another session holds tables");
      });
    expect(await everything(target.db)).toEqual(before);
    await restore(target.db, file, { force: true });
    expect(await everything(target.db)).toEqual(await everything(source.db));
  });

  it("take the rows of one moment, whatever is written meanwhile", async () => {
    const source = await filledDatabase();
    const target = await emptyDatabase();
    const before = await everything(source.db);
    const writer = (async () => {
      for (let n = 0; n < 50; n += 1) {
        await source.rows(addObject("tariffs", "$1"), [`w${n}`]);
      }
    })();
    await backup(source.db, file);
    await writer;
    await restore(target.db, file);
    const after = await everything(target.db);
    // The writer's table, and what the database notes of its changes.
    const written = { configured_object: "", configuration_change: "" };
    expect({ ...after, ...written }).toEqual({ ...before, ...written });
  });

  it.each([
    ["cut short", () => truncateSync(file, statSync(file).size - 20)],
    ["cut to nothing", () => truncateSync(file, 0)],
    ["no backup at all", () => writeFileSync(file, gzipSync("hello\n"))],
    ["no gzip file", () => writeFileSync(file, "hello")],
    ["followed by something", () => appendFileSync(file, gzipSync('{"a":1}\n'))],
    [
      "changed in one bit",
      () => {
        const bytes = readFileSync(file);
        const middle = bytes.length >> 1;
        bytes[middle] = (bytes[middle] ?? 0) ^ 1;
        writeFileSync(file, bytes);
      },
    ],
  ])("refuse a file that is %s, and change nothing", async (_, damage) => {
    const { source, bytes } = await savedDatabase();
    writeFileSync(file, bytes);
    damage();
    const before = await everything(source.db);
    await expect(restore(source.db, file, { force: true })).rejects.toThrow(BackupDamaged);
    expect(await everything(source.db)).toEqual(before);
  });

  it("change nothing where the database refuses a row", async () => {
    const { source, bytes } = await savedDatabase();
    writeFileSync(file, changed(bytes, "\t9007199254740993\t", "\tmuch\t"));
    const before = await everything(source.db);
    await expect(restore(source.db, file, { force: true })).rejects.toThrow("invalid input syntax");
    expect(await everything(source.db)).toEqual(before);
  });

  it("refuse rows that refer to nothing", async () => {
    const source = await filledDatabase();
    const target = await emptyDatabase();
    await source.rows("alter table api_key drop constraint api_key_account_id_fkey");
    await source.rows("insert into api_key (account_id, name, key_sha256) values (9, 'lost', '\\x02')");
    await backup(source.db, file);
    await expect(restore(target.db, file)).rejects.toThrow("api_key_account_id_fkey");
    expect(await target.rows("select to_regclass('account') as account")).toEqual([{ account: null }]);
  });

  it("refuse the backup of a newer version", async () => {
    const { bytes } = await savedDatabase();
    const target = await emptyDatabase();
    writeFileSync(
      file,
      changed(bytes, '"migrations":[', '"migrations":[{"number":999,"name":"0999_later","checksum":"x"},'),
    );
    await expect(restore(target.db, file)).rejects.toThrow("another version of Hodhod");
  });

  it("do not save a part of what a newer version has in the database", async () => {
    const source = await filledDatabase();
    await source.rows("insert into schema_migration values (999, '0999_later', 'x', false)");
    await expect(backup(source.db, file)).rejects.toThrow("newer schema (migration 0999_later)");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("say so where there is nothing to save", async () => {
    const target = await emptyDatabase();
    await expect(backup(target.db, file)).rejects.toThrow("no tables of Hodhod");
  });

  it("hold few rows in memory: 20,000 messages", async () => {
    const source = await forThisTest(createTestDatabase());
    const target = await emptyDatabase();
    const prefix = uuidv7().slice(0, 24);
    await source.rows(
      `insert into message (account_id, id, batch_id, sender, recipient, content, language, operator, encoding, parts, cost,
           route_id, priority, valid_until)
         select 1, ($1 || lpad(to_hex(n), 12, '0'))::uuid, ($1 || lpad('0', 12, '0'))::uuid, '1000', '989121112233',
           repeat('سلام ', 20), 'fa', 'MCI', 'ucs2', 1, 10, 1, 0, now() from generate_series(1, 20000) n`,
      [prefix],
    );
    // The rows are some 9 MB as text.
    expect(await mostKeptBy(() => backup(source.db, file))).toBeLessThan(5);
    let rows = 0;
    const restoring = async () => ({ rows } = await restore(target.db, file));
    expect(await mostKeptBy(restoring)).toBeLessThan(5);
    // Four rows are those that migrations insert: of configuration, of its first step, of
    // report_progress, and of event_log.
    expect(rows).toBe(20_000 + 4);
    expect(await target.rows("select count(*) from message")).toEqual([{ count: 20_000n }]);
  });
});
