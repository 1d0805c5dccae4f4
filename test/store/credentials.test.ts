import { afterAll, beforeAll, expect, it } from "vitest";
import { loadConfiguration } from "../../src/store/configuration.ts";
import { type ApiKeysToSave, apiKeysToInsert, deleteApiKeys, replaceUsers } from "../../src/store/credentials.ts";
import { accountsToInsert, saveTariffs } from "../../src/store/setup-accounts.ts";
import { accountState } from "./usual-rows.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await saveTariffs(database.db, [{ name: "t", prices: [] }]);
  const accountOf = (name: string) => ({ name, state: accountState({ domain: name, tariff: "t" }) });
  await database.db.query(accountsToInsert(["a", "b"].map(accountOf)));
});
afterAll(() => database.drop());
const rows = () => database.db.transaction(loadConfiguration);

it("gives a user a new password version with each new hash, and only then", async () => {
  const write = (hash: string) =>
    replaceUsers(database.db, [{ account: "a", users: [{ username: "ali", password: hash, role: "owner" }] }]);
  await write("one");
  await write("one");
  const [first] = (await rows()).users;
  await write("two");
  expect(first).toMatchObject({ passwordHash: "one", passwordVersion: 1 });
  expect((await rows()).users).toMatchObject([{ id: first?.id, passwordHash: "two", passwordVersion: 2 }]);
});

it("removes the users who are left out, of the accounts given only", async () => {
  await replaceUsers(database.db, [
    {
      account: "b",
      users: [
        { username: "ali", password: "x", role: "owner" },
        { username: "bob", password: "y", role: "owner" },
      ],
    },
  ]);
  await replaceUsers(database.db, [{ account: "b", users: [{ username: "bob", password: "y", role: "owner" }] }]);
  expect((await rows()).users.map(({ username, passwordHash }) => [username, passwordHash])).toEqual([
    ["ali", "two"],
    ["bob", "y"],
  ]);
});

it("writes keys anew, so that they may swap names or change account", async () => {
  const key = (hash: string) => ({ key: hash.repeat(64), allowedIps: [], expires: null });
  const write = async (accounts: readonly ApiKeysToSave[]): Promise<void> => {
    const names = accounts.map(({ account }) => account);
    const kept = await deleteApiKeys(database.db, names);
    await database.db.query(apiKeysToInsert(accounts, kept));
  };
  await write([
    {
      account: "a",
      apiKeys: new Map([
        ["one", key("1")],
        ["two", key("2")],
      ]),
    },
  ]);
  await write([
    { account: "a", apiKeys: new Map([["one", key("2")]]) },
    { account: "b", apiKeys: new Map([["mine", key("1")]]) },
  ]);
  const { apiKeys } = await rows();
  expect(Object.fromEntries(apiKeys.map(({ name, sha256Hex }) => [name, sha256Hex[0]]))).toEqual({
    one: "2",
    mine: "1",
  });
});
