// Directories of one account with one user, for the tests of credentials.
import type { Directory } from "../../src/directory/directory.ts";
import { buildDirectory } from "../directory/build-directory.ts";
import type { TokenKeyRow } from "../../src/store/configuration.ts";
import { noAccountLimits } from "../store/usual-rows.ts";
import { type ObjectRows, objectSections } from "../../src/store/configured-objects.ts";
import type { ApiKeyRow, UserRow } from "../../src/store/configured-accounts.ts";

export interface CredentialRows {
  readonly users?: readonly Partial<UserRow>[];
  readonly apiKeys?: readonly ApiKeyRow[];
  readonly tokenKeys?: readonly TokenKeyRow[];
  readonly allowedIps?: readonly string[];
}

export function tokenKey(id: number, rest: Partial<TokenKeyRow> = {}): TokenKeyRow {
  return { id, secret: Buffer.alloc(32, id), createdAt: new Date(0), ...rest };
}

export function directoryWith({
  users = [{}],
  apiKeys = [],
  tokenKeys = [tokenKey(1)],
  allowedIps = [],
}: CredentialRows): Directory {
  const account = {
    id: 1,
    name: "demo",
    domain: "demo.example",
    tariff: "t",
    permissions: ["*"],
    allowedIps,
    blockedRecipients: [],
    lines: [],
    balance: 0n,
    ...noAccountLimits,
    tidyTexts: false,
    unlimited: false,
    wantedEvents: 0,
    templates: [],
    apiKeys,
    users: users.map((user) => ({
      accountId: 1,
      personId: 7,
      username: "ali",
      passwordHash: "",
      passwordVersion: 1,
      consoleOnly: false,
      role: "owner" as const,
      enabled: true,
      ...user,
    })),
  };
  return buildDirectory(
    {
      version: 1n,
      objects: {
        ...(Object.fromEntries(objectSections.map((section) => [section, []])) as unknown as ObjectRows),
        settings: [{ id: 1, name: "settings", body: { retentionDays: 1 } }],
        tariffs: [{ id: 2, name: "t", body: { prices: [] } }],
      },
      staff: [],
      portedNumbers: [],
      importedOperators: [],
      listNames: [],
      endpoints: [],
      accounts: [account, { ...account, id: 2, name: "other", domain: "other.example", users: [], apiKeys: [] }],
      tokenKeys,
    },
    { maximumParts: 10 },
  );
}
