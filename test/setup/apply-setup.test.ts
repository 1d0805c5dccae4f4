// Applying setup files to a real database: what is stored, what stays, what is refused.
import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { parse, stringify } from "yaml";
import type { Directory } from "../../src/directory/directory.ts";
import { buildDirectory } from "../directory/build-directory.ts";
import { applySetup, type AppliedSetup } from "../../src/setup/change-setup.ts";
import { SetupFaults, formatFault } from "../../src/setup/fault.ts";
import { seedOperators } from "../../src/setup/save-setup.ts";
import { readUsage, saveUsage } from "../../src/store/account-usage.ts";
import { storeCalls } from "../../src/store/accept-calls.ts";
import { loadConfiguration } from "../../src/store/configuration.ts";
import { Database, type Queryable } from "../../src/store/database.ts";
import { findBalance, listStatement, lockBalances } from "../../src/store/ledger.ts";
import { createPreparedDatabase, statement, type TestDatabase } from "../support/database.ts";
import { callOf, openWorld } from "../support/factories.ts";
import { applyDocument } from "../support/apply-document.ts";

const fixture = path.join(import.meta.dirname, "../fixtures/setup.yaml");
const example = readFileSync(fixture, "utf8");

type ApplyOptions = { readonly prune?: boolean; readonly dryRun?: boolean };

const applyTo = (db: Database, setup: unknown, options: ApplyOptions = {}): Promise<AppliedSetup> => {
  const text = typeof setup === "string" ? setup : stringify(setup);
  return applySetup(db, { text, folder: path.dirname(fixture), prune: false, dryRun: false, ...options });
};

let database: TestDatabase;

/** Also what several tests of this file begin with is stored once, and then copied. */
async function open(...applied: readonly unknown[]): Promise<() => Promise<void>> {
  database = await createPreparedDatabase(`operators and ${JSON.stringify(applied)}`, async (db) => {
    await seedOperators(db);
    for (const setup of applied) await applyTo(db, setup);
  });
  return () => database.drop();
}

const apply = (setup: unknown, options?: ApplyOptions): Promise<AppliedSetup> => applyTo(database.db, setup, options);

async function faultsOf(setup: unknown, options: { prune?: boolean } = {}): Promise<string[]> {
  const error = await apply(setup, options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SetupFaults);
  return (error as SetupFaults).faults.map(formatFault);
}

async function directory(): Promise<Directory> {
  return buildDirectory(await database.db.transaction(loadConfiguration), { maximumParts: 10 });
}

const firstAccount = async () => (await database.db.transaction(loadConfiguration)).accounts[0];
const keysOfDemo = async () => (await firstAccount())?.apiKeys ?? [];

async function demoAccount() {
  const account = [...(await directory()).accounts.values()].find(({ name }) => name === "demo");
  if (account === undefined) throw new Error("there is no account demo");
  return account;
}

describe("the example file", () => {
  beforeEach(() => open());

  it("is stored with every key", async () => {
    const applied = await apply(example);
    expect(applied.version).toBeGreaterThan(1n);
    const now = await directory();
    const account = await demoAccount();
    expect(now.connectors).toMatchObject([
      { name: "mci-1", enabled: true, settings: { host: "127.0.0.1", port: 2775, window: 100, tls: false } },
    ]);
    expect(now.routes).toMatchObject([{ operator: "*", line: "*", connectors: [{ enabled: true }] }]);
    expect(now.retentionDays).toBe(400);
    expect(now.inboundAccountOf("10001234")).toBe(account.id);
    expect(account.terms.systemLines).toMatchObject({
      service: { number: "10001234", kind: "dedicated", optOut: "honour" },
      advertising: { number: "10001234", kind: "dedicated", optOut: "honour" },
    });
    expect(account.terms.plan.ported.get("989121112233" as never)).toBe("Irancell");
    expect(account.terms.template("TydSt1skQE")).toEqual({
      id: "TydSt1skQE",
      content: "کد ورود شما: {code}",
      sender: "10001234",
      approved: true,
      validSeconds: 120,
      tlvs: [{ tag: "0x1400", text: "110000005678" }],
    });
    expect(account.terms.tariff.prices).toHaveLength(2);
    expect(await findBalance(database.db, { accountId: account.id })).toEqual({
      balance: 10_000_000n,
      unlimited: false,
    });
  });

  it("changes nothing when it is applied again, and leaves password and version alone", async () => {
    await apply(example);
    const before = await database.db.transaction(loadConfiguration);
    const again = await apply(example);
    expect(again).toEqual({ changes: [], warnings: [] });
    expect(await database.db.transaction(loadConfiguration)).toEqual(before);
  });

  it("stands alone under --prune: what it names in passing stays", async () => {
    await apply(example, { prune: true });
    const rows = await database.db.transaction(loadConfiguration);
    expect(rows.objects.operators.map(({ name }) => name).sort()).toEqual(["Irancell", "MCI"]);
    expect((await apply(example, { prune: true })).changes).toEqual([]);
  });

  it("is booked as one opening entry of the ledger, once", async () => {
    await apply(example);
    await apply({ accounts: [{ name: "demo", credit: 77 }] });
    const { id } = await demoAccount();
    const statement = await database.db.transaction((tx) => listStatement(tx, { accountId: id, limit: 10 }));
    expect(statement).toMatchObject({ openingBalance: 0n, closingBalance: 10_000_000n, balance: 10_000_000n });
    expect(statement?.entries).toMatchObject([{ kind: "opening", amount: 10_000_000n, balance: 10_000_000n }]);
  });
});

describe("a key that is given", () => {
  beforeEach(() => open(example));

  it("replaces the old value, and absent keys stay", async () => {
    await apply({ connectors: [{ name: "mci-1", window: 7, enabled: false }] });
    const [connector] = (await directory()).connectors;
    expect(connector).toMatchObject({ enabled: false, settings: { window: 7, port: 2775, password: "secret" } });
    expect((await directory()).routes[0]?.connectors[0]?.enabled).toBe(false);
  });

  it("revokes an API key that its list leaves out", async () => {
    await apply({ accounts: [{ name: "demo", apiKeys: [{ name: "second", key: "another-key-0001" }] }] });
    expect((await keysOfDemo()).map(({ name }) => name)).toEqual(["second"]);
    await apply({ accounts: [{ name: "demo", apiKeys: [] }] });
    expect(await keysOfDemo()).toEqual([]);
  });

  it("renames an API key, and lets two keys swap their names", async () => {
    const keys = (first: string, second: string) => ({
      accounts: [
        {
          name: "demo",
          apiKeys: [
            { name: first, key: "key-number-one-1" },
            { name: second, key: "key-number-two-2", allowedIps: ["10.0.0.0/8"] },
          ],
        },
      ],
    });
    await apply(keys("one", "two"));
    await apply(keys("two", "one"));
    expect(Object.fromEntries((await keysOfDemo()).map(({ name, allowedIps }) => [name, allowedIps]))).toEqual({
      two: [],
      one: ["10.0.0.0/8"],
    });
    expect((await apply({ accounts: [{ name: "demo", apiKeys: [{ name: "one" }] }] })).changes).toHaveLength(1);
    expect(await keysOfDemo()).toHaveLength(1);
  });

  it("ends the tokens of a changed password by a new version, and keeps the user's id", async () => {
    const [before] = (await firstAccount())?.users ?? [];
    const users = [{ username: "demo", password: "new-password" }];
    const applied = await apply({ accounts: [{ name: "demo", users }] });
    const [after] = (await firstAccount())?.users ?? [];
    expect(after).toMatchObject({ personId: before?.personId, passwordVersion: 2 });
    expect(applied.changes).toMatchObject([{ name: "demo", details: ["users.demo.password: changed"] }]);
    expect((await apply({ accounts: [{ name: "demo", users: [{ username: "demo" }] }] })).changes).toEqual([]);
  });

  it("keeps the id of a route that stays, and the order of the file", async () => {
    const [old] = (await directory()).routes;
    await apply({
      routes: [
        { operator: "MCI", line: "dedicated", connectors: ["mci-1"] },
        { operator: "*", line: "*", connectors: ["mci-1"] },
      ],
    });
    const { routes } = await directory();
    expect(routes.map(({ operator, line }) => [operator, line])).toEqual([
      ["MCI", "dedicated"],
      ["*", "*"],
    ]);
    expect(routes[1]?.id).toBe(old?.id);
  });

  it("switches an operator off, blocks a recipient, limits addresses and permissions", async () => {
    await apply({
      operators: [{ name: "MCI", enabled: false }],
      accounts: [
        {
          name: "demo",
          blockedRecipients: ["0912 111 2233", "۰۹۱۲۱۱۱۲۲۳۴"],
          allowedIps: ["10.0.0.0/8", "2001:db8::/32"],
          permissions: ["send", "balance"],
          requestsPerSecond: 2.5,
        },
      ],
    });
    const account = await demoAccount();
    expect(account.terms.disabledOperators).toEqual(new Set(["MCI"]));
    expect(account.terms.blockedRecipients).toEqual(new Set(["989121112233", "989121112234"]));
    expect(account.allowedIps).toEqual(["10.0.0.0/8", "2001:db8::/32"]);
    expect(account.permissions).toEqual(new Set(["send", "balance"]));
    expect(account.requestsPerSecond).toBe(2.5);
    expect(account.terms.plan.prefixes.get("912")).toBe("MCI");
  });

  it("takes a prefix from the operator that had it", async () => {
    await apply({ operators: [{ name: "Newcomer", prefixes: ["990"] }] });
    const { plan } = (await demoAccount()).terms;
    expect(plan.prefixes.get("990")).toBe("Newcomer");
    expect(plan.prefixes.get("991")).toBe("MCI");
  });

  it("makes credit unlimited and limited again", async () => {
    await apply({ accounts: [{ name: "demo", credit: "unlimited" }] });
    expect((await demoAccount()).unlimited).toBe(true);
    await apply({ accounts: [{ name: "demo", credit: 5 }] });
    const account = await demoAccount();
    expect(account.unlimited).toBe(false);
    expect((await findBalance(database.db, { accountId: account.id }))?.balance).toBe(10_000_000n);
  });

  it("keeps the largest price exactly", async () => {
    const price = { operator: "*", line: "*", language: "*", price: 999_999_999_999_999 };
    await apply({ tariffs: [{ name: "standard", prices: [price] }] });
    expect((await demoAccount()).terms.tariff.prices).toEqual([{ ...price, price: 999_999_999_999_999n }]);
  });

  it("clears what may be absent when it is null", async () => {
    await apply({
      templates: [{ id: "TydSt1skQE", sender: null, validSeconds: null }],
      lines: [{ number: "10001234", inbound: null }],
      systemLines: { advertising: null },
    });
    const account = await demoAccount();
    expect(account.terms.template("TydSt1skQE")).not.toHaveProperty("sender");
    expect(account.terms.systemLines).not.toHaveProperty("advertising");
    // The line has one account only, which gets what comes in.
    expect((await directory()).inboundAccountOf("10001234")).toBe(account.id);
  });

  it("refuses a certificate file without end at once", async () => {
    const faults = await faultsOf({ connectors: [{ name: "mci-1", tls: { ca: "/dev/zero", verify: true } }] });
    expect(faults).toEqual([expect.stringContaining("connectors[0].tls.ca: /dev/zero cannot be read")]);
  }, 2_000);
});

describe("objects that the file does not name", () => {
  const other = {
    lines: [{ number: "30005555", kind: "advertising" }],
    tariffs: [{ name: "other", prices: [{ price: 10 }] }],
    accounts: [{ name: "other", tariff: "other", lines: ["30005555"], credit: 5 }],
    templates: [{ id: "other", account: "other", content: "x" }],
  };
  beforeEach(() => open(example, other));

  it("go with --prune, with all that belongs to them", async () => {
    const { changes } = await apply(example, { prune: true });
    const removed = changes.filter(({ action }) => action === "remove").map(({ kind, name }) => `${kind} ${name}`);
    expect(removed).toEqual(
      expect.arrayContaining(["account other", "tariff other", "line 30005555", "template other", "operator Taliya"]),
    );
    expect((await directory()).accounts.size).toBe(1);
  });

  it("hand their prefixes over when they go with --prune", async () => {
    await apply({ operators: [{ name: "Old", prefixes: ["998"] }] });
    await apply({ ...(parse(example) as object), operators: [{ name: "New", prefixes: ["998"] }] }, { prune: true });
    expect((await demoAccount()).terms.plan.prefixes.get("998")).toBe("New");
  });

  it("stay under --prune while a named one needs them", async () => {
    await apply({ accounts: [{ name: "other" }] }, { prune: true });
    const now = await directory();
    expect([...now.accounts.values()].map(({ name }) => name)).toEqual(["other"]);
    expect([...now.lines.keys()].sort()).toEqual(["10001234", "30005555"]);
    // The line 10001234 lists it.
    expect(now.connectors.map(({ name }) => name)).toEqual(["mci-1"]);
    expect(now.routes).toEqual([]);
  });
});

describe("a file that is wrong", () => {
  // It changes nothing.
  beforeAll(() => open());

  it("changes nothing and tells all faults with their places", async () => {
    const faults = await faultsOf(`operators:
  - { name: MCI, prefix: ["912"] }
portedNumbers:
  - { number: "12", operator: MCI }
connectors:
  - { name: a, type: smpp, host: h, port: 70000, systemId: s, password: p }
  - { name: b }
routes:
  - { operator: Irancel, line: "99", connectors: [c] }
lines:
  - { number: "10001234", kind: dedicatd, inbound: nobody }
tariffs:
  - { name: t, prices: [{ operator: MCI, line: "*", language: fa, price: 1.5 }] }
accounts:
  - name: one
    tarif: t
    credit: -5
    permissions: [sendd]
    allowedIps: [10.0.0.0/33]
    apiKeys: [{ name: k, key: short }]
  - { name: two, tariff: nope, lines: ["10009999"], users: [{ username: u }] }
templates:
  - { id: "a b", account: one, content: x }
systemLines: { service: "5000" }
retentionDays: 0
surplus: 1
`);
    expect(faults).toEqual([
      "line 2, operators[0].prefix: prefix is an unknown key (did you mean prefixes?)",
      "line 4, portedNumbers[0].number: must be a mobile number, such as 989121112233",
      "line 6, connectors[0].port: must be a whole number from 1 to 65535",
      "line 7, connectors[1].type: is required for a new connector",
      "line 7, connectors[1].host: is required for a new connector",
      "line 7, connectors[1].port: is required for a new connector",
      "line 7, connectors[1].systemId: is required for a new connector",
      "line 7, connectors[1].password: is required for a new connector",
      "line 9, routes[0].line: must be a line number, dedicated, service, advertising or *",
      "line 9, routes[0].operator: there is no operator Irancel (did you mean Irancell?)",
      expect.stringMatching(/^line 9, routes\[0\]\.connectors\[0\]: there is no connector c/),
      "line 11, lines[0].kind: must be one of dedicated, service, advertising (did you mean dedicated?)",
      "line 11, lines[0].inbound: there is no account nobody",
      "line 13, tariffs[0].prices[0].price: must be a whole number of rials from 0 to 1000000000000000",
      "line 15, accounts[0].tariff: is required for a new account",
      "line 16, accounts[0].tarif: tarif is an unknown key (did you mean tariff?)",
      "line 17, accounts[0].credit: must be a whole number of rials from 0 to 1000000000000000, or unlimited",
      expect.stringMatching(/^line 18, accounts\[0\]\.permissions\[0\]: must be one of .*did you mean send\?/),
      "line 19, accounts[0].allowedIps[0]: must be an address or a CIDR block, such as 10.0.0.0/8 or 2001:db8::/32",
      "line 20, accounts[0].apiKeys[0].key: must have at least 8 characters (create one with: openssl rand -hex 32)",
      "line 21, accounts[1].users[0].password: is required for a new user",
      "line 21, accounts[1].tariff: there is no tariff nope",
      "line 21, accounts[1].lines[0]: there is no line 10009999",
      "line 23, templates[0].id: must have 1 to 64 letters and digits, such as TydSt1skQE",
      "line 24, systemLines.service: there is no line 5000",
      "line 25, retentionDays: must be a whole number from 1 to 36500",
      "line 26, surplus: surplus is an unknown key",
    ]);
    expect((await directory()).connectors).toEqual([]);
  });

  it.each([
    ["no YAML", "a: [1", /line 1/],
    ["a list", "- 1", /must be an object with keys/],
    ["a key twice", "retentionDays: 1\nretentionDays: 2", /line 2.*unique/],
    [
      "a line's list without a connector",
      { lines: [{ number: "1000", connectors: [] }] },
      /lines\[0\]\.connectors: must not be empty/,
    ],
    ["a name twice", { lines: [{ number: "1000" }, { number: "1000" }] }, /lines\[1\]\.number: 1000 is listed twice/],
    [
      "a prefix of two operators",
      {
        operators: [
          { name: "A", prefixes: ["912"] },
          { name: "B", prefixes: ["912"] },
        ],
      },
      /912 already belongs to A/,
    ],
    ["a prefix with 0", { operators: [{ name: "A", prefixes: ["0912"] }] }, /leave out the leading 0 or 98/],
    ["a line with +98", { lines: [{ number: "+9810001234" }] }, /short form/],
    [
      "a tariff that leaves messages without a price",
      { tariffs: [{ name: "t", prices: [{ language: "fa", price: 1 }] }] },
      /leaves some messages without a price/,
    ],
    ["a tariff without prices", { tariffs: [{ name: "t" }] }, /prices: is required for a new tariff/],
    ["a template without text", { templates: [{ id: "x", account: "a" }] }, /content: is required for a new template/],
    ["a route to nowhere", { routes: [{ connectors: [] }] }, /must not be empty/],
    ["a route twice", { routes: [{ connectors: ["a"] }, { connectors: ["a"] }] }, /\* \/ \* is listed twice/],
  ])("tells %s", async (_, setup, expected) => {
    expect((await faultsOf(setup)).join("\n")).toMatch(expected);
  });

  it("refuses two accounts of one domain with a user of one name, and one key for two", async () => {
    const account = (name: string, domain: string) => ({
      name,
      domain,
      tariff: "t",
      users: [{ username: "u", password: "a password of u" }],
      apiKeys: [{ name: "k", key: "the-same-key-1" }],
    });
    const tariffs = [{ name: "t", prices: [{ price: 1 }] }];
    const faults = await faultsOf({ tariffs, accounts: [account("a", "One.example"), account("b", "one.example")] });
    expect(faults.join("\n")).toMatch(/u is also a user of account b in the domain One\.example/);
    expect(faults.join("\n")).toMatch(/is the key of another account/);
    expect(faults.join("\n")).not.toContain("the-same-key-1");
  });
});

describe("what the file leaves to be understood", () => {
  beforeEach(() => open());

  it("takes numbers that were not quoted as they are written", async () => {
    await apply(
      "lines: [{ number: 02188776655, kind: service }]\nportedNumbers: [{ number: 09121112233, operator: Taliya }]",
    );
    const now = await database.db.transaction(loadConfiguration);
    expect(now.objects.lines.map(({ name }) => name)).toEqual(["02188776655"]);
    expect(now.portedNumbers).toEqual([{ number: "989121112233", operator: "Taliya" }]);
  });

  it("warns of braces that are no placeholder and of a sender that is not the account's", async () => {
    await apply(example);
    const { warnings } = await apply({
      lines: [{ number: "20009999" }],
      templates: [{ id: "x1", account: "demo", content: "{a b} {ok}", sender: "20009999" }],
    });
    expect(warnings.map(formatFault)).toEqual([
      "line 6, templates[0].content: {a b} is not a placeholder and will be sent unchanged (a name has letters, digits, _ and -)",
      expect.stringContaining("20009999 is not a line of account demo"),
    ]);
  });
});

describe("several at once", () => {
  beforeEach(() => open(example));

  it("do not interleave: two applies of different halves leave a whole", async () => {
    await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        apply({ lines: [{ number: `3000${n}00` }], accounts: [{ name: "demo", lines: ["10001234", `3000${n}00`] }] }),
      ),
    );
    const account = await demoAccount();
    expect(account.terms.lines.size).toBe(2);
    expect((await directory()).lines.size).toBe(9);
  });
});

describe("a file with known and new accounts", () => {
  beforeEach(() => open(example));

  it("changes the one and books the credit of the other, with the lines and keys of both", async () => {
    const { balance, lines } = (await firstAccount()) ?? {};
    const key = (name: string) => ({ name, key: `a-key-of-${name}` });
    await apply({
      accounts: [
        { name: "new", tariff: "standard", credit: 70, lines: ["10001234"], apiKeys: [key("new")] },
        { name: "demo", domain: "other.example", credit: 5, apiKeys: [key("demo")] },
      ],
    });
    const { accounts } = await database.db.transaction(loadConfiguration);
    expect(accounts).toMatchObject([
      { name: "demo", domain: "other.example", lines, balance, apiKeys: [{ name: "demo" }] },
      { name: "new", domain: "new", lines: ["10001234"], balance: 70n, apiKeys: [{ name: "new" }] },
    ]);
  });
});

describe("many new accounts", () => {
  it("get what is theirs, also where they are more than go into one statement", async () => {
    onTestFinished(await open(example));
    const accounts = Array.from({ length: 10_001 }, (_, number) => ({
      name: `new-${number}`,
      tariff: "standard",
      lines: ["10001234"],
      credit: number,
      apiKeys: [{ name: `key-${number}`, key: `key-of-account-${number}` }],
    }));
    const text = JSON.stringify({ accounts: [{ name: "demo", requestsPerSecond: 7 }, ...accounts] });
    const { changes } = await apply(text);
    expect(changes).toHaveLength(10_002);
    const whole = `select count(*)::int as accounts, sum(b.balance)::int as credit, sum(e.amount)::int as opened
  from account a
  join account_balance b on b.account_id = a.id and b.balance = substr(a.name, 5)::int
  left join ledger_entry e on e.account_id = a.id
  join api_key k on k.account_id = a.id and k.name = 'key-' || b.balance and k.key_sha256 = sha256(('key-of-account-' || b.balance)::bytea)
 where a.name like 'new-%' and a.lines = '{10001234}'`;
    const credit = (10_000 * 10_001) / 2;
    expect(await database.rows(whole)).toEqual([{ accounts: 10_001, credit, opened: credit }]);
    expect((await demoAccount()).requestsPerSecond).toBe(7);
  });

  it("does not read all balances to charge one, when accounts have become many at once", async () => {
    const world = await openWorld();
    const db = Database.open({ url: world.url, poolSize: 1 });
    try {
      // As autovacuum does after some charges.
      await world.rows("analyze account_balance");
      const day = { from: new Date(Date.now() - 3600_000), until: new Date(Date.now() + 3600_000) };
      const accountId = world.account().id;
      const usage = { accountId, periods: { day, month: day }, messages: 1n, cost: 1n, low: undefined };
      // A session's plans are made for good with the sixth call.
      const accept = async (tx: Queryable): Promise<void> => {
        await lockBalances(tx, [accountId]);
        await readUsage(tx, [{ accountId, duplicateSeconds: 0 }], []);
        await storeCalls(tx, [callOf(world)]);
        await saveUsage(tx, [usage], []);
      };
      for (let call = 0; call < 8; call += 1) await accept(db);
      const accounts = Array.from({ length: 2000 }, (_, number) => ({
        name: `new-${number}`,
        domain: `new-${number}.example`,
        tariff: "standard",
        lines: [],
      }));
      await applyDocument(world.db, { accounts });
      const read = async (): Promise<number> => {
        await db.query(statement("select pg_stat_force_next_flush()"));
        const [row] = await db.query<{ n: bigint }>(
          statement("select seq_tup_read as n from pg_stat_user_tables where relname = 'account_balance'"),
        );
        return Number(row?.n);
      };
      const before = await read();
      await accept(db);
      await accept(db);
      expect((await read()) - before).toBeLessThan(100);
    } finally {
      await db.close();
      await world.close();
    }
  });
});
