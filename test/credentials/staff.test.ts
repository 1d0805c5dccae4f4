import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  addStaff,
  isStaffName,
  keepAnAdministrator,
  removeStaff,
  resetSecondFactor,
  setStaffEnabled,
  setStaffPassword,
  setStaffRole,
  type StaffUnchanged,
} from "../../src/credentials/staff.ts";
import { passwordMatches } from "../../src/credentials/password.ts";
import { listAuditEntries } from "../../src/store/audit.ts";
import { findStaff, listStaff } from "../../src/store/staff.ts";
import { createTestDatabase, statement, type TestDatabase } from "../support/database.ts";

let test: TestDatabase;
const by = () => ({ db: test.db, actor: { who: "command:ali@host", address: "10.0.0.1" } });
const password = "a long password";

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  await test.db.query(statement("delete from staff"));
  await test.db.query(statement("delete from audit_entry"));
  await addStaff(by(), { username: "root", password, role: "administrator" });
});

const last = async () => (await listAuditEntries(test.db, { limit: 1 })).entries[0];

describe("the last administrator who can sign in", () => {
  const ways: [string, () => Promise<void>][] = [
    ["removed", () => removeStaff(by(), "root")],
    ["disabled", () => setStaffEnabled(by(), "root", false)],
    ["given another role", () => setStaffRole(by(), "root", "operator")],
  ];

  it.each(ways)("cannot be %s", async (_, change) => {
    await addStaff(by(), { username: "asleep", password, role: "administrator" });
    await setStaffEnabled(by(), "asleep", false);
    await addStaff(by(), { username: "other", password, role: "operator" });
    const before = await listStaff(test.db);
    await expect(change()).rejects.toMatchObject({ name: "StaffUnchanged", reason: "lastAdministrator" });
    expect(await listStaff(test.db)).toEqual(before);
    expect(await last()).toMatchObject({ name: "other" });
  });

  it.each(ways)("who is not the last can be %s", async (_, change) => {
    await addStaff(by(), { username: "second", password, role: "administrator" });
    await change();
    expect(await last()).toMatchObject({ kind: "staff", name: "root", who: "command:ali@host", address: "10.0.0.1" });
  });

  it("stays, when the last two are removed at once", async () => {
    await addStaff(by(), { username: "second", password, role: "administrator" });
    const others: Promise<string>[] = [];
    await test.db.transaction((tx) =>
      keepAnAdministrator(tx, async () => {
        await tx.query(statement("delete from staff where username = 'root'"));
        const removal = removeStaff(by(), "second").then(
          () => "removed",
          (error: unknown) => (error as StaffUnchanged).reason,
        );
        others.push(removal);
        // Until the other one waits for this one, or is over without waiting.
        const state = { isOver: false };
        void removal.then(() => (state.isOver = true));
        while (!state.isOver && !(await isSomebodyWaiting())) await setImmediate();
      }),
    );
    expect(await Promise.all(others)).toEqual(["lastAdministrator"]);
    expect(await listStaff(test.db)).toMatchObject([{ username: "second" }]);
  });
});

async function isSomebodyWaiting(): Promise<boolean> {
  const rows = await test.db.query(
    statement(
      `select from pg_locks l join pg_database d on d.oid = l.database
        where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`,
    ),
  );
  return rows.length > 0;
}

describe("changes of staff", () => {
  it("are audited, without the password", async () => {
    await setStaffPassword(by(), "root", { password: "another password", mustChange: true });
    expect(await last()).toMatchObject({ action: "change", name: "root", after: { password: "changed" } });
    const stored = await findStaff(test.db, "root");
    expect(stored).toMatchObject({ mustChangePassword: true, passwordVersion: 2 });
    expect(await passwordMatches(stored?.passwordHash ?? "", "another password")).toBe(true);
    const rows = await test.db.query<{ row: string }>(statement("select a::text as row from audit_entry a"));
    expect(rows.some(({ row }) => /another|argon2/.test(row))).toBe(false);
  });

  it("that change nothing are not audited", async () => {
    await setStaffRole(by(), "root", "administrator");
    await setStaffEnabled(by(), "root", true);
    expect(await resetSecondFactor(by(), "root")).toBe(false);
    expect(await last()).toMatchObject({ action: "create" });
  });

  it("of somebody unknown, and a name that is taken, say so", async () => {
    await expect(removeStaff(by(), "nobody")).rejects.toMatchObject({ reason: "unknown" });
    await expect(addStaff(by(), { username: "root", password, role: "viewer" })).rejects.toMatchObject({
      reason: "taken",
    });
    expect(await findStaff(test.db, "root")).toMatchObject({ role: "administrator" });
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
