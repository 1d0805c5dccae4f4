import { afterAll, beforeAll, expect, it } from "vitest";
import type { Values } from "../../src/fields/field.ts";
import type { settingsFields } from "../../src/fields/settings-fields.ts";
import { loadConfiguration } from "../../src/store/configuration.ts";
import {
  accountLinesToInsert,
  accountsToInsert,
  deleteAccountLines,
  deleteAccounts,
  deleteLines,
  deleteTariffs,
  deleteTemplates,
  saveTariffs,
  updateAccounts,
  updateSettings,
  upsertLines,
  upsertTemplates,
} from "../../src/store/setup-accounts.ts";
import { accountState } from "./usual-rows.ts";
import { createTestDatabase, statement, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
const rows = () => database.db.transaction(loadConfiguration);

const state = accountState({
  ...{ domain: "d", tariff: "t", permissions: ["send"], requestsPerSecond: 0.5, allowedIps: ["::1"] },
  ...{ blockedRecipients: ["989121111111"], balance: 50n, lowCredit: 70n },
  ...{ duplicateSeconds: 60, dailyMessages: 9_000_000_000, monthlyCost: 999999999999999n },
});

it("writes a tariff with the largest prices exactly", async () => {
  const price = { operator: "*", line: "*", language: "*", price: "999999999999999" };
  await saveTariffs(database.db, [{ name: "t", prices: [price, { ...price, language: "fa" }] }]);
  await saveTariffs(database.db, [{ name: "t", prices: [price] }]);
  expect((await rows()).tariffs).toMatchObject([{ name: "t", prices: [price] }]);
});

it("writes an account with its balance, once opened and then left alone", async () => {
  await database.db.query(accountsToInsert([{ name: "demo", state: { ...state, domain: "c", lowCredit: 1n } }]));
  await updateAccounts(database.db, [
    { name: "demo", state: { ...state, balance: 7n, credit: "unlimited", domain: "e" } },
    { name: "nobody", state },
  ]);
  expect(await database.db.query(statement("select kind, amount from ledger_entry"))).toEqual([
    { kind: "opening", amount: 50n },
  ]);
  expect((await rows()).accounts).toMatchObject([
    {
      name: "demo",
      domain: "e",
      requestsPerSecond: 0.5,
      allowedIps: ["::1"],
      balance: 50n,
      unlimited: true,
      lowCredit: 70n,
      duplicateSeconds: 60,
      dailyMessages: 9_000_000_000,
      monthlyCost: 999_999_999_999_999n,
    },
  ]);
});

it("gives lines to accounts, and takes them away", async () => {
  await upsertLines(database.db, [
    { number: "1000", kind: "dedicated", inbound: "demo", connectors: null, optOut: "append" },
    { number: "2000", kind: "service", inbound: null, connectors: null, optOut: null },
  ]);
  await database.db.query(accountLinesToInsert([{ account: "demo", lines: ["1000", "2000"] }]));
  await deleteAccountLines(database.db, ["demo"]);
  await database.db.query(accountLinesToInsert([{ account: "demo", lines: ["2000"] }]));
  const { accounts, lines } = await rows();
  expect(accounts[0]?.lines).toEqual(["2000"]);
  expect(lines).toEqual([
    {
      number: "1000",
      kind: "dedicated",
      inboundAccountId: accounts[0]?.id,
      inboundAccount: accounts[0]?.name,
      connectorIds: null,
      optOut: "append",
    },
    { number: "2000", kind: "service", inboundAccountId: null, inboundAccount: null, connectorIds: null, optOut: null },
  ]);
});

it("writes templates and settings", async () => {
  const template = {
    id: "T",
    account: "demo",
    content: "x",
    sender: null,
    approved: false,
    refused: null,
    validSeconds: null,
    purpose: "code",
  };
  await upsertTemplates(database.db, [template]);
  await upsertTemplates(database.db, [{ ...template, approved: true, validSeconds: 60, purpose: "information" }]);
  const settings: Values<typeof settingsFields> = {
    ...{
      service: "2000",
      advertising: null,
      retentionDays: 9,
      timeZone: "UTC",
      staffSecondFactor: "required" as const,
    },
    ...{ calendar: "gregorian" as const, eventDays: 5, contentDays: 6, codeContentHours: 7 },
    ...{ optOutStop: ["no"], optOutResume: [], optOutNotice: "stop: 11" },
  };
  await updateSettings(database.db, settings);
  expect(await rows()).toMatchObject({
    templates: [{ id: "T", approved: true, validSeconds: 60, purpose: "information" }],
    settings,
  });
});

it("removes them, and keeps the ledger of an account that is gone", async () => {
  const { db } = database;
  await deleteTemplates(db, ["T"]);
  await deleteAccounts(db, ["demo"]);
  await deleteTariffs(db, ["t"]);
  await deleteLines(db, ["1000", "2000"]);
  expect(await rows()).toMatchObject({ accounts: [], templates: [], tariffs: [], lines: [] });
  const entries = await db.query({ name: "listEntries", text: "select kind, amount from ledger_entry", values: [] });
  expect(entries).toEqual([{ kind: "opening", amount: 50n }]);
});
