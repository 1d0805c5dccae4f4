import { beforeAll, describe, expect, it } from "vitest";
import { keys, type MessageElement, refusal, useTestApi } from "../../support/test-api.ts";

const api = useTestApi();
let batchId: string;
let ids: string[];

beforeAll(async () => {
  const payload = {
    senderNumbers: "+9810001234",
    recipientNumbers: ["09121111111", "0912 222 2222", "x"],
    contents: "a",
  };
  const { body } = await api.call("POST", "/messages/send/bulk", { key: keys.demo, payload });
  batchId = body.batchId;
  ids = body.messages.slice(0, 2).map((m) => m.sentMessageId);
});

const unknownId = "01939000-0000-7000-8000-000000000000";

function post(payload: unknown, options: { key?: string; headers?: Record<string, string> } = {}) {
  return api.call("POST", "/messages/status", { key: keys.demo, payload, ...options });
}

function get(url: string, key: string = keys.demo) {
  return api.call("GET", url, { key });
}

const change = (columns: string, ...values: unknown[]) =>
  api.rows(`update message set ${columns} where id = $1`, [ids[0], ...values]);

describe("by batch", () => {
  it("answers the accepted messages in the order given, in all four forms alike", async () => {
    const expected = await post({ batchId });
    expect(expected.status).toBe(200);
    expect(Object.keys(expected.body)).toEqual(["batchId", "messages"]);
    expect(expected.body.messages.map((m) => m.sentMessageId)).toEqual(ids);
    expect(expected.body.messages[1]).toMatchObject({ senderNumber: "+9810001234", recipientNumber: "09122222222" });
    for (const url of [
      `/messages/status?batchId=${batchId}`,
      `/messages/status?BATCHID=${batchId.toUpperCase()}`,
      `/messages/status/${batchId}`,
      `/Messages/Status/${batchId.toUpperCase()}/`,
    ])
      expect((await get(url)).text).toBe(expected.text);
    expect((await post({ BatchId: batchId, sentMessageIdes: null })).text).toBe(expected.text);
  });

  it("belongs to the account, not to the key", async () => {
    expect(refusal(await get(`/messages/status/${batchId}`, keys.foreign))).toEqual([400, 1106]);
  });

  it.each([unknownId, "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"])(
    "an unknown one is 1106: %s",
    async (id) => {
      for (const answer of [await post({ batchId: id }), await get(`/messages/status/${id}`)])
        expect(refusal(answer)).toEqual([400, 1106]);
    },
  );

  it.each(["x", "01939000-0000-7000-8000-00000000000", "01939000000070008000000000000000", "%D8%B3", "a".repeat(300)])(
    "a malformed one is 1001: %s",
    async (id) => {
      for (const answer of [await post({ batchId: id }), await get(`/messages/status/${id}`)])
        expect(refusal(answer)).toEqual([400, 1001, "batchId"]);
    },
  );

  it("none at all is 1001", async () => {
    expect((await get("/messages/status")).body.validationErrors[0]?.field).toBe("batchId");
    expect((await get("/messages/status?batchId=")).body.errorCode).toBe(1001);
    const { body } = await post({});
    expect(body.validationErrors.map(({ field }) => field)).toEqual(["batchId", "sentMessageIdes"]);
    expect((await post("x")).body.validationErrors[0]?.field).toBe("body");
  });
});

describe("by message ids", () => {
  it.each(["sentMessageIdes", "sentMessageIds", "SENTMESSAGEIDES"])("answers %s in the order asked", async (name) => {
    const { status, body } = await post({ [name]: [ids[1], unknownId, ids[0]?.toUpperCase(), ids[1]] });
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(["messages"]);
    expect(body.messages.map((m) => m.sentMessageId)).toEqual([ids[1], unknownId, ids[0], ids[1]]);
    expect(body.messages[0]?.batchId).toBe(batchId);
    expect(Object.keys(body.messages[1] ?? {})).toEqual(["sentMessageId", "errorCode", "errorMessage"]);
    expect(body.messages[1]?.errorCode).toBe(1106);
  });

  it("another account's are unknown", async () => {
    const { body } = await post({ sentMessageIdes: ids }, { key: keys.foreign });
    expect(body.messages.map((m) => m.errorCode)).toEqual([1106, 1106]);
  });

  it("what is no UUID is an unknown id, and hides nothing of the others", async () => {
    const { status, body } = await post({ sentMessageIdes: ['no "id"', ids[0], 17] });
    expect(status).toBe(200);
    expect(body.messages.map((m) => m.sentMessageId)).toEqual(['no "id"', ids[0], "17"]);
    expect(body.messages.map((m) => m.errorCode)).toEqual([1106, undefined, 1106]);
  });

  it.each([
    ["none", []],
    ["101", new Array(101).fill(unknownId)],
    ["an empty one", [unknownId, ""]],
    ["null among them", [null]],
    ["an object", [{}]],
  ])("%s: 1001", async (_, sentMessageIdes) => {
    expect(refusal(await post({ sentMessageIdes }))).toEqual([400, 1001, "sentMessageIdes"]);
  });

  it("one or 100 are answered", async () => {
    for (const [given, count] of [
      [ids[0], 1],
      [new Array(100).fill(unknownId), 100],
    ] as const)
      expect((await post({ sentMessageIdes: given })).body.messages).toHaveLength(count);
  });
});

describe("what became of a message", () => {
  const seconds = (text: string) => new Date(text).getTime() / 1000;
  const stateOf = async (headers: Record<string, string> = {}) =>
    (await post({ sentMessageIdes: [ids[0]] }, { headers })).body.messages[0] as MessageElement;

  it("sent and delivered, with their times, keys in order", async () => {
    await change("status = 2, send_at = $2, sent_at = $3, final_at = $4", "2026-01-01Z", "2026-01-02Z", "2026-01-03Z");
    const state = await stateOf();
    expect(Object.keys(state)).toEqual([
      "sentMessageId",
      "senderNumber",
      "recipientNumber",
      "content",
      "language",
      "operator",
      "parts",
      "cost",
      "messageStatus",
      "batchId",
      "sendTimestamp",
      "sentTimestamp",
      "finalTimestamp",
    ]);
    expect(state).toMatchObject({
      messageStatus: 2,
      sendTimestamp: seconds("2026-01-01"),
      sentTimestamp: seconds("2026-01-02"),
      finalTimestamp: seconds("2026-01-03"),
    });
  });

  it.each([
    [1, 1301, null, "No delivery receipt was received in time."],
    [1, 1302, null, "The outcome is unknown: the message was submitted, but the operator never answered."],
    [
      4,
      1303,
      "ESME_RINVDSTADR",
      "The operator refused the message (ESME_RINVDSTADR; the recipient's number is invalid).",
    ],
    [3, 1306, "UNDELIV 005", "The message was not delivered to the recipient (UNDELIV 005)."],
    [3, 1306, null, "The message was not delivered to the recipient."],
  ])("status %i for reason %i (%s)", async (status, reason, detail, text) => {
    await change("status = $2, reason = $3, reason_detail = $4", status, reason, detail);
    const state = await stateOf();
    expect(state).toMatchObject({ messageStatus: status, errorCode: reason, errorMessage: text });
    expect(Object.keys(state).slice(8, 11)).toEqual(["messageStatus", "errorCode", "errorMessage"]);
    expect((await stateOf({ "accept-language": "fa" })).errorMessage).toMatch(/[\u0600-\u06ff]/);
  });
});
