// The commands migrate, backup and restore, run as a user runs them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createEmptyDatabase, createTestDatabase, statement } from "../support/database.ts";
import { hodhod as run, type Outcome, type RunOptions, spawnHodhod, temporaryFolder } from "./run-hodhod.ts";
import { addObject } from "../support/object-sql.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** Of each test. Names of files are there. */
let folder: string;
let file: string;
beforeEach(() => {
  const temporary = temporaryFolder();
  folder = temporary.path;
  file = path.join(folder, "a.backup");
  return () => temporary.remove();
});

/** The data folder is beside the files, where the environment names none. */
function hodhod(args: readonly string[], { env = {}, ...options }: RunOptions = {}): Promise<Outcome> {
  return run(args, { folder, env: { HODHOD_DATA_DIR: path.join(folder, "data"), ...env }, ...options });
}

describe("hodhod migrate, backup and restore of an embedded database", () => {
  let dataDir: string;
  let env: { readonly HODHOD_DATA_DIR: string };
  let migrated: Outcome;
  beforeAll(async () => {
    const parent = temporaryFolder();
    dataDir = path.join(parent.path, "data");
    env = { HODHOD_DATA_DIR: dataDir };
    migrated = await run(["migrate"], { env });
    return () => parent.remove();
  });

  it("carry it to another data folder", async () => {
    expect(migrated).toMatchObject({ code: 0, stdout: expect.stringContaining("applied 0001_schema") as string });
    expect(await hodhod(["migrate"], { env })).toMatchObject({ code: 0, stdout: "The schema is up to date.\n" });
    expect(await hodhod(["backup", "a.backup"], { env })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("written to a.backup") as string,
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await hodhod(["restore", "a.backup"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("restored") as string,
    });
    for (const data of [dataDir, path.join(folder, "data")])
      expect(existsSync(path.join(data, "postgres", "postmaster.pid"))).toBe(false);
  });

  it("leave no server behind where Ctrl-C comes while it starts", async () => {
    const pidFile = path.join(dataDir, "postgres", "postmaster.pid");
    const child = spawnHodhod(["migrate"], { env });
    const closed = once(child, "close");
    await expect.poll(() => existsSync(pidFile), { timeout: 20_000, interval: 2 }).toBe(true);
    child.kill("SIGINT");
    expect(await closed).toEqual([130, null]);
    await expect.poll(() => existsSync(pidFile), { timeout: 20_000 }).toBe(false);
  });

  it("save while a gateway has the data folder, and do not restore into it", async () => {
    const program = path.join(root, "test/support/postgres-child.js");
    const owner = spawn(process.execPath, [program, dataDir], { stdio: ["pipe", "pipe", "inherit"], cwd: root });
    onTestFinished(async () => {
      if (owner.exitCode !== null) return;
      owner.stdin.write("stop\n");
      await once(owner, "exit");
    });
    await once(createInterface(owner.stdout), "line");
    expect(await hodhod(["backup", "a.backup"], { env })).toMatchObject({ code: 0 });
    const refused = await hodhod(["restore", "a.backup", "--force"], { env });
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("a gateway is running on this data folder") as string,
    });
    owner.stdin.write("stop\n");
    await once(owner, "exit");
  });
});

describe("hodhod backup and restore", () => {
  it("work by DATABASE_URL, and refuse a database in use without --force", async () => {
    const source = await createTestDatabase();
    const target = await createEmptyDatabase();
    await source.rows(addObject("connectors", "'mci'"));
    expect(await hodhod(["backup", "a.backup"], { env: { DATABASE_URL: source.url } })).toMatchObject({ code: 0 });
    expect(await hodhod(["restore", "a.backup"], { env: { DATABASE_URL: target.url } })).toMatchObject({ code: 0 });
    const refused = await hodhod(["restore", "a.backup"], { env: { DATABASE_URL: target.url } });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("not empty") as string });
    expect(await hodhod(["restore", "a.backup", "--force"], { env: { DATABASE_URL: target.url } })).toMatchObject({
      code: 0,
    });
    expect(await target.rows("select name from configured_object")).toEqual([{ name: "mci" }]);
    await source.drop();
    await target.drop();
  });

  it("leave no unfinished file where a signal ends the backup", async () => {
    const source = await createTestDatabase();
    await source.db.dedicatedSession(async (holder) => {
      await holder.query("begin");
      await holder.query("lock table account in access exclusive mode");
      const child = spawnHodhod(["backup", "a.backup"], { folder, env: { DATABASE_URL: source.url } });
      const closed = once(child, "close");
      // It waits for the table.
      const waiting = statement(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      await expect.poll(() => source.db.query(waiting), { timeout: 20_000 }).toHaveLength(1);
      expect(readdirSync(folder)).toEqual([expect.stringMatching(/^a\.backup\..+\.partial$/)]);
      child.kill("SIGTERM");
      expect(await closed).toEqual([143, null]);
      await holder.query("rollback");
    });
    expect(readdirSync(folder)).toEqual([]);
    await source.drop();
  });

  it("say what the file system refuses, and never that the database is away", async () => {
    const source = await createTestDatabase();
    const env = { DATABASE_URL: source.url };
    expect(await hodhod(["backup", "none/a.backup"], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/none\/a\.backup\.[^']+\.partial': no such file or directory/) as string,
    });
    writeFileSync(file, "kept");
    const refused = await hodhod(["backup", "a.backup"], { env });
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining("the file a.backup already exists\nhint: "),
    ]);
    expect(readFileSync(file, "utf8")).toBe("kept");
    expect(await hodhod(["backup", "--force", "a.backup"], { env })).toMatchObject({ code: 0 });
    expect(readFileSync(file).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
    await source.drop();
  });

  it("say that the disk has no room, and leave nothing of the file", async () => {
    const source = await createTestDatabase();
    // So much that the file is written while rows are still read.
    await source.rows(
      "insert into configured_object (section, name, body) select 'tariffs', md5(n::text) || md5((-n)::text), '{}' from generate_series(1, 20000) n",
    );
    // A limit on files of 512 or 1024 octets stands for the full disk.
    const limited = `ulimit -f 1 && exec '${process.execPath}' '${path.join(root, "bin/hodhod")}' backup a.backup`;
    const { PATH = "" } = process.env;
    const child = spawn("sh", ["-c", limited], { cwd: folder, env: { PATH, DATABASE_URL: source.url } });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    expect(await once(child, "close")).toEqual([1, null]);
    // A slow machine tells its progress before.
    expect(stderr).toMatch(/^(configured_object: \d+ MB\n)*hodhod: EFBIG: file too large, write\n$/);
    expect(readdirSync(folder)).toEqual([]);
    await source.drop();
  });

  it("say that another file is no backup, and make no database for it", async () => {
    writeFileSync(file, "a letter, no backup");
    expect(await hodhod(["restore", "a.backup"], { endsBeforeDatabase: true })).toEqual({
      code: 1,
      stdout: "",
      stderr: "checking the backup\nhodhod: the backup cannot be used: it is not a backup of Hodhod\n",
    });
    expect(existsSync(path.join(folder, "data"))).toBe(false);
  });

  it.each([
    ["-", "a backup is written to a file, not to the output"],
    ["", "a backup is written to a file, not to the output"],
    // With --force a backup would take the place of the device.
    ["socket", "socket is not a regular file"],
  ])("write no backup to %j", async (name, message) => {
    const server = createServer().listen(path.join(folder, "socket"));
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { code, stderr } = await hodhod(["backup", "--force", name], { endsBeforeDatabase: true });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(readdirSync(folder)).toEqual(["socket"]);
  });

  it("say what is wrong in a line", async () => {
    expect(await hodhod(["restore", "none.backup"], { endsBeforeDatabase: true })).toMatchObject({
      code: 2,
      stderr: "hodhod: there is no file none.backup\n",
    });
    const away = await hodhod(["backup", "a.backup"], {
      env: { DATABASE_URL: "postgres://user:geheim@127.0.0.1:1/none" },
    });
    expect(away).toMatchObject({ code: 1, stderr: expect.stringContaining("cannot reach the database") as string });
    expect(away.stderr).not.toContain("geheim");
    expect(existsSync(file)).toBe(false);
  });
});
