import { describe, expect, it } from "vitest";
import { buildDirectory } from "./build-directory.ts";
import type { ConfigurationRows } from "../../src/store/configuration.ts";
import type { AccountRow } from "../../src/store/configured-accounts.ts";
import { noAccountLimits, usualSettings } from "../store/usual-rows.ts";

const limits = { maximumParts: 10 };

function account(id: number, lines: readonly string[], rest: Partial<AccountRow> = {}): AccountRow {
  return {
    id,
    name: `account ${id}`,
    domain: `d${id}.example`,
    tariffId: 1,
    permissions: ["*"],
    allowedIps: [],
    blockedRecipients: [],
    lines,
    balance: 0n,
    ...noAccountLimits,
    unlimited: false,
    wantedEvents: 0,
    ...rest,
  };
}

const settings = { type: "smpp", host: "h", port: 1, systemId: "s", password: "p" };

const rows: ConfigurationRows = {
  settings: { ...usualSettings, service: "3000", advertising: "4000" },
  version: 7n,
  staff: [],
  operators: [
    { id: 1, name: "MCI", enabled: true, prefixes: ["912"], hasImportedNumbers: false },
    { id: 2, name: "Taliya", enabled: false, prefixes: ["932"], hasImportedNumbers: false },
  ],
  portedNumbers: [{ operator: "Taliya", numbers: "989121111111,989122222222" }],
  connectors: [
    { id: 5, name: "up", enabled: true, paused: false, settings: { ...settings, window: 3 } },
    { id: 6, name: "off", enabled: false, paused: false, settings },
  ],
  removedConnectors: [],
  routes: [{ id: 9, operator: "*", line: "*", connectorIds: [6, 5] }],
  blockLists: [],
  rules: [],
  lines: [
    {
      number: "1000",
      kind: "dedicated",
      inboundAccountId: null,
      inboundAccount: null,
      connectorIds: null,
      optOut: null,
    },
    {
      number: "2000",
      kind: "dedicated",
      inboundAccountId: null,
      inboundAccount: null,
      connectorIds: null,
      optOut: null,
    },
    {
      number: "3000",
      kind: "service",
      inboundAccountId: 2,
      inboundAccount: "account 2",
      connectorIds: null,
      optOut: null,
    },
  ],
  tariffs: [{ id: 1, name: "t", prices: [{ operator: "*", line: "*", language: "*", price: "9007199254740993" }] }],
  accounts: [account(1, ["1000", "2000", "3000"]), account(2, ["2000", "3000"], { blockedRecipients: ["989121"] })],
  users: [
    {
      id: 11,
      accountId: 1,
      username: "Ali",
      passwordHash: "h",
      role: "owner",
      passwordVersion: 4,
      enabled: true,
      consoleOnly: false,
    },
  ],
  apiKeys: [{ accountId: 2, name: "main", sha256Hex: "ab", allowedIps: ["10.0.0.1"], expiresAt: null }],
  templates: [
    {
      id: "T1",
      accountId: 1,
      content: "{code}",
      sender: null,
      approved: true,
      refused: null,
      validSeconds: null,
      purpose: "code",
      tlvs: [],
    },
    {
      id: "T2",
      accountId: 2,
      content: "x",
      sender: "service",
      approved: false,
      refused: null,
      validSeconds: 60,
      purpose: "code",
      tlvs: [],
    },
  ],
  endpoints: [],
  tokenKeys: [{ id: 1, secret: Buffer.alloc(32), createdAt: new Date(0) }],
};

const directory = buildDirectory(rows, limits);

describe("the directory", () => {
  it("gives an account its terms", () => {
    const terms = directory.accounts.get(1)?.terms;
    expect([...(terms?.lines.keys() ?? [])]).toEqual(["1000", "2000", "3000"]);
    expect(terms?.tariff.prices[0]?.price).toBe(9_007_199_254_740_993n);
    expect(terms?.disabledOperators).toEqual(new Set(["Taliya"]));
    expect(terms?.maximumParts).toBe(10);
    expect(directory.accounts.get(2)?.terms.blockedRecipients).toEqual(new Set(["989121"]));
  });

  it("shows an account its own templates only", () => {
    const [one, two] = [directory.accounts.get(1)?.terms, directory.accounts.get(2)?.terms];
    expect(one?.template("T1")).toEqual({ id: "T1", content: "{code}", approved: true });
    expect(one?.template("T2")).toBeUndefined();
    expect(two?.template("T2")).toMatchObject({ sender: "service", validSeconds: 60, approved: false });
  });

  it("resolves system lines, and leaves out one that is no line", () => {
    expect(directory.accounts.get(1)?.terms.systemLines).toEqual({ service: { number: "3000", kind: "service" } });
  });

  it("knows routes with the state of their connectors, in order", () => {
    expect(directory.routes).toEqual([
      {
        id: 9,
        operator: "*",
        line: "*",
        connectors: [
          { id: 6, enabled: false },
          { id: 5, enabled: true },
        ],
      },
    ]);
    expect(directory.connectors.map(({ name, settings: { window } }) => [name, window])).toEqual([
      ["up", 3],
      ["off", 100],
    ]);
  });

  it("finds users whatever the case of the domain, but not of the name", () => {
    expect(directory.findUser("D1.Example", "Ali")).toMatchObject({ userId: 11, passwordVersion: 4 });
    expect(directory.findUser("d1.example", "ali")).toBeUndefined();
    expect(directory.findUser("d2.example", "Ali")).toBeUndefined();
    expect(directory.userById(11)?.account.id).toBe(1);
  });

  it("finds API keys by their hash", () => {
    expect(directory.findApiKey("ab")).toMatchObject({ name: "main", allowedIps: ["10.0.0.1"], account: { id: 2 } });
    expect(directory.findApiKey("cd")).toBeUndefined();
  });

  it("gives what comes in to the named account, else to the only one, else to none", () => {
    expect(directory.inboundAccountOf("3000")).toBe(2);
    expect(directory.inboundAccountOf("1000")).toBe(1);
    expect(directory.inboundAccountOf("2000")).toBe(0);
    expect(directory.inboundAccountOf("9999")).toBe(0);
  });
});
