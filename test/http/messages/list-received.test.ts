import { beforeAll, describe, expect, it } from "vitest";
import { uuidv7 } from "../../../src/platform/uuid.ts";
import { keys, refusal, useTestApi } from "../../support/test-api.ts";

const api = useTestApi();

beforeAll(async () => {
  for (let sequence = 1; sequence <= 120; sequence += 1) await store("demo", sequence, `text ${sequence}`);
  await store("foreign", 1, "not for demo");
});

const store = (account: string, sequence: number, content: string) =>
  api.rows(
    `insert into inbound_message (account_id, sequence, id, sender, recipient, content, received_at)
     values ($1, $2, $3, '989121234567', '10001234', $4, $5)`,
    [api.accountId(account), sequence, uuidv7(), content, new Date(1_763_640_000_000 + sequence * 1000 + 999)],
  );

function get(url: string, key: string = keys.demo) {
  return api.call("GET", url, { key });
}

const texts = (body: { messages: readonly { content: string }[] }) => body.messages.map(({ content }) => content);

describe("GET messages/received/recent", () => {
  it("answers the newest first, with all fields", async () => {
    const { status, body } = await get("/messages/received/recent?count=2");
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(["messages"]);
    expect(texts(body)).toEqual(["text 120", "text 119"]);
    expect(Object.keys(body.messages[0] ?? {})).toEqual([
      "receivedMessageId",
      "senderNumber",
      "recipientNumber",
      "content",
      "receivedTimestamp",
    ]);
    expect(body.messages[0]).toMatchObject({
      senderNumber: "989121234567",
      recipientNumber: "10001234",
      receivedTimestamp: 1_763_640_120,
    });
  });

  it.each([
    ["", 100],
    ["?count=", 100],
    ["?count=1", 1],
    ["?Count=100", 100],
    ["?count=%DB%B5", 5],
  ])("%s answers %i", async (query, count) => {
    expect((await get(`/messages/received/recent${query}`)).body.messages).toHaveLength(count);
  });

  it.each(["0", "101", "-1", "x", "1.5", "1e1", "%20", "99999999999999999999"])(
    "count=%s is 1001 on count",
    async (count) => {
      for (const path of ["/messages/received/recent", "/messages/received"]) {
        expect(refusal(await get(`${path}?count=${count}`))).toEqual([400, 1001, "count"]);
      }
    },
  );

  it("shows an account its own", async () => {
    expect(texts((await get("/messages/received/recent", keys.foreign)).body)).toEqual(["not for demo"]);
    expect((await get("/messages/received/recent", keys.textOnly)).body.errorCode).toBe(1005);
  });
});

describe("GET messages/received", () => {
  it("misses nothing from the start on, page by page", async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 5; page += 1) {
      const { body }: { body: { messages: readonly { content: string }[]; nextCursor: string } } = await get(
        `/messages/received?count=50${cursor === undefined ? "" : `&after=${encodeURIComponent(cursor)}`}`,
      );
      expect(Object.keys(body)).toEqual(["messages", "nextCursor"]);
      seen.push(...texts(body));
      cursor = body.nextCursor;
    }
    expect(seen).toEqual(Array.from({ length: 120 }, (_, index) => `text ${index + 1}`));
  });

  it("an empty page repeats the cursor, and goes on where it was", async () => {
    const end = (await get("/messages/received?after=120")).body;
    expect(end).toEqual({ messages: [], nextCursor: "120" });
    await store("demo", 121, "text 121");
    expect(texts((await get(`/messages/received?after=${end.nextCursor}`)).body)).toEqual(["text 121"]);
  });

  it("begins with a cursor for an account that has nothing", async () => {
    expect((await get("/messages/received", keys.poor)).body).toEqual({ messages: [], nextCursor: "0" });
  });

  it.each(["x", "-1", "1.5", "01", "9999999999999999999", "%D9%A1"])("after=%s is 1001 on after", async (after) => {
    expect(refusal(await get(`/messages/received?after=${after}`))).toEqual([400, 1001, "after"]);
  });
});
