import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  isStaffName,
  type PersonUnchanged,
  removePerson,
  resetSecondFactor,
  savePerson,
  type WantedPerson,
} from "../../src/credentials/people.ts";
import { passwordMatches } from "../../src/credentials/password.ts";
import { listAuditEntries } from "../../src/store/audit.ts";
import { findPerson, listPeople } from "../../src/store/people.ts";
import { createTestDatabase, statement, type TestDatabase } from "../support/database.ts";

let test: TestDatabase;
const named = (username: string) => ({
  db: test.db,
  actor: { who: "command:ali@host", address: "10.0.0.1" },
  username,
});
const save = (username: string, wanted: WantedPerson) => savePerson(named(username), wanted);
const password = "a long password";
const administrator = { role: "administrator", password } as const;

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  await test.db.query(statement("delete from person"));
  await test.db.query(statement("delete from audit_entry"));
  await save("root", administrator);
});

const last = async () => (await listAuditEntries(test.db, { limit: 1 })).entries[0];
const everybody = () => listPeople(test.db, undefined, { limit: 10 });

describe("the last administrator who can sign in", () => {
  const ways: [string, () => Promise<unknown>][] = [
    ["removed", () => removePerson(named("root"))],
    ["disabled", () => save("root", { enabled: false })],
    ["given another role", () => save("root", { role: "operator" })],
  ];

  it.each(ways)("cannot be %s", async (_, change) => {
    await save("asleep", { ...administrator, enabled: false });
    await save("other", { role: "operator", password });
    const before = await everybody();
    await expect(change()).rejects.toMatchObject({ name: "PersonUnchanged", reason: "lastAdministrator" });
    expect(await everybody()).toEqual(before);
    expect(await last()).toMatchObject({ name: "other" });
  });

  it.each(ways)("who is not the last can be %s", async (_, change) => {
    await save("second", administrator);
    await change();
    expect(await last()).toMatchObject({ kind: "staff", name: "root", who: "command:ali@host", address: "10.0.0.1" });
  });

  it("stays, when the last two are removed at once", async () => {
    await save("second", administrator);
    const remove = (name: string) =>
      removePerson(named(name)).then(
        () => "removed",
        (error: unknown) => (error as PersonUnchanged).reason,
      );
    expect((await Promise.all(["root", "second"].map(remove))).toSorted()).toEqual(["lastAdministrator", "removed"]);
    expect(await everybody()).toHaveLength(1);
  });
});

describe("changes of people", () => {
  it("are audited, without the password", async () => {
    await save("root", { password: "another password" });
    expect(await last()).toMatchObject({ action: "change", name: "root", after: { password: "set" } });
    const stored = await findPerson(test.db, undefined, "root");
    expect(stored).toMatchObject({ passwordSetBy: "command:ali@host", passwordVersion: 2 });
    expect(await passwordMatches(stored?.passwordHash ?? "", "another password")).toBe(true);
    const rows = await test.db.query<{ row: string }>(statement("select a::text as row from audit_entry a"));
    expect(rows.some(({ row }) => /another|argon2/.test(row))).toBe(false);
  });

  it("that change nothing are not audited", async () => {
    await save("root", { role: "administrator", enabled: true });
    expect(await resetSecondFactor(named("root"))).toBe(false);
    expect(await last()).toMatchObject({ action: "create" });
  });

  it("of somebody unknown say so", async () => {
    await expect(removePerson(named("nobody"))).rejects.toMatchObject({ reason: "unknown" });
    await expect(save("nobody", { enabled: false })).rejects.toMatchObject({ reason: "unknown" });
    await expect(save("nobody", { role: "viewer" })).rejects.toMatchObject({ reason: "noPassword" });
  });
});

describe("isStaffName", () => {
  it.each(["a", "Ali.Reza", "ops@example.com", "x_1-2", "a".repeat(64)])("takes %s", (name) =>
    expect(isStaffName(name)).toBe(true),
  );
  it.each(["", ".a", "a b", "a/b", "a:b", "علی", "a".repeat(65), "a\n"])("does not take %j", (name) =>
    expect(isStaffName(name)).toBe(false),
  );
});
