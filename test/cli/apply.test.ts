import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startEmbeddedPostgres } from "../../src/postgres/embedded-postgres.ts";
import { createEmptyDatabase, type TestDatabase } from "../support/database.ts";
import { hodhod, onTerminal, temporaryFolder } from "./run-hodhod.ts";

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
    expect(stdout).toContain("+ account demo\n    credit: 10,000,000\n    domain: demo.example\n");
    expect(stdout).toMatch(/\d+ created, \d+ changed, 0 removed\. No gateway is running\.\n$/);
    for (const secret of ["password-of-demo", "demo-key-please-change", "argon2", ": secret"]) {
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
        "~ connector mci-1\n    window: 100 → 50\nDry run: 0 created, 1 changed, 0 removed. Nothing was stored.\n",
      );
    }
  });

  it("takes secrets from files beside the setup file and from its environment, and shows none", async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder.path, "password"), "from-a-file\n");
    writeFileSync(
      path.join(folder.path, "setup.yaml"),
      'connectors: [{ name: outside, type: smpp, host: "${SMSC_HOST}", port: 1, systemId: a, passwordFile: password }]\n',
    );
    const setup = path.join(folder.path, "setup.yaml");
    const { code, stdout } = await hodhod(["apply", setup], { env: { ...env, SMSC_HOST: "smsc.example" } });
    expect([code, stdout]).toEqual([0, expect.stringContaining("host: smsc.example")]);
    expect(stdout).not.toContain("from-a-file");
    const [row] = await database.db.query<{ settings: unknown }>({
      name: "settingsOfOutside",
      text: "select body as settings from configured_object where name = 'outside'",
      values: [],
    });
    expect(row?.settings).toMatchObject({ host: "smsc.example", password: "from-a-file" });
    await hodhod(["apply", "-"], { env, input: "connectors: [{ name: outside, enabled: false }]" });
    folder.remove();
  });

  it("tells a program what changed, in JSON", async () => {
    const { code, stdout } = await hodhod(["apply", "--json", "-"], { env, input: '{"retentionDays": 30}' });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      changed: true,
      dryRun: false,
      version: expect.any(Number) as unknown,
      warnings: [],
      nodes: { following: [], behind: [] },
      changes: [
        {
          action: "change",
          section: "settings",
          kind: "settings",
          name: "settings",
          details: ["retentionDays: 400 → 30"],
        },
      ],
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
        "  line 3, lines[0].kindd: kindd is an unknown key (did you mean kind?)",
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

  it("lists what is wrong in the file beside what only the stored objects show", async () => {
    const input = "retentionDays: 0\nroutes:\n  - connectors: [nowhere]\n";
    const { code, stderr } = await hodhod(["apply", "-"], { env, input });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/2 faults\n.*retentionDays.*\n.*nowhere/)]);
    // Without a database, and without making one.
    const folder = temporaryFolder();
    const own = { HODHOD_DATA_DIR: path.join(folder.path, "data") };
    const alone = await hodhod(["apply", "--create", "-"], { env: own, input });
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringMatching(/has a fault\n.*retentionDays/)]);
    expect(existsSync(own.HODHOD_DATA_DIR)).toBe(false);
    folder.remove();
  });

  it("starts a database of its own in the data folder, and leaves nothing running", async () => {
    const folder = temporaryFolder();
    const own = { HODHOD_DATA_DIR: path.join(folder.path, "data") };
    try {
      const created = await hodhod(["apply", "--create", file], { env: own });
      expect(created).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("No gateway is running.") as unknown,
      });
      expect((await hodhod(["statement", "demo"], { env: own })).stdout).toContain("Balance now: 10,000,000");
      expect(existsSync(path.join(folder.path, "data", "postgres", "postmaster.pid"))).toBe(false);
      expect(await hodhod(["apply", file], { env: own })).toMatchObject({ code: 0, stdout: "Nothing to change.\n" });
    } finally {
      folder.remove();
    }
  });

  it("does not say that no gateway runs where one holds the data folder and is not ready in time", async () => {
    const folder = temporaryFolder();
    const own = { HODHOD_DATA_DIR: path.join(folder.path, "data") };
    // As a gateway that starts: its database is up, and it is no node yet.
    const starting = await startEmbeddedPostgres({ dataDir: own.HODHOD_DATA_DIR, settings: { fsync: "off" } });
    try {
      const { code, stdout, stderr } = await hodhod(["apply", file], { env: own });
      expect([code, stderr]).toEqual([0, expect.not.stringContaining("hint")]);
      expect(stdout).toMatch(/ 0 removed\. The gateway is not ready yet; it will use the new setup\.\n$/);
      const numbers = ["ported-numbers", "import", "-"];
      const imported = await hodhod(numbers, { env: own, input: "number,operator\n09121234567,Irancell\n" });
      expect(imported.stdout).toMatch(/ there were 0\. The gateway is not ready yet; it will use them\.\n$/);
    } finally {
      await starting.stop();
      folder.remove();
    }
  });

  it("says how credit is added where the file edits the opening credit of an account", async () => {
    const input = "accounts:\n  - { name: demo, credit: 12000000 }\n";
    const { code, stdout, stderr } = await hodhod(["apply", "-"], { env, input });
    expect([code, stdout]).toEqual([0, "Nothing to change.\n"]);
    expect(stderr).toBe(
      "warning: line 2, accounts[0].credit: is the opening credit and is not booked again: the account was created with " +
        "10,000,000 rials, and its balance stays as it is (use hodhod credit demo AMOUNT --ref ID)\n",
    );
    await hodhod(["credit", "demo", "+5", "--ref", "edited-credit"], { env });
    const same = await hodhod(["apply", "-"], { env, input: "accounts: [{ name: demo, credit: 10000000 }]" });
    expect(same).toEqual({ code: 0, stdout: "Nothing to change.\n", stderr: "" });
  });
});

describe("hodhod apply --prune", () => {
  const small = 'retentionDays: 31\nroutes: [{ operator: "*", connectors: [mci-1] }]\n';
  let folder: ReturnType<typeof temporaryFolder>;
  beforeAll(() => {
    folder = temporaryFolder();
    writeFileSync(path.join(folder.path, "small.yaml"), small);
  });
  afterAll(() => folder.remove());

  const typed = (answer: string, ...args: string[]): ReturnType<typeof onTerminal> =>
    onTerminal(answer, args, { env, folder: folder.path });

  it("asks on a terminal, with the balances that would go, and changes nothing without a yes", async () => {
    const declined = typed("no\n", "apply", "--prune", "small.yaml");
    expect(declined.screen).toMatch(/- account demo\n {4}balance: 10,000,005\n/);
    expect(declined.screen).toContain("This removes stored objects. Apply? [y/N]");
    expect([declined.code, declined.screen]).toEqual([1, expect.stringContaining("hodhod: nothing was changed\n")]);
    expect((await hodhod(["statement", "demo"], { env })).code).toBe(0);
  });

  it("goes ahead after a yes, with --yes, and without a terminal", async () => {
    const setup = (name: string): string => JSON.stringify({ lines: [{ number: name }] });
    await hodhod(["apply", "-"], { env, input: setup("30001111") });
    const removed = typed("y\n", "apply", "--prune", "small.yaml");
    expect([removed.code, removed.screen]).toEqual([0, expect.stringMatching(/- line 30001111\n/)]);
    expect((await hodhod(["statement", "demo"], { env })).stderr).toContain("there is no account demo");
    await hodhod(["apply", "-"], { env, input: setup("30002222") });
    const assumed = typed("", "apply", "--prune", "--yes", "small.yaml");
    expect([assumed.code, assumed.screen]).toEqual([0, expect.not.stringContaining("[y/N]")]);
    await hodhod(["apply", "-"], { env, input: setup("30003333") });
    const piped = await hodhod(["apply", "--prune", "-"], { env, input: small });
    expect(piped).toMatchObject({ code: 0, stdout: expect.stringContaining("- line 30003333\n") as unknown });
  });

  it.each(["", "\n", "# only a comment\n", "---\n"])(
    "refuses a file that says nothing, as an interrupted download does: %j",
    async (input) => {
      const { code, stdout, stderr } = await hodhod(["apply", "--prune", "--yes", "-"], { env, input });
      expect([code, stdout, stderr]).toEqual([
        2,
        "",
        "hodhod: - is empty, and --prune would remove everything: nothing was changed\n" +
          "hint: to remove everything, apply the file {}\n",
      ]);
      expect(await hodhod(["apply", "-"], { env, input })).toMatchObject({ code: 0, stdout: "Nothing to change.\n" });
    },
  );

  it("removes everything by a file that says so", async () => {
    const { code, stdout } = await hodhod(["apply", "--prune", "--dry-run", "-"], { env, input: "{}" });
    expect([code, stdout]).toEqual([0, expect.stringContaining("- routes\n")]);
  });
});
