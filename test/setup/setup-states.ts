// States and setups for the tests of what is compared and changed.
import { noRules } from "../../src/sms/rule-lists.ts";
import type { PasswordHashes } from "../../src/setup/desired-state.ts";
import { readSetup } from "../../src/setup/read-setup.ts";
import type { Setup } from "../../src/setup/setup.ts";
import type { SetupState } from "../../src/setup/setup-state.ts";

export const emptyState: SetupState = {
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
    retentionDays: 400,
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

/** Throws where the value is wrong by itself. */
export function setupOf(value: object): Setup {
  const { setup, faults } = readSetup(value);
  if (faults.length > 0) throw new Error(JSON.stringify(faults));
  return setup;
}

export const hashed: PasswordHashes = { hashFor: (account, username) => `hash of ${account}/${username}` };
export const noPasswords: PasswordHashes = { hashFor: () => undefined };

export const whole = {
  operators: [{ name: "MCI", prefixes: ["912"] }, { name: "Taliya" }, { name: "Surplus" }],
  portedNumbers: [{ number: "09121112233", operator: "Taliya" }],
  connectors: [{ name: "c", type: "smpp", host: "h", port: 1, systemId: "s", password: "secret-of-c" }],
  routes: [{ connectors: ["c"] }],
  lines: [{ number: "1000", inbound: "a" }, { number: "2000" }, { number: "3000" }],
  tariffs: [
    { name: "t", prices: [{ price: 5 }] },
    { name: "unused", prices: [{ price: 6 }] },
  ],
  accounts: [
    {
      ...{ name: "a", tariff: "t", lines: ["1000"], credit: 5 },
      users: [{ username: "u", password: "a password of u" }],
      apiKeys: [{ name: "k", key: "secret-key-1" }],
    },
    { name: "b", tariff: "unused" },
  ],
  templates: [{ id: "T", account: "a", content: "x", sender: "2000" }],
  systemLines: { service: "3000" },
};
