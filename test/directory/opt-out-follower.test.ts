// A node's opted-out numbers follow the database: whatever statement changed them, whenever it
// committed.
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { longestSilenceMs, OptOutFollower } from "../../src/directory/opt-out-follower.ts";
import type { Msisdn } from "../../src/sms/msisdn.ts";
import { msisdnAt } from "../../src/sms/number-blocks.ts";
import { addOptOuts, removeOptOut } from "../../src/store/opt-outs.ts";
import { Database } from "../../src/store/database.ts";
import { statement, useTestDatabase } from "../support/database.ts";
import { dropOldRows } from "../../src/store/old-rows.ts";

const database = useTestDatabase();
let other: Database;
let now = 0;

beforeAll(async () => {
  other = Database.open({ url: database.url, poolSize: 2 });
});
beforeEach(async () => {
  now = 0;
  await database.rows("truncate opt_out");
});
afterAll(async () => {
  await other.close();
});

const number = "989121234567" as Msisdn;
const entry = { line: "1000", numbers: [number], how: "staff" } as const;

async function openFollower(): Promise<OptOutFollower> {
  const follower = new OptOutFollower(database.db, () => now);
  await follower.follow();
  return follower;
}

const lists = (follower: OptOutFollower, of: Msisdn = number): boolean => follower.current.has("1000", 1, of);

it("reads what is there, and then each change", async () => {
  await addOptOuts(database.db, entry);
  const follower = await openFollower();
  expect(lists(follower)).toBe(true);
  await removeOptOut(database.db, { line: "1000", number });
  await follower.follow();
  expect(lists(follower)).toBe(false);
  await addOptOuts(database.db, entry);
  await follower.follow();
  await follower.follow();
  expect(lists(follower)).toBe(true);
  await database.rows("truncate opt_out");
  await follower.follow();
  expect(lists(follower)).toBe(false);
});

it("misses nothing that commits late, behind changes that were read already", async () => {
  const follower = await openFollower();
  await other.transaction(async (tx) => {
    await addOptOuts(tx, entry);
    await addOptOuts(database.db, { ...entry, numbers: ["989120000001"] });
    await follower.follow();
    expect([lists(follower), lists(follower, "989120000001" as Msisdn)]).toEqual([false, true]);
    await follower.follow();
  });
  await follower.follow();
  expect(lists(follower)).toBe(true);
});

it("is not held back by a transaction that stays open", async () => {
  const follower = await openFollower();
  await other.transaction(async (tx) => {
    await tx.query(statement("create table stays_open (a int)"));
    await addOptOuts(database.db, entry);
    await follower.follow();
    expect(lists(follower)).toBe(true);
  });
});

it("reads everything after many changes at once, and after a long silence", async () => {
  const follower = await openFollower();
  const many = Array.from({ length: 45_000 }, (_, place) => msisdnAt(place * 3));
  await addOptOuts(database.db, { ...entry, numbers: many });
  await follower.follow();
  expect(many.filter((each) => !lists(follower, each))).toEqual([]);
  await database.rows("delete from opt_out where number = $1", [msisdnAt(3)]);
  await database.rows("update opt_out_change set created_at = created_at - interval '2 hours'");
  await dropOldRows(database.db, "optOutChanges", 3600);
  await follower.follow();
  expect(lists(follower, msisdnAt(3))).toBe(true);
  now = longestSilenceMs + 1;
  await follower.follow();
  expect(lists(follower, msisdnAt(3))).toBe(false);
});

it("tells accounts with an entry of their own from all", async () => {
  const [account] = await database.rows<{ id: number }>(
    "insert into account (name, domain, tariff) values ('a', 'a', 't') returning id",
  );
  const id = account?.id ?? 0;
  const follower = await openFollower();
  await database.rows("insert into opt_out (line, number, account_id, how) values ('1000', $1, $2, 'api')", [
    number,
    id,
  ]);
  for (const each of [follower, await openFollower()]) {
    await each.follow();
    expect([each.current.has("1000", id, number), each.current.has("1000", id + 1, number)]).toEqual([true, false]);
  }
  await database.rows("delete from account where id = $1", [id]);
  await follower.follow();
  expect(follower.current.has("1000", id, number)).toBe(false);
});
