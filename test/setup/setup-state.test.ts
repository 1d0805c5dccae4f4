import { expect, it } from "vitest";
import { stateOf } from "../../src/setup/setup-state.ts";
import type { ConfigurationRows } from "../../src/store/configuration.ts";
import { noAccountLimits, usualSettingsRow } from "../store/usual-rows.ts";

const rows: ConfigurationRows = {
  ...usualSettingsRow,
  retentionDays: 9,
  systemServiceLine: "1000",
  staff: [],
  endpoints: [],
  tokenKeys: [],
  operators: [{ id: 1, name: "MCI", enabled: true, prefixes: ["912"], hasImportedNumbers: true }],
  portedNumbers: [{ operator: "MCI", numbers: "989121111111,989122222222" }],
  connectors: [{ id: 3, name: "c", enabled: true, paused: false, settings: { port: 1 } }],
  removedConnectors: [],
  routes: [{ id: 4, operator: "*", line: "*", connectorIds: [3] }],
  blockLists: [],
  rules: [],
  lines: [
    { number: "1000", kind: "service", inboundAccountId: 7, inboundAccount: "a", connectorIds: [3], optOut: null },
  ],
  tariffs: [{ id: 5, name: "t", prices: [{ operator: "*", line: "*", language: "*", price: "12" }] }],
  accounts: [
    {
      ...{ id: 7, name: "a", domain: "d", tariffId: 5, permissions: ["*"], requestsPerSecond: 0, allowedIps: [] },
      ...{ blockedRecipients: [], lines: ["1000"], balance: 3n, ...noAccountLimits, unlimited: false, wantedEvents: 0 },
    },
  ],
  users: [{ id: 8, accountId: 7, username: "u", passwordHash: "h", role: "owner", passwordVersion: 1, enabled: true, consoleOnly: false }],
  apiKeys: [{ accountId: 7, name: "k", sha256Hex: "ab", allowedIps: [], expiresAt: null }],
  templates: [
    {
      id: "T",
      accountId: 7,
      content: "x",
      sender: null,
      approved: true,
      refused: null,
      validSeconds: null,
      purpose: "code",
    },
  ],
};

it("names what rows refer to by number", () => {
  const state = stateOf(rows);
  expect(state.routes).toEqual([{ operator: "*", line: "*", connectors: ["c"] }]);
  expect(state.lines.get("1000")).toEqual({ kind: "service", inbound: "a", connectors: ["c"], optOut: null });
  expect([...state.portedNumbers]).toEqual([
    ["989121111111", "MCI"],
    ["989122222222", "MCI"],
  ]);
  expect(state.tariffs.get("t")?.[0]?.price).toBe(12n);
  expect(state.accounts.get("a")).toMatchObject({
    tariff: "t",
    balance: 3n,
    lowCredit: 0n,
    users: new Map([["u", { passwordHash: "h", role: "owner" }]]),
  });
  expect(state.accounts.get("a")?.apiKeys.get("k")?.sha256Hex).toBe("ab");
  expect(state.templates.get("T")).toMatchObject({ account: "a", content: "x" });
  expect(state.settings).toEqual({
    service: "1000",
    advertising: null,
    retentionDays: 9,
    timeZone: "Asia/Tehran",
    staffSecondFactor: "optional",
    calendar: "jalali",
    eventDays: null,
    contentDays: 0,
    codeContentHours: 0,
    optOutStop: null,
    optOutResume: null,
    optOutNotice: null,
  });
});

it("is astonished by a reference to nothing", () => {
  expect(() => stateOf({ ...rows, connectors: [] })).toThrow(/does not exist/);
});
