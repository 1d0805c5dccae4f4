import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  lstatSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  findRunningPostgres,
  makeDataFolder,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from "../../src/postgres/embedded-postgres.ts";
import { isRunning, takeOwnerLock } from "../../src/postgres/owner-lock.ts";
import { Database } from "../../src/store/database.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";
import { statement } from "../support/database.ts";
import { eventually } from "../support/factories.ts";
import { stoppedFolder } from "../support/prepared-folder.ts";

const asRoot = process.getuid?.() === 0;
const nobody = 65_534;
const childScript = fileURLToPath(new URL("../support/postgres-child.js", import.meta.url));

/**
 * An ordinary user that runs this program needs to walk to node and to the sources: not where they
 * lie in a closed folder.
 */
const ordinaryUser = 1;
const ordinaryUserReaches =
  asRoot &&
  [process.execPath, childScript].every(
    (file) => spawnSync("/usr/bin/test", ["-r", file], { uid: ordinaryUser, gid: ordinaryUser, cwd: "/" }).status === 0,
  );
if (asRoot && !ordinaryUserReaches)
  process.stderr.write("not tried as an ordinary user: it cannot reach node or the sources\n");

let parent: string;
let dataDir: string;
const endings: (() => unknown)[] = [];

beforeEach(() => {
  parent = mkdtempSync(path.join(tmpdir(), "hodhod-pg-"));
  chmodSync(parent, 0o755);
  dataDir = path.join(parent, "data");
});

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
  rmSync(parent, { recursive: true, force: true });
});

/** Starts, and stops at the end of the test whatever happens. */
async function start(
  options: { telemetry?: Telemetry; progress?: (line: string) => void } = {},
): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: "off" }, ...options });
  endings.push(() => postgres.stop());
  return postgres;
}

const copyStopped = stoppedFolder();

interface Child {
  readonly process: ChildProcess;
  readonly url: string;
  readonly pid: number;
}

interface ChildOptions {
  readonly uid?: number;
  readonly purpose?: string;
}

async function startChild({ uid, purpose = "serve" }: ChildOptions = {}): Promise<Child> {
  const identity = uid === undefined ? {} : { uid, gid: uid };
  const child = spawn(process.execPath, [childScript, dataDir, purpose], {
    stdio: ["pipe", "pipe", "inherit"],
    cwd: path.resolve(path.dirname(childScript), "../.."),
    ...identity,
  });
  endings.push(() => child.kill("SIGKILL"));
  const lines = createInterface(child.stdout);
  const [line] = (await once(lines, "line")) as [string];
  return { process: child, ...(JSON.parse(line) as { url: string; pid: number }) };
}

async function rows<Row>(url: string, text: string): Promise<Row[]> {
  const db = Database.open({ url });
  try {
    return await db.query<Row>(statement(text));
  } finally {
    await db.close();
  }
}

function uidOf(pid: number): number {
  return statSync(`/proc/${pid}`).uid;
}

describe("startEmbeddedPostgres", () => {
  it("starts from nothing, keeps the data over a restart, and leaves neither process nor socket behind", async () => {
    const told: string[] = [];
    const first = await start({ progress: (line) => told.push(line) });
    expect(told).toEqual(["creating the database (first start)"]);
    await rows(first.url, "create table kept as select 42 as answer");
    const pid = first.pid;
    await first.stop();
    await first.stop();
    expect(isRunning(pid)).toBe(false);
    expect(readdirSync(dataDir).sort()).toEqual(["postgres", "postgres.log"]);

    const again: string[] = [];
    const second = await start({ progress: (line) => again.push(line) });
    expect(again).toEqual([]);
    expect(await rows(second.url, "select answer from kept")).toEqual([{ answer: 42 }]);
  });

  it("that ends late removes nothing of one that was started anew in the same place", async () => {
    await copyStopped(dataDir);
    const late = await startChild();
    rmSync(dataDir, { recursive: true });
    await copyStopped(dataDir);
    const anew = await start();
    late.process.stdin?.write("stop\n");
    await once(late.process, "exit");
    expect(await rows(anew.url, "select 1 as one")).toEqual([{ one: 1 }]);
    expect(readdirSync(path.join(dataDir, "postgres"))).toContain("socket");
  });

  it("listens on a private socket only, with checksums, UTF-8 and durable commits", async () => {
    await copyStopped(dataDir);
    const postgres = await startEmbeddedPostgres({ dataDir });
    endings.push(() => postgres.stop());
    const names = [
      "listen_addresses",
      "data_checksums",
      "server_encoding",
      "fsync",
      "synchronous_commit",
      "full_page_writes",
    ];
    const settings = names.map((name) => `current_setting('${name}') as ${name}`).join(", ");
    expect(await rows(postgres.url, `select ${settings}`)).toEqual([
      {
        listen_addresses: "",
        data_checksums: "on",
        server_encoding: "UTF8",
        fsync: "on",
        synchronous_commit: "on",
        full_page_writes: "on",
      },
    ]);
    expect(statSync(path.join(dataDir, "postgres", "socket")).mode & 0o777).toBe(0o700);
    expect(statSync(path.join(dataDir, "postgres")).mode & 0o777).toBe(0o700);
  });

  it("starts its server again when that is killed, and nothing committed is lost", async () => {
    await copyStopped(dataDir);
    const telemetry = new Telemetry();
    const postgres = await start({ telemetry });
    const db = Database.open({ url: postgres.url, telemetry });
    endings.push(() => db.close());
    await db.query(statement("create table kept as select 42 as answer"));
    const before = postgres.pid;
    const restarted = telemetry.next("postgres.started", (event) => event.restarted);
    process.kill(before, "SIGKILL");
    await restarted;
    expect(postgres.pid).not.toBe(before);
    expect(await db.query(statement("select answer from kept"))).toEqual([{ answer: 42 }]);
  });

  it("recovers after kill -9 of the gateway, whose server lived on", async () => {
    await copyStopped(dataDir);
    const child = await startChild();
    await rows(child.url, "create table kept as select 42 as answer");
    child.process.kill("SIGKILL");
    await once(child.process, "exit");
    expect(isRunning(child.pid)).toBe(true);
    const told: string[] = [];
    const postgres = await start({ progress: (line) => told.push(line) });
    expect(told).toEqual(["stopping the database that an earlier gateway left running"]);
    expect(isRunning(child.pid)).toBe(false);
    expect(await rows(postgres.url, "select answer from kept")).toEqual([{ answer: 42 }]);
  });

  it("recovers after kill -9 of gateway and server, also while sessions of the dead server are still at work", async () => {
    await copyStopped(dataDir);
    const child = await startChild();
    await rows(child.url, "create table kept as select 42 as answer");
    const busy = rows(child.url, "select count(*) from generate_series(1, 10000000)").catch(() => undefined);
    child.process.kill("SIGKILL");
    await once(child.process, "exit");
    process.kill(child.pid, "SIGKILL");
    const postgres = await start();
    expect(await rows(postgres.url, "select answer from kept")).toEqual([{ answer: 42 }]);
    await busy;
  });

  it("ends its server when the gateway's process exits without stopping it", async () => {
    await copyStopped(dataDir);
    const child = await startChild();
    child.process.stdin?.write("exit\n");
    await once(child.process, "exit");
    await eventually(() => !isRunning(child.pid));
    expect(existsSync(path.join(dataDir, "hodhod.lock"))).toBe(false);
  });

  it("refuses a data folder that another living gateway has, naming its process", async () => {
    await copyStopped(dataDir);
    const child = await startChild();
    await expect(start()).rejects.toThrow(`in use by process ${String(child.process.pid)}`);
    expect(isRunning(child.pid)).toBe(true);
    expect(await findRunningPostgres(dataDir)).toEqual({ url: child.url });
    child.process.stdin?.write("stop\n");
    await once(child.process, "exit");
    expect(await findRunningPostgres(dataDir)).toBeUndefined();
    await start();
  });

  it("is waited for where it does not start, which is told, and not without end", async () => {
    makeDataFolder(dataDir);
    const free = takeOwnerLock(dataDir, "serve");
    const told: string[] = [];
    const found = findRunningPostgres(dataDir, (line) => told.push(line), 2200);
    await expect(found).rejects.toThrow(`the database of the gateway (process ${process.pid}) is not ready`);
    expect(told).toEqual([expect.stringContaining(`waiting for the database of the gateway (process ${process.pid})`)]);
    free();
  });

  it("waits for a command that uses the folder briefly", async () => {
    await copyStopped(dataDir);
    const child = await startChild({ purpose: "command" });
    expect(await findRunningPostgres(dataDir)).toBeUndefined();
    const told: string[] = [];
    let tell: () => void = () => undefined;
    const waits = new Promise<void>((resolve) => (tell = resolve));
    const started = start({
      progress: (line) => {
        told.push(line);
        tell();
      },
    });
    await waits;
    expect(told[0]).toContain(`waiting for process ${String(child.process.pid)}`);
    child.process.stdin?.write("stop\n");
    await once(child.process, "exit");
    expect(isRunning((await started).pid)).toBe(true);
  });

  it("takes a pid in postmaster.pid that now belongs to another program for what it is", async () => {
    await copyStopped(dataDir);
    const stranger = spawn("sleep", ["60"]);
    endings.push(() => stranger.kill());
    writeFileSync(
      path.join(dataDir, "postgres", "postmaster.pid"),
      `${String(stranger.pid)}\n${dataDir}/postgres\n1\n5432\n/x\n\n1 1\nready\n`,
    );
    await start();
    expect(stranger.exitCode).toBeNull();
  });

  it("refuses a folder of another major version and changes nothing in it", async () => {
    await copyStopped(dataDir);
    const file = path.join(dataDir, "postgres", "PG_VERSION");
    const ours = readFileSync(file, "utf8");
    writeFileSync(file, "13\n");
    await expect(start()).rejects.toThrow(/created by PostgreSQL 13.*hodhod backup FILE.*hodhod restore FILE/s);
    writeFileSync(file, ours);
    await start();
  });

  it("begins again after a first start that was cut off", async () => {
    mkdirSync(path.join(dataDir, "postgres.new", "base"), { recursive: true });
    await start();
    expect(existsSync(path.join(dataDir, "postgres.new"))).toBe(false);
  });

  it.each([
    ["longer than a socket's path may be", "long".repeat(40)],
    ["with blanks, commas, quotes and Persian letters", "پیام ها, 'a' \"b\""],
  ])("works in a folder %s", async (_, name) => {
    dataDir = path.join(parent, name, "data");
    const postgres = await start();
    expect(await rows(postgres.url, "select 1 as one")).toEqual([{ one: 1 }]);
    const socketFolder = new URL(postgres.url).searchParams.get("host") ?? "";
    await postgres.stop();
    expect(existsSync(socketFolder)).toBe(false);
  });

  it("says what is wrong when the server cannot start", async () => {
    await copyStopped(dataDir);
    rmSync(path.join(dataDir, "postgres", "global"), { recursive: true });
    await expect(start()).rejects.toThrow(/does not start \(see .*postgres\.log\)/);
    expect(existsSync(path.join(dataDir, "hodhod.lock"))).toBe(false);
  });
});

describe("the roles of the embedded database", () => {
  it("lets in by the id of the caller, never by trust, and never by TCP", async () => {
    await copyStopped(dataDir);
    await start();
    const rules = readFileSync(path.join(dataDir, "postgres", "pg_hba.conf"), "utf8");
    expect(rules).toMatch(/^local all all peer map=hodhod$/m);
    expect(rules).not.toMatch(/trust|host/);
  });

  it("gives the gateway a role that is no superuser and runs no programs", async () => {
    await copyStopped(dataDir);
    const { url } = await start();
    expect(await rows(url, "select usename, usesuper, usecreatedb from pg_user where usename = current_user")).toEqual([
      { usename: "hodhod", usesuper: false, usecreatedb: false },
    ]);
    await expect(rows(url, "copy (select 1) to program 'true'")).rejects.toThrow();
    await expect(rows(url, "set role hodhod_admin")).rejects.toThrow();
  });
});

describe.runIf(asRoot)("startEmbeddedPostgres as root", () => {
  it("runs the server as an id of its own, without any capability, and keeps the id for the folder", async () => {
    await copyStopped(dataDir);
    const first = await start();
    const id = uidOf(first.pid);
    expect(id).toBeGreaterThan(0);
    expect(id).toBeLessThan(nobody);
    expect(readFileSync("/etc/passwd", "utf8")).not.toMatch(new RegExp(`:${id}:`));
    expect(readFileSync(`/proc/${first.pid}/status`, "utf8")).toMatch(/^CapEff:\s*0+$/m);
    expect(statSync(dataDir).mode & 0o777).toBe(0o711);
    for (const name of readdirSync(dataDir)) expect(statSync(path.join(dataDir, name)).mode & 0o077).toBe(0);
    const files = readdirSync(path.join(dataDir, "postgres"), { recursive: true, encoding: "utf8" });
    const owners = files.map((name) => lstatSync(path.join(dataDir, "postgres", name)).uid);
    expect([...new Set(owners)]).toEqual([id]);
    await first.stop();
    const again = await start();
    expect(uidOf(again.pid)).toBe(id);
  });

  it("runs it also under a folder closed to that user, and without any capability", async () => {
    chmodSync(parent, 0o700);
    const closed = await start();
    expect(readFileSync(`/proc/${closed.pid}/status`, "utf8")).toMatch(/^CapEff:\s*0+$/m);
    await rows(closed.url, "create table kept as select 42 as answer");
    await closed.stop();
    chmodSync(dataDir, 0o700);
    const all = await start();
    expect(await rows(all.url, "select answer from kept")).toEqual([{ answer: 42 }]);
  });

  it.runIf(ordinaryUserReaches)("runs a folder that an ordinary user made as that user", async () => {
    mkdirSync(dataDir);
    chownSync(dataDir, ordinaryUser, ordinaryUser);
    chownSync(parent, ordinaryUser, ordinaryUser);
    const child = await startChild({ uid: ordinaryUser });
    expect(uidOf(child.pid)).toBe(ordinaryUser);
    await rows(child.url, "create table kept as select 42 as answer");
    child.process.stdin?.write("stop\n");
    await once(child.process, "exit");
    const postgres = await start();
    expect(uidOf(postgres.pid)).toBe(ordinaryUser);
    expect(await rows(postgres.url, "select answer from kept")).toEqual([{ answer: 42 }]);
  });
});
