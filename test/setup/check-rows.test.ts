// The keys of events and rules of sending in a setup file: stored, told, exported, pruned, audited;
// and what is wrong with them.
import path from "node:path";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { parse, stringify } from "yaml";
import { applySetup, type AppliedSetup, changeSetup } from "../../src/setup/change-setup.ts";
import { exportSetup } from "../../src/setup/describe-object.ts";
import { formatFault, SetupFaults } from "../../src/setup/fault.ts";
import { stateOf } from "../../src/setup/load-state.ts";
import { gatewayActor } from "../../src/store/audit.ts";
import { loadConfiguration } from "../../src/store/configuration.ts";
import { loadDirectory } from "../../src/directory/load-directory.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
async function open(): Promise<() => Promise<void>> {
  const opened = await createTestDatabase();
  database = opened;
  return () => opened.drop();
}

async function apply(setup: object, { prune = false } = {}): Promise<AppliedSetup> {
  return applySetup(database.db, { text: stringify(setup), folder: "/", prune, dryRun: false });
}

async function faultsOf(work: Promise<unknown>): Promise<string[]> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SetupFaults);
  return (error as SetupFaults).faults.map(({ path, key, values }) => formatFault({ path, key, values }));
}

const rows = () => database.db.transaction((tx) => loadConfiguration(tx));
const directoryNow = async () => (await loadDirectory(database.db, { maximumParts: 10 })).directory;

const base = {
  lines: [{ number: "1000" }, { number: "2000", kind: "advertising", optOut: "append" }],
  tariffs: [{ name: "t", prices: [{ price: 5 }] }],
  accounts: [
    {
      name: "shop",
      tariff: "t",
      lines: ["1000", "2000"],
      lowCredit: 7,
      tidyTexts: true,
    },
    { name: "club", tariff: "t", lines: ["2000"] },
  ],
  templates: [{ id: "N", account: "shop", content: "x", purpose: "information" }],
};
const rules = {
  blockLists: [],
  sendingHours: [
    {
      name: "night",
      accounts: ["shop"],
      windows: [{ from: "22:00", to: "06:00", days: ["fri"] }],
      except: ["1406-01-01"],
    },
    { name: "day", timeZone: "UTC", windows: [{ from: "09:00", to: "24:00" }] },
  ],
  contentRules: [
    { name: "bets", words: ["شرط‌بندی", "casino*"], action: "refuse" },
    { name: "links", lines: ["2000"], links: "listed", domains: ["Example.com"], action: "review" },
  ],
  inboundRules: [
    { line: "1000", words: ["join"], account: "shop" },
    { line: "2000", prefix: "رای", account: "club" },
    { line: "2000", any: true, account: "shop" },
  ],
};
const settings = {
  calendar: "gregorian",
  retentionDays: 50,
  eventDays: 40,
  contentDays: 3,
  codeContentHours: 2,
  optOutWords: { stop: ["no more"] },
  optOutNotice: "لغو۹",
};

describe("rules of sending", () => {
  beforeEach(open);

  it("reach the directory with their defaults, in order; the same file changes nothing", async () => {
    await apply({ ...base, ...rules, ...settings });
    const directory = await directoryNow();
    expect(directory.rules).toEqual({
      blockLists: [],
      sendingHours: [
        {
          name: "night",
          lines: ["*"],
          accounts: ["shop"],
          timeZone: "Asia/Tehran",
          windows: [{ days: ["fri"], from: "22:00", to: "06:00" }],
          except: ["1406-01-01"],
        },
        {
          name: "day",
          lines: ["*"],
          accounts: ["*"],
          timeZone: "UTC",
          except: [],
          windows: [{ days: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"], from: "09:00", to: "24:00" }],
        },
      ],
      contentRules: [
        {
          name: "bets",
          lines: ["*"],
          accounts: ["*"],
          words: ["شرط‌بندی", "casino*"],
          links: "any",
          domains: [],
          action: "refuse",
        },
        {
          name: "links",
          lines: ["2000"],
          accounts: ["*"],
          words: [],
          links: "listed",
          domains: ["example.com"],
          action: "review",
        },
      ],
      inboundRules: rules.inboundRules,
    });
    expect(directory).toMatchObject({ calendar: "gregorian", eventDays: 40, contentDays: 3, codeContentHours: 2 });
    expect(directory.optOutNotice).toBe("لغو۹");
    expect(["No more", "11", "12"].map((text) => directory.optOutWords.read(text))).toEqual([
      "stop",
      undefined,
      "resume",
    ]);
    expect(directory.lines.get("2000")?.optOut).toBe("append");
    expect(directory.lines.get("1000")).toEqual({ number: "1000", kind: "dedicated" });
    const shop = directory.findAccount("shop");
    expect(shop?.limits).toMatchObject({ duplicateSeconds: 0, dailyMessages: 0, monthlyCost: 0n, lowCredit: 7n });
    expect(shop?.terms.tidyTexts).toBe(true);
    expect(shop?.terms.template("N")?.purpose).toBe("information");
    expect(directory.inboundRules.find("1000", "JOIN!")?.account).toBe("shop");
    expect((await apply({ ...base, ...rules, ...settings })).changes).toEqual([]);
  });

  it("export so that applying it changes nothing, also in another database", async () => {
    const tlvs = [
      { tag: 0x1400, text: "11" },
      { tag: "0X14ff", number: 7 },
    ];
    const codes = { "012": "unknownNumber", "255": { kind: "other", fa: "شب", en: "night" } };
    const connector = { name: "c", type: "smpp", host: "h", port: 1, systemId: "s", password: "p", paused: true };
    const ca = path.join(import.meta.dirname, "../fixtures/tls/ca.pem");
    const links = { tlvs, receiptStates: { delivered: ["HANDED"] }, receiptErrors: codes, tls: { ca, verify: false } };
    const connectors = [{ ...connector, ...links }];
    const more = { connectors, timeZone: "Europe/Berlin", staffSecondFactor: "required" };
    // Names that YAML could take for something else.
    const odd = ["0912", "1e3", "yes", "null", "~", "- x", "a: b #c"].map((name) => ({ name, tariff: "t" }));
    await apply({ ...base, accounts: [...base.accounts, ...odd], ...rules, ...settings, ...more });
    const exported = parse(exportSetup(stateOf(await rows()))) as { connectors: object[] };
    expect(exported).toMatchObject({ ...settings, contentRules: [{ name: "bets" }, { name: "links" }] });
    expect(exported.connectors).toMatchObject([
      {
        paused: true,
        tlvs: [{ tag: "0x1400" }, { tag: "0x14ff" }],
        // Its text, so that the file needs no other.
        tls: { ca: expect.stringContaining("-----BEGIN CERTIFICATE-----") as string },
      },
    ]);
    expect((await apply(exported)).changes).toEqual([]);
    const here = stateOf(await rows());
    onTestFinished(await open());
    await apply({ ...exported, connectors: exported.connectors.map((each) => ({ ...each, password: "p" })) });
    const { connectors: copies, contentRules, settings: found } = stateOf(await rows());
    expect([copies, contentRules, found]).toEqual([here.connectors, here.contentRules, here.settings]);
  });

  it("stay where a file does not give them, are replaced by a list, and null takes the usual", async () => {
    await apply({ ...base, ...rules, ...settings });
    expect((await apply({ operators: [] })).changes).toEqual([]);
    const { changes } = await apply({
      contentRules: rules.contentRules.toReversed(),
      eventDays: 30,
      optOutNotice: "لغو۱۱",
      optOutWords: { stop: null },
      lines: [{ number: "2000", optOut: null }],
    });
    expect(changes.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      "line 2000",
      "rules contentRules",
      "settings settings",
    ]);
    const directory = await directoryNow();
    expect(directory.rules.contentRules.map(({ name }) => name)).toEqual(["links", "bets"]);
    expect(directory.rules.inboundRules).toHaveLength(3);
    expect([directory.eventDays, directory.optOutNotice]).toEqual([30, "لغو۱۱"]);
    expect(directory.optOutWords.read("لغو")).toBe("stop");
    expect(directory.lines.get("2000")?.optOut).toBeUndefined();
    expect((await apply({ sendingHours: [] })).changes).toMatchObject([{ action: "remove", name: "sendingHours" }]);
  });

  it("keep what they name from being pruned, and are pruned themselves where the file has none", async () => {
    await apply({ ...base, ...rules });
    await apply({ inboundRules: rules.inboundRules.slice(0, 2) }, { prune: true });
    const directory = await directoryNow();
    expect([...directory.lines.keys()]).toEqual(["1000", "2000"]);
    expect(["shop", "club"].map((name) => directory.findAccount(name)?.name)).toEqual(["shop", "club"]);
    expect(directory.rules).toMatchObject({ blockLists: [], sendingHours: [], contentRules: [] });
    await apply({ tariffs: base.tariffs }, { prune: true });
    expect((await directoryNow()).rules.inboundRules).toEqual([]);
    expect((await directoryNow()).accounts.size).toBe(0);
  });

  it("keep the console from removing the lines and accounts that they name", async () => {
    await apply({ ...base, inboundRules: rules.inboundRules.slice(1, 2) });
    const remove = (section: "accounts" | "lines", name: string) =>
      changeSetup(database.db, {
        by: gatewayActor,
        about: section === "accounts" ? { accounts: [name] } : {},
        edit: () => ({ remove: { section, name } }),
      });
    expect(await faultsOf(remove("accounts", "club"))).toEqual([expect.stringContaining("inboundRules 1")]);
    expect(await faultsOf(remove("lines", "2000"))).toEqual([expect.stringContaining("inboundRules 1")]);
    await remove("accounts", "shop");
    expect((await directoryNow()).findAccount("shop")).toBeUndefined();
  });

  it("are in the audit", async () => {
    await apply({ ...base, ...rules });
    const entries = await database.rows<{ name: string; after: unknown }>(
      "select name, after from audit_entry where kind = 'rules' order by name",
    );
    expect(entries.map(({ name }) => name)).toEqual(["contentRules", "inboundRules", "sendingHours"]);
    expect(entries[0]?.after).toEqual({ rules: [expect.objectContaining({ name: "bets" }), expect.anything()] });
  });
});

describe("faults of the rules", () => {
  // They change nothing.
  beforeAll(async () => {
    const drop = await open();
    await apply(base);
    return drop;
  });

  it.each<[object, string]>([
    [{ blockLists: [{ name: "x", lines: ["9999"] }] }, "blockLists[0].lines[0]: there is no line 9999"],
    [{ blockLists: [{ name: "x", accounts: ["shopp"] }] }, "blockLists[0].accounts[0]: there is no account shopp"],
    [{ blockLists: [{ name: "x", lines: [] }] }, "blockLists[0].lines: must not be empty"],
    [{ blockLists: [{ name: "x" }, { name: "x" }] }, "blockLists[1].name: x is listed twice"],
    [{ blockLists: [{ name: "x" }] }, "blockLists[0].name: there is no block list x"],
    [{ sendingHours: [{ name: "h" }] }, "sendingHours[0].windows: is missing"],
    [{ sendingHours: [{ name: "h", windows: [] }] }, "sendingHours[0].windows: must not be empty"],
    [
      { sendingHours: [{ name: "h", windows: [{ from: "24:00", to: "25:00" }] }] },
      "sendingHours[0].windows[0].from: must be a time of day, such as 09:00",
    ],
    [
      { sendingHours: [{ name: "h", windows: [{ from: "09:00", to: "21:00" }], except: ["1405-12-30"] }] },
      "sendingHours[0].except[0]: must be a date, such as 1406-01-01 or 2027-03-21",
    ],
    [{ contentRules: [{ name: "c", words: ["x"] }] }, "contentRules[0].action: is missing"],
    [{ contentRules: [{ name: "c", action: "refuse" }] }, "contentRules[0].words: is missing"],
    [
      { contentRules: [{ name: "c", words: ["!!"], action: "refuse" }] },
      "contentRules[0].words[0]: must be a word with letters or digits",
    ],
    [{ contentRules: [{ name: "c", links: "listed", action: "refuse" }] }, "contentRules[0].domains: is missing"],
    [{ inboundRules: [{ line: "1000", any: true }] }, "inboundRules[0].account: is missing"],
    [
      { inboundRules: [{ line: "1000", any: true, prefix: "a", account: "shop" }] },
      "inboundRules[0]: must have exactly one of words, prefix and any",
    ],
    [
      { inboundRules: [{ line: "1000", any: true, account: "none" }] },
      "inboundRules[0].account: there is no account none",
    ],
    [
      { inboundRules: [{ line: "1000", any: true, account: "club", reply: "hi" }] },
      "inboundRules[0].reply: replies are sent from 1000, which is not a line of account club",
    ],
    [
      { inboundRules: [{ line: "1000", any: true, account: "shop", reply: " " }] },
      "inboundRules[0].reply: must be a text that is not blank",
    ],
    [
      { inboundRules: [{ line: "1000", any: true, account: "shop", reply: "hi", maxPerHour: 0 }] },
      "inboundRules[0].maxPerHour: must be a whole number from 1 to 1000000",
    ],
    [
      { inboundRules: [{ line: "1000", any: true, account: "shop", maxPerHour: 5 }] },
      "inboundRules[0].maxPerHour: has an effect only with a reply",
    ],
    [{ optOutWords: { stop: ["Start!"] } }, "optOutWords: start is both a stop word and a resume word"],
    [{ optOutNotice: "…" }, "optOutNotice: must be a word with letters or digits"],
    [{ eventDays: 91 }, "eventDays: must be a whole number from 1 to 90"],
    [{ retentionDays: 5, eventDays: 6 }, "eventDays: events are kept for 6 days, but messages for 5"],
    [{ calendar: "lunar" }, "calendar: must be one of jalali, gregorian"],
    [{ lines: [{ number: "1000", optOut: "on" }] }, "lines[0].optOut: must be one of honour, require, append, off"],
    [{ templates: [{ id: "N", purpose: "ad" }] }, "templates[0].purpose: must be one of code, information"],
    [
      { accounts: [{ name: "shop", duplicateSeconds: 86_401 }] },
      "accounts[0].duplicateSeconds: must be a whole number from 0 to 86400",
    ],
  ])("%j", async (setup, fault) => {
    expect(await faultsOf(apply(setup))).toContain(fault);
  });
});

describe("a reply", () => {
  beforeEach(open);

  const rule = { line: "1000", any: true, account: "shop", reply: "hi" };
  const fault = "replies are sent from 1000, which is not a line of account shop";

  it("holds the line with its account, whoever changes either", async () => {
    await apply({ ...base, inboundRules: [rule] });
    const shop = { name: "shop", lines: ["2000"] };
    expect(await faultsOf(apply({ accounts: [shop] }))).toEqual([`accounts[0].lines: ${fault}`]);
    const byConsole = (given: Record<string, unknown>, about = {}): Promise<unknown> =>
      changeSetup(database.db, { by: gatewayActor, about, edit: () => ({ given }) });
    expect(await faultsOf(byConsole({ accounts: [shop] }, { accounts: ["shop"] }))).toEqual([
      `accounts[0].lines: ${fault}`,
    ]);
    expect(await faultsOf(byConsole({ inboundRules: [{ ...rule, account: "club" }] }))).toEqual([
      "inboundRules[0].reply: replies are sent from 1000, which is not a line of account club",
    ]);
    await apply({ accounts: [shop], inboundRules: [] });
    expect((await directoryNow()).rules.inboundRules).toEqual([]);
  });

  it("may be bounded in an hour", async () => {
    await apply({ ...base, inboundRules: [{ ...rule, maxPerHour: 5 }] });
    expect((await directoryNow()).inboundRules.find("1000", "price?")).toEqual({ ...rule, maxPerHour: 5 });
  });
});

it("events are kept no longer than messages where nobody said how long", async () => {
  onTestFinished(await open());
  await apply({ retentionDays: 7 });
  expect((await directoryNow()).eventDays).toBe(7);
  expect(exportSetup(stateOf(await rows()))).not.toContain("eventDays");
});
