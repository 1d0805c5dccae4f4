// The commands migrate, backup and restore, run as a user runs them.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createEmptyDatabase, createTestDatabase, statement } from "../support/database.ts";

const root = path.resolve(import.meta.dirname, "../..");

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "hodhod-cli-"));
  file = path.join(folder, "a.backup");
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function hodhod(variables: Record<string, string>, ...args: string[]): Promise<Outcome> {
  const environment = { PATH: process.env["PATH"] ?? "", HODHOD_DATA_DIR: path.join(folder, "data"), ...variables };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [path.join(root, "bin/hodhod"), ...args],
      { env: environment, cwd: folder },
      (error, out, err) => {
        resolve({ code: typeof error?.code === "number" ? error.code : error ? 1 : 0, out, err });
      },
    );
  });
}

describe("hodhod migrate, backup and restore", () => {
  it("carry an embedded database to another data folder", async () => {
    expect(await hodhod({}, "migrate")).toMatchObject({
      code: 0,
      out: expect.stringContaining("applied 0001_initial") as string,
    });
    expect(await hodhod({}, "migrate")).toMatchObject({ code: 0, out: "The schema is up to date.\n" });
    expect(await hodhod({}, "backup", "a.backup")).toMatchObject({
      code: 0,
      out: expect.stringContaining("written to a.backup") as string,
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const other = { HODHOD_DATA_DIR: path.join(folder, "other") };
    expect(await hodhod(other, "restore", "a.backup")).toMatchObject({
      code: 0,
      out: expect.stringContaining("restored") as string,
    });
    for (const data of ["data", "other"])
      expect(existsSync(path.join(folder, data, "postgres", "postmaster.pid"))).toBe(false);
  });

  it("save while a gateway has the data folder, and do not restore into it", async () => {
    await hodhod({}, "migrate");
    const owner = spawn(
      process.execPath,
      [path.join(root, "test/support/postgres-child.js"), path.join(folder, "data")],
      {
        stdio: ["pipe", "pipe", "inherit"],
        cwd: root,
      },
    );
    onTestFinished(async () => {
      if (owner.exitCode !== null) return;
      owner.stdin.write("stop\n");
      await once(owner, "exit");
    });
    await once(createInterface(owner.stdout), "line");
    expect(await hodhod({}, "backup", "a.backup")).toMatchObject({ code: 0 });
    const refused = await hodhod({}, "restore", "a.backup", "--force");
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining("a gateway is running on this data folder") as string,
    });
    owner.stdin.write("stop\n");
    await once(owner, "exit");
  });

  it("work by DATABASE_URL, and refuse a database in use without --force", async () => {
    const source = await createTestDatabase();
    const target = await createEmptyDatabase();
    await source.db.query(statement("insert into connector (name, settings) values ('mci', '{}')"));
    expect(await hodhod({ DATABASE_URL: source.url }, "backup", "a.backup")).toMatchObject({ code: 0 });
    expect(await hodhod({ DATABASE_URL: target.url }, "restore", "a.backup")).toMatchObject({ code: 0 });
    const refused = await hodhod({ DATABASE_URL: target.url }, "restore", "a.backup");
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("not empty") as string });
    expect(await hodhod({ DATABASE_URL: target.url }, "restore", "a.backup", "--force")).toMatchObject({ code: 0 });
    expect(await target.db.query(statement("select name from connector"))).toEqual([{ name: "mci" }]);
    await source.drop();
    await target.drop();
  });

  it("say what the file system refuses, and never that the database is away", async () => {
    const source = await createTestDatabase();
    const env = { DATABASE_URL: source.url };
    expect(await hodhod(env, "backup", "none/a.backup")).toEqual({
      code: 2,
      out: "",
      err: `hodhod: there is no folder ${path.join(folder, "none")}\n`,
    });
    writeFileSync(file, "kept");
    const refused = await hodhod(env, "backup", "a.backup");
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining("the file a.backup already exists\nhint: "),
    ]);
    expect(readFileSync(file, "utf8")).toBe("kept");
    expect(await hodhod(env, "backup", "--force", "a.backup")).toMatchObject({ code: 0 });
    expect(readFileSync(file).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
    await source.drop();
  });

  it("say that another file is no backup, and make no database for it", async () => {
    writeFileSync(file, "a letter, no backup");
    expect(await hodhod({}, "restore", "a.backup")).toEqual({
      code: 1,
      out: "",
      err: "checking the backup\nhodhod: the backup cannot be used: it is not a backup of Hodhod\n",
    });
    expect(existsSync(path.join(folder, "data"))).toBe(false);
  });

  it("say what is wrong in a line", async () => {
    expect(await hodhod({}, "restore", "none.backup")).toMatchObject({
      code: 2,
      err: "hodhod: there is no file none.backup\n",
    });
    const away = await hodhod({ DATABASE_URL: "postgres://user:geheim@127.0.0.1:1/none" }, "backup", "a.backup");
    expect(away).toMatchObject({ code: 1, err: expect.stringContaining("cannot reach the database") as string });
    expect(away.err).not.toContain("geheim");
    expect(existsSync(file)).toBe(false);
  });
});
