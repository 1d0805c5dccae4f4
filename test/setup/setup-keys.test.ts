// The keys of the console in a setup file: staff, roles of users, pausing, low credit, settings;
// and what they must never do.
import { beforeEach, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { applySetup, type AppliedSetup } from "../../src/setup/change-setup.ts";
import { exportSetup } from "../../src/setup/describe-object.ts";
import { formatFault, SetupFaults } from "../../src/setup/fault.ts";
import { stateOf } from "../../src/setup/load-state.ts";
import { insertAuditEntries } from "../../src/store/audit.ts";
import { loadConfiguration } from "../../src/store/configuration.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
  return () => database.drop();
});

async function apply(setup: object, options: { prune?: boolean; dryRun?: boolean } = {}): Promise<AppliedSetup> {
  return applySetup(database.db, { text: stringify(setup), folder: "/", prune: false, dryRun: false, ...options });
}

async function faultsOf(setup: object, options: { prune?: boolean } = {}): Promise<string[]> {
  const error: unknown = await apply(setup, options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SetupFaults);
  return (error as SetupFaults).faults.map(({ path, key, values, hint }) => formatFault({ path, key, values, hint }));
}

const staffRows = () =>
  database.rows<{ username: string; role: string; enabled: boolean; version: number; hash: string }>(
    `select username, role, enabled, password_version as version, password_hash as hash from person where account_id is null order by username`,
  );

const ali = { username: "ali", password: "a long password", role: "administrator" };
const sara = { username: "sara", password: "another long password", role: "viewer" };

describe("staff", () => {
  it("are stored, and the same file changes nothing", async () => {
    expect((await apply({ staff: [ali, sara] })).changes).toMatchObject([
      { action: "create", kind: "staff", name: "ali" },
      { action: "create", kind: "staff", name: "sara" },
    ]);
    const before = await staffRows();
    expect(before).toMatchObject([
      { username: "ali", role: "administrator", enabled: true, version: 1 },
      { username: "sara", role: "viewer", enabled: true },
    ]);
    expect((await apply({ staff: [ali, sara] })).changes).toEqual([]);
    expect((await apply({ staff: [{ username: "sara" }] })).changes).toEqual([]);
    expect(await staffRows()).toEqual(before);
  });

  it("get a new version with another password, role or switch: their sessions end", async () => {
    await apply({ staff: [ali, sara] });
    await apply({ staff: [{ username: "sara", role: "operator" }] });
    await apply({ staff: [{ username: "sara", password: "a third long password" }] });
    await apply({ staff: [{ username: "sara", enabled: false }] });
    expect(await staffRows()).toMatchObject([{ version: 1 }, { role: "operator", enabled: false, version: 4 }]);
    const entries = await database.rows("select after from audit_entry where kind = 'staff' order by id");
    expect(JSON.stringify(entries)).not.toMatch(/password":"(?!changed)|argon/);
    expect(entries).toHaveLength(5);
  });

  it.each([
    ["removed", { staff: [sara] }, { prune: true }],
    ["disabled", { staff: [{ ...ali, enabled: false }] }, {}],
    ["demoted", { staff: [{ ...ali, role: "operator" }] }, {}],
  ])("the last administrator is not %s", async (_, setup, options) => {
    await apply({ staff: [ali, sara] });
    const before = await staffRows();
    expect(await faultsOf(setup, options)).toEqual(["staff: this would leave no administrator who can sign in"]);
    expect(await staffRows()).toEqual(before);
  });

  it("that the file does not name stay, and are pruned only by a file with staff", async () => {
    await apply({ staff: [ali, sara] });
    await apply({ retentionDays: 30 }, { prune: true });
    expect(await staffRows()).toHaveLength(2);
    await apply({ staff: [{ username: "ali" }] });
    expect(await staffRows()).toHaveLength(2);
    await apply({ staff: [{ username: "ali" }] }, { prune: true });
    expect((await staffRows()).map(({ username }) => username)).toEqual(["ali"]);
  });

  it("with faults change nothing", async () => {
    expect(
      await faultsOf({
        staff: [{ username: "a b", role: "boss" }, { ...ali, password: "short" }, { username: "new" }, { ...ali }],
      }),
    ).toEqual([
      "staff[0].username: must have 1 to 64 ASCII letters, digits and . _ @ -, and begin with a letter or digit",
      "staff[0].role: must be one of administrator, operator, sales, viewer",
      "staff[1].password: must have 10 to 200 characters",
      "staff[2].password: is required for a new member of staff",
      "staff[2].role: is required for a new member of staff",
      "staff[3].username: ali is listed twice",
    ]);
    expect(await staffRows()).toEqual([]);
  });
});

const tariffs = [{ name: "t", prices: [{ price: 1 }] }];
const account = { name: "a", tariff: "t", users: [{ username: "u", password: "the password of u" }] };

describe("a user's role", () => {
  const roles = async () =>
    (await database.rows<{ role: string; version: number }>("select role, password_version as version from person"))[0];

  it("is owner at first, stays where the file has none, and ends tokens and sessions where it changes", async () => {
    await apply({ tariffs, accounts: [account] });
    expect(await roles()).toEqual({ role: "owner", version: 1 });
    const { changes } = await apply({ accounts: [{ name: "a", users: [{ username: "u", role: "reader" }] }] });
    expect(changes[0]?.details).toEqual(["users.u.role: owner → reader"]);
    expect(await roles()).toEqual({ role: "reader", version: 2 });
    // A file from before there were roles does not make an owner of a reader.
    expect((await apply({ accounts: [account] })).changes).toEqual([]);
    expect(await faultsOf({ accounts: [{ name: "a", users: [{ username: "u", role: "king" }] }] })).toHaveLength(1);
  });
});

describe("an API key's expires", () => {
  const withKey = (key: object) => ({ accounts: [{ name: "a", apiKeys: [{ name: "k", ...key }] }] });
  const key = "secret-key-1";
  const stored = async () =>
    (await database.rows<{ expires: Date | null }>("select expires_at as expires from api_key")).map(({ expires }) =>
      expires?.toISOString(),
    );
  const last = "2027-03-20T20:29:59.000Z";

  it("is stored in any offset, stays where the file has no keys, and ends with a row without it", async () => {
    await apply({ tariffs, accounts: [account] });
    const first = await apply(withKey({ key, expires: "2027-03-20T23:59:59+03:30" }));
    expect(first.changes[0]?.details).toContain(`apiKeys.k.expires: ${last}`);
    expect(await stored()).toEqual([last]);
    expect((await apply(withKey({ expires: last }))).changes).toEqual([]);
    // The row is written again with the account.
    expect((await apply({ accounts: [{ name: "a", lowCredit: 7 }] })).changes).toHaveLength(1);
    expect(await stored()).toEqual([last]);
    const { changes } = await apply(withKey({}));
    expect(changes[0]?.details).toEqual([`apiKeys.k.expires: ${last} → none`]);
    expect(await stored()).toEqual([undefined]);
    const entries = await database.rows<{ before: object; after: object }>(
      "select before, after from audit_entry where kind = 'account' order by id desc limit 1",
    );
    expect(entries).toEqual([{ before: { apiKeys: { k: { expires: last } } }, after: { apiKeys: { k: {} } } }]);
  });

  it("may be over: the file is applied again long after", async () => {
    await apply({ tariffs, accounts: [account] });
    await apply(withKey({ key, expires: "2020-01-01T00:00Z" }));
    expect(await stored()).toEqual(["2020-01-01T00:00:00.000Z"]);
  });

  it.each([
    "2027-03-20",
    "2027-03-20T20:00:00",
    "2027-02-30T00:00:00Z",
    "2027-13-01T00:00Z",
    "0000-01-01T00:00Z",
    7,
    {},
  ])("%j is refused", async (expires) => {
    expect(await faultsOf(withKey({ key, expires }))).toContain(
      "accounts[0].apiKeys[0].expires: must be a time with its offset from UTC, such as 2026-12-31T23:59:59+03:30",
    );
  });
});

describe("the other keys", () => {
  const connector = { name: "c", type: "smpp", host: "h", port: 1, systemId: "s", password: "p" };

  it.each([
    [{ timeZone: "Teheran" }, "timeZone: must be the name of a time zone, such as Asia/Tehran"],
    [{ timeZone: "+03:30" }, "timeZone: must be the name of a time zone, such as Asia/Tehran"],
    [{ staffSecondFactor: "always" }, "staffSecondFactor: must be one of optional, required"],
    [{ connectors: [{ ...connector, paused: "yes" }] }, "connectors[0].paused: must be true or false"],
    [
      {
        tariffs,
        accounts: [{ name: "a", tariff: "t", apiKeys: [{ name: "k", key: "made-with-openssl-rand-hex-32" }] }],
      },
      /^accounts\[0\]\.apiKeys\[0\]\.key: is the example of the documentation/,
    ],
    [{ tariffs, accounts: [{ name: "a", tariff: "t", lowCredit: -1 }] }, /^accounts\[0\].lowCredit: must be a whole/],
  ])("%j is refused", async (setup, message) => {
    expect(await faultsOf(setup)).toEqual([typeof message === "string" ? message : expect.stringMatching(message)]);
  });
});

it("names who changed last in the console what a file undoes", async () => {
  await apply({ tariffs, accounts: [account], operators: [{ name: "MCI" }] });
  const undone = { operators: [{ name: "MCI", enabled: false }] };
  expect((await apply(undone, { dryRun: true })).changes[0]).not.toHaveProperty("lastChange");
  await insertAuditEntries(database.db, { who: "staff:ali", address: "10.0.0.1" }, [
    { action: "change", kind: "operator", name: "MCI" },
  ]);
  const expected = [{ kind: "operator", lastChange: { who: "staff:ali", at: expect.any(Date) as Date } }];
  expect((await apply(undone, { dryRun: true })).changes).toMatchObject(expected);
  expect((await apply(undone)).changes).toMatchObject(expected);
  // Now a command was the last.
  expect((await apply({ operators: [{ name: "MCI", enabled: true }] })).changes[0]).not.toHaveProperty("lastChange");
});

describe("optional parameters and words of receipts", () => {
  const connector = { name: "mci-1", type: "smpp", host: "h", port: 1, systemId: "s", password: "p" };

  it("tell what codes mean, a word alone or with own texts, and export what was given", async () => {
    const receiptErrors = {
      "012": "unknownNumber",
      "130": { kind: "blacklist" },
      "255": { kind: "other", fa: "شب", en: "night" },
    };
    const statusErrors = { "0x0b": "unknownNumber", "88": "network", "0x400": "barred" };
    const { changes } = await apply({ connectors: [{ ...connector, name: "coded", receiptErrors, statusErrors }] });
    expect(changes[0]?.details).toEqual(
      expect.arrayContaining([
        "receiptErrors.012: unknownNumber",
        "receiptErrors.130: blacklist",
        "receiptErrors.255.fa: شب",
        "statusErrors.ESME_RINVDSTADR: unknownNumber",
        "statusErrors.ESME_RTHROTTLED: network",
        "statusErrors.0x00000400: barred",
      ]),
    );
    const text = exportSetup(stateOf(await loadConfiguration(database.db)));
    expect(text).toContain('"012": unknownNumber');
    expect((await applySetup(database.db, { text, folder: "/", prune: false, dryRun: false })).changes).toEqual([]);
    const wrong = { "1": "weather", "2": { fa: "x" }, "3": { kind: "other", de: "x" }, "4": 7 };
    expect(
      await faultsOf({ connectors: [{ ...connector, receiptErrors: wrong, statusErrors: { ok: "network" } }] }),
    ).toEqual([
      "connectors[0].receiptErrors.1.kind: must be one of unknownNumber, unreachable, memoryFull, blacklist, barred, content, network, other",
      "connectors[0].receiptErrors.2.kind: is missing",
      "connectors[0].receiptErrors.3.de: de is an unknown key",
      "connectors[0].receiptErrors.4: must be an object with keys",
      "connectors[0].statusErrors.ok: must name codes that refuse, such as ESME_RTHROTTLED or 0x405, not ok",
    ]);
  });

  it("with faults change nothing", async () => {
    const tlvs = [
      { tag: 0x1400 },
      { tag: 0x1400, text: "1", number: 1 },
      { tag: 0x0424, hex: "00" },
      { tag: 0x0204, hex: "00" },
      { tag: "x", hex: "0" },
      { tag: "1400", hex: "00" },
    ];
    expect(
      await faultsOf({ connectors: [{ ...connector, tlvs, receiptStates: { sent: ["A"], delivered: "B" } }] }),
    ).toEqual([
      "connectors[0].tlvs[0]: must have exactly one of text, hex and number",
      "connectors[0].tlvs[1]: must have exactly one of text, hex and number",
      "connectors[0].tlvs[2].tag: is a tag that the gateway sets itself",
      "connectors[0].tlvs[3].tag: has a value of another length than the standard allows for this tag",
      "connectors[0].tlvs[4].tag: must be a tag from 0x0001 to 0xffff, such as 0x1400",
      "connectors[0].tlvs[4].hex: must be pairs of hexadecimal digits, such as 01ff",
      "connectors[0].tlvs[5].tag: must be a tag from 0x0001 to 0xffff, such as 0x1400",
      "connectors[0].receiptStates.sent: must be one of delivered, undelivered",
      "connectors[0].receiptStates.delivered: must be a list",
    ]);
  });
});
