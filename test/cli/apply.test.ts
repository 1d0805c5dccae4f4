import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEmptyDatabase, type TestDatabase } from "../support/database.ts";
import { hodhod, temporaryFolder } from "./run-hodhod.ts";

const file = path.join(import.meta.dirname, "../fixtures/setup.yaml");

let database: TestDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  database = await createEmptyDatabase();
  env = { DATABASE_URL: database.url };
});
afterAll(() => database.drop());

describe("hodhod apply", () => {
  it("makes a new database ready, stores the file and tells what it changed", async () => {
    const { code, stdout } = await hodhod(["apply", file], { env });
    expect(code).toBe(0);
    expect(stdout).toContain("+ account demo\n    domain: demo.example\n    credit: 10,000,000\n");
    expect(stdout).toMatch(/\d+ created, \d+ changed, 0 removed\. Running gateways follow within a second\.\n$/);
    for (const secret of ["demo-password", "demo-key-please-change", "argon2", ": secret"]) {
      expect(stdout).not.toContain(secret);
    }
  });

  it("has nothing to change the second time, from standard input as well", async () => {
    expect(await hodhod(["apply", file], { env })).toMatchObject({ code: 0, stdout: "Nothing to change.\n" });
    const input = readFileSync(file, "utf8");
    expect(await hodhod(["apply", "-"], { env, input })).toMatchObject({ code: 0, stdout: "Nothing to change.\n" });
  });

  it("only tells with --dry-run", async () => {
    const input = "connectors: [{ name: mci-1, window: 50 }]";
    for (let round = 0; round < 2; round += 1) {
      const { code, stdout } = await hodhod(["apply", "--dry-run", "-"], { env, input });
      expect(code).toBe(0);
      expect(stdout).toBe(
        "~ connector mci-1\n    window: 100 → 50\n0 created, 1 changed, 0 removed if it were applied; nothing was stored.\n",
      );
    }
  });

  it("tells a program what changed, in JSON", async () => {
    const { code, stdout } = await hodhod(["apply", "--json", "-"], { env, input: '{"retentionDays": 30}' });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      ...{ changed: true, dryRun: false, version: expect.any(Number) as unknown, warnings: [] },
      changes: [{ action: "change", kind: "settings", name: "settings", details: ["retentionDays: 400 → 30"] }],
    });
  });

  it("tells all faults with their places: exit code 2", async () => {
    const input = "retentionDays: 0\nlines:\n  - { number: x, kindd: service }\n";
    const text = await hodhod(["apply", "-"], { env, input });
    expect(text).toMatchObject({ code: 2, stdout: "" });
    expect(text.stderr).toBe(
      [
        "hodhod: the setup has 3 faults",
        "  line 1, retentionDays: must be a whole number from 1 to 36500",
        "  line 3, lines[0].kindd: kindd is not a key that is known here (did you mean kind?)",
        "  line 3, lines[0].number: must be a line number of 4 to 14 digits",
        "hint: nothing was changed; correct the file and apply it again\n",
      ].join("\n"),
    );
    const json = await hodhod(["apply", "--json", "-"], { env, input });
    expect(json.code).toBe(2);
    expect(JSON.parse(json.stdout)).toMatchObject({
      faults: [{ path: "retentionDays", line: 1 }, { path: "lines[0].kindd", line: 3 }, { path: "lines[0].number" }],
    });
  });

  it("counts what is too much to be listed", async () => {
    const input = JSON.stringify({ lines: Array.from({ length: 60 }, (_, n) => ({ number: String(20_000 + n) })) });
    expect((await hodhod(["apply", "-"], { env, input })).stdout).toMatch(/^\+ line: 60 of them\n60 created/);
  });

  it("starts a database of its own in the data folder, and leaves nothing running", async () => {
    const folder = temporaryFolder();
    const own = { HODHOD_DATA_DIR: path.join(folder.path, "data") };
    try {
      const missing = await hodhod(["statement", "demo"], { env: own });
      expect(missing.code).toBe(1);
      expect(missing.stderr).toMatch(/^hodhod: there is no database in the data folder .*\nhint: set HODHOD_DATA_DIR/);
      expect((await hodhod(["apply", file], { env: own })).code).toBe(0);
      expect((await hodhod(["statement", "demo"], { env: own })).stdout).toContain("Balance now: 10,000,000");
    } finally {
      folder.remove();
    }
  });
});
