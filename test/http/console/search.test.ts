import { beforeAll, describe, expect, it } from "vitest";
import { uuidv7 } from "../../../src/platform/uuid.ts";
import { demoOwner, signInAs, signInStaff, consoleCalls } from "../../support/console.ts";
import { keys, useTestApi } from "../../support/test-api.ts";
import { send, type SentMessage } from "./reads.ts";

const api = useTestApi();
const { get } = consoleCalls(api);
let staff: string;
let customer: string;
let own: SentMessage;
let foreign: SentMessage;

beforeAll(async () => {
  staff = await signInStaff(api, "viewer");
  customer = await signInAs(api, demoOwner);
  own = await send(api, "09121234567");
  foreign = await send(api, "09121234567", { key: keys.foreign });
  for (const [key, { sentMessageId }] of [
    ["1a2b", own],
    ["6699", foreign],
  ] as const) {
    await api.rows(
      `insert into submission (submitted_at, connector_id, message_key, account_id, message_id, part, recipient)
         select now(), (select min(id) from configured_object where section = 'connectors'), $1, account_id, id, 1, recipient from message where id = $2`,
      [key, sentMessageId],
    );
  }
});

async function search(words: string, cookie: string): Promise<readonly (readonly [string, string])[]> {
  const { status, body } = await get(`/search?q=${encodeURIComponent(words)}`, cookie);
  expect(status).toBe(200);
  return (body["items"] as { kind: string; path: string }[]).map(({ kind, path }) => [kind, path]);
}

/** Lists are in the order of the ids, and ids of one millisecond have none of their own. */
let campaigns = 0;

async function newCampaign(account: string, name: string): Promise<string> {
  const id = uuidv7(Date.now(), (campaigns += 1));
  await api.rows(
    `insert into campaign (id, account_id, name, created_by, columns, skip_duplicates)
       select $1, id, $3, 'user:x', '{}', true from account where name = $2`,
    [id, account, name],
  );
  return id;
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

  it("finds campaigns by id and by words of their names, customers their own alone", async () => {
    const [ours, theirs] = [await newCampaign("demo", "Nowruz فروش 100%"), await newCampaign("foreign", "nowruz sale")];
    const paths = [
      ["campaign", `/campaigns/${ours}`],
      ["campaign", `/campaigns/${theirs}`],
    ];
    expect(await search("NOWRUZ", staff)).toEqual(paths.toReversed());
    expect(await search(theirs, staff)).toEqual([paths[1]]);
    for (const words of ["nowruz", "فروش", "100%", ours.toUpperCase()]) {
      expect(await search(words, customer)).toEqual([paths[0]]);
    }
    for (const words of ["sale", "%", "_", theirs]) {
      expect((await search(words, customer)).filter(([, path]) => path !== `/campaigns/${ours}`)).toEqual([]);
    }
    const { body } = await get("/search?q=sale", staff);
    expect(body["items"]).toEqual([
      {
        kind: "campaign",
        name: "nowruz sale",
        path: `/campaigns/${theirs}`,
        account: "foreign",
        at: expect.any(String) as string,
      },
    ]);
  });

  it.each(["", "%20", "a".repeat(101), "%00"])("names what is wrong: %j", async (words) => {
    expect((await get(`/search?q=${words}`, staff)).status).toBe(400);
  });
});
