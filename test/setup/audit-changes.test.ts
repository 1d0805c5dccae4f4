import { describe, expect, it } from "vitest";
import { noRules } from "../../src/sms/rule-lists.ts";
import { auditSetup } from "../../src/setup/audit-changes.ts";
import { findChanges } from "../../src/setup/setup-changes.ts";
import type { AccountState, SetupState } from "../../src/setup/setup-state.ts";
import { noAccountLimits } from "../store/usual-rows.ts";

const empty: SetupState = {
  operators: new Map(),
  portedNumbers: new Map(),
  importedOperators: new Set(),
  blockLists: new Set(),
  connectors: new Map(),
  routes: [],
  rules: noRules,
  lines: new Map(),
  tariffs: new Map(),
  accounts: new Map(),
  templates: new Map(),
  settings: {
    service: null,
    advertising: null,
    retentionDays: 90,
    timeZone: "Asia/Tehran",
    calendar: "jalali",
    eventDays: null,
    contentDays: 0,
    codeContentHours: 0,
    optOutStop: null,
    optOutResume: null,
    optOutNotice: null,
    staffSecondFactor: "optional",
  },
  staff: new Map(),
};

const account: AccountState = {
  domain: "demo.example",
  tariff: "standard",
  lines: ["1000"],
  permissions: ["*"],
  requestsPerSecond: 0,
  allowedIps: [],
  blockedRecipients: [],
  unlimited: false,
  balance: 5n,
  ...noAccountLimits,
  users: new Map([["ali", { passwordHash: "hash of a password", role: "owner" as const }]]),
  endpoints: new Map(),
  apiKeys: new Map([["main", { sha256Hex: "00ff", allowedIps: [], expiresAt: null }]]),
};

const audit = (stored: Partial<SetupState>, desired: Partial<SetupState>) => {
  const [before, after] = [
    { ...empty, ...stored },
    { ...empty, ...desired },
  ];
  return auditSetup(before, after, findChanges(before, after));
};
const withAccount = (change: Partial<AccountState>) => ({ accounts: new Map([["demo", { ...account, ...change }]]) });

describe("auditSetup", () => {
  it("tells all of a new object and of a removed one", () => {
    const operators = new Map([["MCI", { enabled: true, prefixes: ["912", "910"] }]]);
    const keys = { enabled: true, prefixes: ["910", "912"] };
    expect(audit({}, { operators })).toEqual([{ action: "create", kind: "operator", name: "MCI", after: keys }]);
    expect(audit({ operators }, {})).toEqual([{ action: "remove", kind: "operator", name: "MCI", before: keys }]);
  });

  it("tells of a changed object what differs alone", () => {
    expect(audit(withAccount({}), withAccount({ tariff: "other" }))).toEqual([
      {
        action: "change",
        kind: "account",
        name: "demo",
        account: "demo",
        before: { tariff: "standard" },
        after: { tariff: "other" },
      },
    ]);
    const settings = { ...empty.settings, retentionDays: 30 };
    expect(audit({}, { settings })).toEqual([
      {
        action: "change",
        kind: "settings",
        name: "settings",
        before: { retentionDays: 90 },
        after: { retentionDays: 30 },
      },
    ]);
  });

  it("tells that a secret is another one, and nothing of it", () => {
    const changed = audit(
      withAccount({}),
      withAccount({
        users: new Map([["ali", { passwordHash: "another hash", role: "owner" as const }]]),
        apiKeys: new Map([["main", { sha256Hex: "11", allowedIps: [], expiresAt: null }]]),
      }),
    );
    expect(changed).toMatchObject([{ before: {}, after: { passwordsChanged: ["ali"], keysChanged: ["main"] } }]);
    expect(JSON.stringify([changed, audit({}, withAccount({}))])).not.toMatch(/hash|00ff|11/);
  });

  it("tells more than 50 changes of one kind as their count", () => {
    const numbers = (count: number) =>
      new Map(Array.from({ length: count }, (_, index) => [`98912000${1000 + index}`, "MCI"] as const));
    expect(audit({}, { portedNumbers: numbers(50) })).toHaveLength(50);
    expect(audit({}, { portedNumbers: numbers(51) })).toEqual([
      { action: "create", kind: "portedNumber", name: "", after: { count: 51, names: [...numbers(51).keys()] } },
    ]);
    expect(audit({ portedNumbers: numbers(51) }, {})).toEqual([
      { action: "remove", kind: "portedNumber", name: "", before: { count: 51, names: [...numbers(51).keys()] } },
    ]);
    const [many] = audit({}, { portedNumbers: numbers(5000) });
    expect(many?.after).toMatchObject({ count: 5000 });
    expect((many?.after as { names: readonly string[] } | undefined)?.names).toHaveLength(500);
  });

  it("counts those of one kind together, whether they are added or removed", () => {
    const numbers = (first: number, count: number) =>
      new Map(Array.from({ length: count }, (_, index) => [`98912000${first + index}`, "MCI"] as const));
    const changes = audit({ portedNumbers: numbers(1000, 30) }, { portedNumbers: numbers(2000, 30) });
    expect(changes.map(({ action, name }) => [action, name]).sort()).toEqual([
      ["create", ""],
      ["remove", ""],
    ]);
  });

  it("tells of a long list what differs, bounded", () => {
    const blocked = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => `98912${String(1_000_000 + from + index)}`);
    const [change] = audit(
      withAccount({ blockedRecipients: blocked(0, 5000) }),
      withAccount({ blockedRecipients: blocked(1, 5000) }),
    );
    expect(change).toMatchObject({
      before: { blockedRecipients: { count: 5000, onlyHere: blocked(0, 1) } },
      after: { blockedRecipients: { count: 5000, onlyHere: blocked(5000, 1) } },
    });
    const [many] = audit(withAccount({}), withAccount({ blockedRecipients: blocked(0, 5000) }));
    expect(JSON.stringify(many).length).toBeLessThan(5000);
  });
});
