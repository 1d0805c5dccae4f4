// What another user may have put in the place of the database's files when root starts it: nothing
// outside of the folder ever changes.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
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
import { stoppedFolder } from "../support/prepared-folder.ts";

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

const copyStopped = stoppedFolder();

describe.runIf(asRoot)("a database that root runs", () => {
  it("is refused where its files belong to somebody else, and says how to give them back", async () => {
    await copyStopped(dataDir);
    const id = statSync(folder).uid;
    chownSync(folder, nobody, nobody);
    await expect(start()).rejects.toThrow(/belongs to user 65534, not to its own: chown -R (\d+):\1 .*postgres$/);
    expect(statSync(folder).uid).toBe(nobody);
    spawnSync("chown", ["-R", `${id}:${id}`, folder]);
    await start();
  });

  it.each([
    ["postmaster.pid", () => path.join(folder, "postmaster.pid")],
    ["PG_VERSION", () => path.join(folder, "PG_VERSION")],
    ["pg_hba.conf", () => path.join(folder, "pg_hba.conf")],
    ["postgres.log", () => path.join(dataDir, "postgres.log")],
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

  it("makes its socket's folder anew, and follows no link in its place", async () => {
    await copyStopped(dataDir);
    symlinkSync(parent, path.join(folder, "socket"));
    await start();
    expect(lstatSync(path.join(folder, "socket")).isDirectory()).toBe(true);
    expect(readFileSync(victim, "utf8")).toBe(secret);
    expect(statSync(parent)).toMatchObject({ uid: 0, mode: 0o40_755 });
  });

  it("refuses a link in the place of the whole folder", async () => {
    await copyStopped(dataDir);
    renameSync(folder, `${folder}.kept`);
    symlinkSync(`${folder}.kept`, folder);
    await expect(start()).rejects.toThrow("is a symbolic link, which is not followed");
  });
});
