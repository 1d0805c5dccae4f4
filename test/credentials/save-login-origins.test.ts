import { afterEach, beforeEach, expect, it } from "vitest";
import { LoginOrigins } from "../../src/credentials/login-origins.ts";
import { saveLoginOrigins } from "../../src/credentials/save-login-origins.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";
import { createTestDatabase, statement, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

function node() {
  const origins = new LoginOrigins();
  const duty = saveLoginOrigins({ database: database.db, origins, telemetry: new Telemetry() });
  return { origins, duty };
}

it("tells other nodes, and a node after its restart, who logged in from where", async () => {
  const one = node();
  const other = node();
  expect(await other.duty.runNow()).toEqual({ saved: 0, read: 0 });
  one.origins.note(7, "203.0.113.1");
  one.origins.note(8, "2001:db8:1:2::/64");
  expect(await one.duty.runNow()).toMatchObject({ saved: 2 });
  one.origins.note(7, "203.0.113.1");
  expect(await one.duty.runNow()).toMatchObject({ saved: 0 });
  await other.duty.runNow();
  const restarted = node();
  expect(await restarted.duty.runNow()).toEqual({ saved: 0, read: 2 });
  for (const { origins } of [other, restarted]) {
    expect(origins.isKnown(7, "203.0.113.1")).toBe(true);
    expect(origins.isKnown(8, "2001:db8:1:2::/64")).toBe(true);
    expect(origins.isKnown(8, "203.0.113.1")).toBe(false);
    expect(origins.unsaved()).toEqual([]);
  }
});

it("keeps what could not be written for the next round, and writes no address in clear", async () => {
  const { origins, duty } = node();
  origins.note(7, "203.0.113.1");
  await database.db.query(statement("alter table login_origin rename to away"));
  await expect(duty.runNow()).rejects.toThrow();
  await database.db.query(statement("alter table away rename to login_origin"));
  expect(await duty.runNow()).toEqual({ saved: 1, read: 1 });
  const [row] = await database.db.query<{ text: string }>(
    statement("select login_origin::text as text from login_origin"),
  );
  expect(row?.text).toMatch(/^\(7,"?\\+x[0-9a-f]{64}"?,/);
});
