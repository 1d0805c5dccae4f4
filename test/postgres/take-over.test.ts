// Folders of earlier versions, and what the old owner of the files may have put there: nothing
// outside of the folder ever changes.
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startEmbeddedPostgres, type EmbeddedPostgres } from "../../src/postgres/embedded-postgres.ts";
import { giveTo } from "../../src/postgres/hand-over.ts";
import { Database } from "../../src/store/database.ts";
import { migrate } from "../../src/store/migrate.ts";
import { ensurePartitions } from "../../src/store/partitions.ts";
import { statement } from "../support/database.ts";
import { makeEarlierDatabase } from "../support/earlier-database.ts";
import { preparedFolder, stoppedFolder } from "../support/prepared-folder.ts";

const asRoot = process.getuid?.() === 0;
const nobody = 65_534;
const secret = "a file of root's\n";
if (!asRoot) process.stderr.write("links in a folder of another user are not tried: only root follows them\n");

let parent: string;
let dataDir: string;
let folder: string;
/** Root's, beside the data folder. */
let victim: string;
const endings: (() => unknown)[] = [];

beforeEach(() => {
  parent = mkdtempSync(path.join(tmpdir(), "hodhod-pg-"));
  chmodSync(parent, 0o755);
  dataDir = path.join(parent, "data");
  folder = path.join(dataDir, "postgres");
  victim = path.join(parent, "victim");
  writeFileSync(victim, secret, { mode: 0o644 });
});

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
  rmSync(parent, { recursive: true, force: true });
});

async function start(progress: (line: string) => void = () => undefined): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: "off" }, progress });
  endings.push(() => postgres.stop());
  return postgres;
}

async function rows(url: string, text: string): Promise<unknown[]> {
  const db = Database.open({ url });
  try {
    return await db.query<Record<string, unknown>>(statement(text));
  } finally {
    await db.close();
  }
}

function ownersIn(place: string): ReadonlySet<number> {
  const names = readdirSync(place, { recursive: true, encoding: "utf8" });
  return new Set(["", ...names].map((name) => lstatSync(path.join(place, name)).uid));
}

/** One of each kind of object that an administrator may have made beside the gateway's. */
const objects = [
  "create role grafana",
  "alter default privileges grant select on tables to grafana",
  "create schema reports",
  "create type reports.colour as enum ('red')",
  "create domain reports.positive as int check (value > 0)",
  "create sequence reports.counter",
  "create table reports.kept (id int generated always as identity, serial bigserial, answer int) partition by range (id)",
  "create table reports.kept_1 partition of reports.kept for values from (1) to (1000)",
  "create view reports.seen as select answer from reports.kept",
  "create materialized view reports.copied as select answer from reports.kept",
  "create function reports.double(int) returns int language sql as 'select $1 * 2'",
  "create statistics reports.numbers on serial, answer from reports.kept_1",
  "insert into reports.kept (answer) values (42)",
];

const copyEarlier = preparedFolder((folder) => makeEarlierDatabase(folder, nobody, objects));
const copyStopped = stoppedFolder();

const ownedByAdministrator = `select relname as name from pg_class where relowner = 10 and oid >= 16384 and relnamespace::regnamespace::text !~ '^pg_'
  union all select typname from pg_type where typowner = 10 and oid >= 16384 and typnamespace::regnamespace::text !~ '^pg_'
  union all select proname from pg_proc where proowner = 10 and oid >= 16384
  union all select nspname from pg_namespace where nspowner = 10 and oid >= 16384
  union all select stxname from pg_statistic_ext where stxowner = 10
  union all select datname from pg_database where datname = 'hodhod' and datdba = 10`;

describe("a database of an earlier version", () => {
  it("is taken over: the gateway's role is no superuser, and owns all that was made", async () => {
    await copyEarlier(dataDir);
    const told: string[] = [];
    const first = await start((line) => told.push(line));
    expect(told).toContain("removing the superuser rights of the gateway's role");
    expect(await rows(first.url, ownedByAdministrator)).toEqual([]);
    expect(await rows(first.url, "select usesuper from pg_user where usename = current_user")).toEqual([
      { usesuper: false },
    ]);
    expect(await rows(first.url, "select answer, reports.double(answer) as double from reports.kept")).toEqual([
      { answer: 42, double: 84 },
    ]);
    const db = Database.open({ url: first.url });
    endings.push(() => db.close());
    await migrate(db);
    await ensurePartitions(db, new Date());
    expect(await rows(first.url, "select has_table_privilege('grafana', 'message', 'select') as may")).toEqual([
      { may: true },
    ]);
    expect(readFileSync(path.join(folder, "pg_hba.conf"), "utf8")).not.toMatch(/trust|host/);
    if (asRoot)
      expect([...ownersIn(folder)]).toEqual([Number(readFileSync(path.join(dataDir, "postgres.uid"), "utf8"))]);
    await db.close();
    await first.stop();

    const again: string[] = [];
    const second = await start((line) => again.push(line));
    expect(again).toEqual([]);
    expect(await rows(second.url, "select answer from reports.kept")).toEqual([{ answer: 42 }]);
  });

  it("is left as it is by a command that only reads, and refused", async () => {
    await copyEarlier(dataDir);
    const owners = ownersIn(folder);
    const rules = readFileSync(path.join(folder, "pg_hba.conf"), "utf8");
    const reading = startEmbeddedPostgres({ dataDir, settings: { fsync: "off" }, leavesAsItIs: true });
    await expect(reading).rejects.toThrow(/earlier version of Hodhod.*Run hodhod migrate/s);
    expect(ownersIn(folder)).toEqual(owners);
    expect(readFileSync(path.join(folder, "pg_hba.conf"), "utf8")).toBe(rules);
    await (await start()).stop();
    await (await startEmbeddedPostgres({ dataDir, settings: { fsync: "off" }, leavesAsItIs: true })).stop();
  });

  it("is taken up where a start was interrupted between its steps", async () => {
    await copyEarlier(dataDir);
    const first = await start();
    // As if the objects had not been given away yet.
    await rows(first.adminUrl.replace("/postgres?", "/hodhod?"), "alter table reports.kept owner to hodhod_admin");
    await rows(first.adminUrl, "alter database hodhod owner to hodhod_admin");
    await rows(first.adminUrl, "alter role hodhod superuser");
    await first.stop();
    const second = await start();
    expect(await rows(second.url, ownedByAdministrator)).toEqual([]);
    expect(await rows(second.url, "select usesuper from pg_user where usename = current_user")).toEqual([
      { usesuper: false },
    ]);
  });
});

describe.runIf(asRoot)("a database that root runs", () => {
  it("is handed over again where the handing over was interrupted", async () => {
    await copyStopped(dataDir);
    const id = Number(readFileSync(path.join(dataDir, "postgres.uid"), "utf8"));
    chownSync(path.join(folder, "PG_VERSION"), nobody, nobody);
    chownSync(folder, 0, 0);
    const postgres = await start();
    expect(statSync(`/proc/${postgres.pid}`).uid).toBe(id);
    expect([...ownersIn(folder)]).toEqual([id]);
  });

  it("leaves what a link in the folder leads to alone when it hands the files over", async () => {
    await copyEarlier(dataDir);
    symlinkSync(victim, path.join(folder, "base", "link"));
    symlinkSync(parent, path.join(folder, "pg_stat_tmp", "link"));
    await start();
    expect(statSync(victim)).toMatchObject({ uid: 0, gid: 0 });
    expect(statSync(parent).uid).toBe(0);
  });

  it.each([
    [
      "a second name of root's file",
      () => linkSync(victim, path.join(folder, "base", "linked")),
      /second name|somebody else/,
    ],
    [
      "a second name of the old owner's file",
      () => {
        chownSync(victim, nobody, nobody);
        linkSync(victim, path.join(folder, "base", "linked"));
      },
      /base\/linked has a second name/,
    ],
    ["a pipe", () => spawnSync("mkfifo", [path.join(folder, "base", "pipe")]), /neither a file nor a folder/],
  ])("refuses to hand over %s", async (_, plant, message) => {
    await copyEarlier(dataDir);
    plant();
    const { uid } = statSync(victim);
    await expect(start()).rejects.toThrow(message);
    expect(statSync(victim).uid).toBe(uid);
    // Closed to all meanwhile.
    expect(statSync(folder)).toMatchObject({ uid: 0 });
    for (const name of ["linked", "pipe"]) rmSync(path.join(folder, "base", name), { force: true });
    await start();
  });

  it("refuses to hand over files that a program of the old owner has open", async () => {
    mkdirSync(path.join(parent, "tree", "sub"), { recursive: true });
    const tree = path.join(parent, "tree");
    chownSync(tree, nobody, nobody);
    const reader = spawn("sleep", ["60"], { uid: nobody, gid: nobody, cwd: tree });
    endings.push(() => reader.kill());
    expect(() => giveTo({ uid: 31_234, gid: 31_234 }, tree)).toThrow(`process ${String(reader.pid)} has files`);
    expect(statSync(tree).uid).toBe(0);
    reader.kill();
  });

  it.each([
    ["postmaster.pid", () => path.join(folder, "postmaster.pid")],
    ["PG_VERSION", () => path.join(folder, "PG_VERSION")],
    ["pg_hba.conf", () => path.join(folder, "pg_hba.conf")],
    ["postgres.log", () => path.join(dataDir, "postgres.log")],
    ["postgres.uid", () => path.join(dataDir, "postgres.uid")],
  ])("refuses a link in the place of %s, and writes nothing through it", async (_, place) => {
    await copyStopped(dataDir);
    for (const link of [symlinkSync, linkSync]) {
      if (existsSync(place())) renameSync(place(), `${place()}.kept`);
      link(victim, place());
      await expect(start()).rejects.toThrow(/symbolic link|second name|another user/);
      expect(readFileSync(victim, "utf8")).toBe(secret);
      expect(statSync(victim)).toMatchObject({ uid: 0, mode: 0o100_644 });
      rmSync(place());
      if (existsSync(`${place()}.kept`)) renameSync(`${place()}.kept`, place());
    }
    await start();
  });

  it("refuses a link in the place of the socket's folder", async () => {
    mkdirSync(dataDir);
    symlinkSync(parent, path.join(dataDir, "socket"));
    await expect(start()).rejects.toThrow("socket is not a folder");
    expect(readFileSync(victim, "utf8")).toBe(secret);
    expect(statSync(parent)).toMatchObject({ uid: 0, mode: 0o40_755 });
  });
});
