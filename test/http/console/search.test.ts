import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callConsole, demoOwner, signInAs, signInStaff } from "../../support/console.ts";
import { statement } from "../../support/database.ts";
import { keys, openFrontDoor, type FrontDoor } from "../../support/front-door.ts";
import { send, type SentMessage } from "./reads.ts";

let door: FrontDoor;
let staff: string;
let customer: string;
let own: SentMessage;
let foreign: SentMessage;

beforeAll(async () => {
  door = await openFrontDoor();
  staff = await signInStaff(door, "viewer");
  customer = await signInAs(door, demoOwner);
  own = await send(door, "09121234567");
  foreign = await send(door, "09121234567", { key: keys.foreign });
  for (const [key, { sentMessageId }] of [
    ["1a2b", own],
    ["6699", foreign],
  ] as const) {
    await door.db.query(
      statement(
        `insert into submission (submitted_at, connector_id, message_key, account_id, message_id, part, recipient)
         select now(), (select min(id) from connector), $1, account_id, id, 1, recipient from message where id = $2`,
        [key, sentMessageId],
      ),
    );
  }
});
afterAll(() => door.close());

async function search(words: string, cookie: string): Promise<readonly (readonly [string, string])[]> {
  const { status, body } = await callConsole(door, "GET", `/search?q=${encodeURIComponent(words)}`, { cookie });
  expect(status).toBe(200);
  return (body["items"] as { kind: string; path: string }[]).map(({ kind, path }) => [kind, path]);
}

describe("GET search", () => {
  it("finds messages, batches and numbers", async () => {
    for (const cookie of [staff, customer]) {
      expect(await search(own.sentMessageId.toUpperCase(), cookie)).toEqual([
        ["message", `/messages/${own.sentMessageId}`],
      ]);
      expect(await search(` ${own.batchId} `, cookie)).toEqual([["batch", `/messages?batch=${own.batchId}`]]);
      expect(await search("۰۹۱۲ ۱۲۳ ۴۵۶۷", cookie)).toContainEqual(["recipient", "/messages?recipient=09121234567"]);
    }
  });

  it("finds operators' ids in any notation, and accounts, for staff alone", async () => {
    expect(await search("0x1A2B", staff)).toContainEqual(["operatorId", `/messages/${own.sentMessageId}`]);
    // The same number in the other base.
    expect(await search("6699", staff)).toEqual(
      expect.arrayContaining([
        ["operatorId", `/messages/${own.sentMessageId}`],
        ["operatorId", `/messages/${foreign.sentMessageId}`],
      ]),
    );
    expect(await search("FORE", staff)).toEqual([["account", "/accounts/foreign"]]);
    expect(await search("demo.ex", staff)).toEqual([["account", "/accounts/demo"]]);
    expect(await search("%", staff)).toEqual([]);
    for (const words of ["1a2b", "6699", "demo"]) expect(await search(words, customer)).toEqual([]);
  });

  it("shows customers nothing of others", async () => {
    expect(await search(foreign.sentMessageId, customer)).toEqual([]);
    expect(await search(foreign.batchId, customer)).toEqual([]);
    expect(await search(foreign.batchId, staff)).toHaveLength(1);
  });

  it.each(["", "%20", "a".repeat(101), "%00"])("names what is wrong: %j", async (words) => {
    expect((await callConsole(door, "GET", `/search?q=${words}`, { cookie: staff })).status).toBe(400);
  });
});
