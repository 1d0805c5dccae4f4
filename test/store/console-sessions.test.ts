import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { savePerson } from "../../src/credentials/people.ts";
import { dropOldSessions, findSession, insertSession } from "../../src/store/console-sessions.ts";
import { findPerson } from "../../src/store/people.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { createTestDatabase, statement, type TestDatabase } from "../support/database.ts";

let test: TestDatabase;
let personId: number;

beforeAll(async () => {
  test = await createTestDatabase();
  const change = { db: test.db, actor: { who: "command:test@test" }, username: "ali" };
  personId = (await savePerson(change, { password: "a long password", role: "viewer" })).id;
});
afterAll(() => test.drop());

async function open(passwordVersion = 1): Promise<{ readonly isOpen: boolean; readonly tokenSha256: Buffer }> {
  const tokenSha256 = randomBytes(32);
  const session = { id: uuidv7(), tokenSha256, personId, passwordVersion, address: "", userAgent: "" };
  const isOpen = await test.db.transaction((tx) => insertSession(tx, { ...session, sessionsOfPerson: 20 }));
  return { isOpen, tokenSha256 };
}

describe("sessions", () => {
  it("are not opened for a password that is another one by now", async () => {
    expect((await open(1)).isOpen).toBe(true);
    expect((await open(2)).isOpen).toBe(false);
  });

  it("that are over are dropped, the others stay", async () => {
    const kept = await open();
    const [unused, old] = [await open(), await open()];
    const set = (column: string, interval: string, { tokenSha256 }: { tokenSha256: Buffer }) =>
      test.db.query(
        statement(`update console_session set ${column} = now() - $1::interval where token_sha256 = $2`, [
          interval,
          tokenSha256,
        ]),
      );
    await set("last_used_at", "13 hours", unused);
    await set("created_at", "8 days", old);
    expect(await dropOldSessions(test.db)).toBe(2);
    expect(await findSession(test.db, kept.tokenSha256)).toMatchObject({ username: "ali" });
    await test.db.query(statement("update person set password_version = password_version + 1"));
    expect(await dropOldSessions(test.db)).toBeGreaterThanOrEqual(1);
    expect(await test.db.query(statement("select from console_session"))).toEqual([]);
  });

  it("go with their person", async () => {
    const ali = await findPerson(test.db, undefined, "ali");
    expect((await open(ali?.passwordVersion)).isOpen).toBe(true);
    await test.db.query(statement("delete from person where account_id is null"));
    expect(await test.db.query(statement("select from console_session"))).toEqual([]);
  });
});
