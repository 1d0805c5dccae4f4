// How changes are described, and what the audit keeps of them.
import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { applySetup, type AppliedSetup } from "../../src/setup/change-setup.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

const account = {
  name: "demo",
  domain: "demo.example",
  tariff: "standard",
  credit: 5,
  lines: ["1000"],
  users: [{ username: "ali", password: "first password" }],
  apiKeys: [{ name: "main", key: "first-key-of-demo" }],
  webhooks: [{ name: "hook", url: "https://example.com/", events: ["*"] }],
};
const base = {
  tariffs: [
    { name: "standard", prices: [{ price: 100 }] },
    { name: "other", prices: [{ price: 200 }] },
  ],
  lines: [{ number: "1000" }, { number: "2000" }],
  accounts: [account],
};

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
  await apply(base);
  return () => database.drop();
});

const apply = (setup: object, prune = false): Promise<AppliedSetup> =>
  applySetup(database.db, { text: JSON.stringify(setup), prune, dryRun: false });

async function detailsOf(setup: object): Promise<readonly (readonly string[])[]> {
  return (await apply(setup)).changes.map(({ details }) => details);
}

/** The entries since the last ones. */
async function audited(setup: object, prune = false) {
  await database.rows("delete from audit_entry");
  await apply(setup, prune);
  return database.rows("select action, kind, name, account, before, after from audit_entry order by id");
}

const changed = (keys: object) => ({ accounts: [{ name: "demo", ...keys }] });

describe("a change", () => {
  it("is described by what differs, key by key", async () => {
    expect(await detailsOf(changed({ tariff: "other", dailyMessages: 5, lines: ["2000"] }))).toEqual([
      ["tariff: standard → other", "lines: + 2000", "lines: - 1000", "dailyMessages: 0 → 5"],
    ]);
    expect(await detailsOf(changed({ credit: "unlimited", monthlyCost: 2000 }))).toEqual([
      ["monthlyCost: 0 → 2000", "credit: unlimited"],
    ]);
    const link = { name: "mci", type: "smpp", host: "127.0.0.1", port: 2775, systemId: "x", password: "secret" };
    await apply({ connectors: [link] });
    const ca = readFileSync(new URL("../fixtures/tls/ca.pem", import.meta.url), "utf8");
    const [[tls] = []] = await detailsOf({ connectors: [{ ...link, tls: { ca } }] });
    expect(tls).toMatch(/^tls: false → \{"ca":"…[^\s-]{12}","verify":true\}$/);
    const users = [
      { username: "ali", role: "sender", password: "second password" },
      { username: "bob", password: "third password" },
    ];
    expect(await detailsOf(changed({ users }))).toEqual([
      ["users.ali.role: owner → sender", "users.ali.password: changed", "users.bob: new", "users.bob.role: owner"],
    ]);
    expect(
      await detailsOf({ tariffs: [{ name: "other", prices: [{ price: 200 }, { line: "1000", price: 1 }] }] }),
    ).toEqual([["prices: + operator: *, line: 1000, language: *, price: 1"]]);
    expect(await detailsOf({ systemLines: { service: "1000" }, retentionDays: 30 })).toEqual([
      ["retentionDays: 400 → 30", "service: 1000"],
    ]);
  });

  it("of an ordered list tells what is new, and the whole list where only the order changes", async () => {
    const link = { type: "smpp", host: "h", port: 1, systemId: "s", password: "p" };
    const connectors = ["a", "b"].map((name) => ({ ...link, name }));
    const [one, two] = [{ line: "1000", connectors: ["a"] }, { connectors: ["b"] }];
    expect((await detailsOf({ connectors, routes: [one] })).at(-1)).toEqual([
      "routes: + operator: *, line: 1000, connectors: a",
    ]);
    expect(await detailsOf({ routes: [one, two] })).toEqual([["routes: + operator: *, line: *, connectors: b"]]);
    expect(await detailsOf({ routes: [two, one] })).toEqual([
      ["routes: operator: *, line: *, connectors: b; operator: *, line: 1000, connectors: a"],
    ]);
  });

  it("of a removed account tells its balance", async () => {
    const { changes } = await apply({ ...base, accounts: [] }, true);
    expect(changes.find(({ kind }) => kind === "account")?.details).toEqual(["balance: 5"]);
  });

  // The console asks again where others have changed what a preview showed.
  it("names each row that differs, also of many", async () => {
    const blockedRecipients = Array.from({ length: 60 }, (_, index) => `9891200000${index + 10}`);
    const [details] = await detailsOf(changed({ blockedRecipients }));
    expect(details).toEqual(blockedRecipients.map((number) => `blockedRecipients: + ${number}`));
  });
});

describe("the audit", () => {
  it("keeps what differs alone", async () => {
    expect(await audited(changed({ tariff: "other", users: [] }))).toEqual([
      {
        action: "change",
        kind: "account",
        name: "demo",
        account: "demo",
        before: { tariff: "standard", users: { ali: { role: "owner" } } },
        after: { tariff: "other" },
      },
    ]);
    expect(await audited({ retentionDays: 30 })).toMatchObject([
      { kind: "settings", name: "settings", before: { retentionDays: 400 }, after: { retentionDays: 30 } },
    ]);
    expect(await audited({ operators: [{ name: "MCI", prefixes: ["912", "910"] }] })).toMatchObject([
      { action: "create", kind: "operator", before: null, after: { enabled: true, prefixes: ["910", "912"] } },
    ]);
  });

  it("says that a secret is another one, and nothing of it", async () => {
    const entries = await audited(
      changed({
        users: [{ username: "ali", password: "second password" }],
        apiKeys: [{ name: "main", key: "second-key-of-demo" }],
      }),
    );
    expect(entries).toMatchObject([
      { after: { users: { ali: { password: "changed" } }, apiKeys: { main: { key: "changed" } } } },
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/second|argon|whsec/);
  });

  it("counts and names more than 50 changes of one kind, one entry for each action", async () => {
    const operators = [{ name: "MCI" }];
    const numbers = (first: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({ number: `98912000${first + index}`, operator: "MCI" }));
    expect(await audited({ operators, portedNumbers: numbers(1000, 50) })).toHaveLength(51);
    const [added, removed] = await audited({ ...base, operators, portedNumbers: numbers(2000, 51) }, true);
    const counted = (first: number, count: number) => ({
      count,
      names: numbers(first, count).map(({ number }) => number),
    });
    expect(added).toMatchObject({ action: "create", kind: "portedNumber", name: "", after: counted(2000, 51) });
    expect(removed).toMatchObject({ action: "remove", kind: "portedNumber", name: "", before: counted(1000, 50) });
  });

  it("keeps of a long list what differs, bounded", async () => {
    const blocked = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => `98912${String(1_000_000 + from + index)}`);
    const [first] = await audited(changed({ blockedRecipients: blocked(0, 5000) }));
    expect(JSON.stringify(first).length).toBeLessThan(5000);
    expect(await audited(changed({ blockedRecipients: blocked(1, 5000) }))).toMatchObject([
      {
        before: { blockedRecipients: { count: 5000, onlyHere: blocked(0, 1) } },
        after: { blockedRecipients: { count: 5000, onlyHere: blocked(5000, 1) } },
      },
    ]);
  });
});
