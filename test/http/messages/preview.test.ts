import { describe, expect, it } from "vitest";
import { keys, refusal, useTestApi } from "../../support/test-api.ts";

const api = useTestApi();

function preview(payload: unknown, key: string = keys.demo) {
  return api.call("POST", "/messages/preview", { key, payload });
}

/** An answer without what the two methods differ in on purpose. */
function comparable({ status, text }: { status: number; text: string }): unknown {
  const omitted = new Set(["batchId", "sentMessageId", "encoding"]);
  const body = JSON.parse(text, (name, value: unknown) => (omitted.has(name) ? undefined : value)) as unknown;
  return { status, body };
}

const balance = async () => (await api.call("GET", "/account/balance", { key: keys.demo })).body.balance;
const single = { senderNumber: "10001234", recipientNumber: "09121234567", content: "سلام" };

describe("POST messages/preview", () => {
  it("names a field that is too long once", async () => {
    expect(refusal(await preview({ ...single, senderNumber: "1".repeat(1_001) }))).toEqual([400, 1001, "senderNumber"]);
  });

  it("of a single send: its answer without ids, with the encoding; nothing charged", async () => {
    const before = await balance();
    const { status, body } = await preview(single);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(["message"]);
    expect(Object.keys(body.message).at(-1)).toBe("encoding");
    expect(body.message).toMatchObject({ parts: "1", cost: "1,390", encoding: "ucs2" });
    expect((await preview({ ...single, content: "x".repeat(161) })).body.message).toMatchObject({
      parts: "2",
      encoding: "gsm7",
    });
    expect(await balance()).toBe(before);
  });

  it("names the characters that make a text dearer, with their places", async () => {
    const { body } = await preview({ ...single, content: `${"a".repeat(159)}’` });
    expect(body.message).toMatchObject({
      parts: "3",
      costlyCharacters: [{ character: "’", codePoint: "U+2019", position: 160, reason: "ucs2" }],
    });
  });

  it.each([
    ["bulk", { senderNumbers: ["10001234"], recipientNumbers: ["09121234567", "x"], contents: "a" }],
    ["the URL endpoints", { senderNumber: "10001234", recipientNumber: ["09121234567", "x"], content: "a" }],
  ])("of %s", async (_, payload) => {
    const { status, body } = await preview(payload);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(["messages"]);
    expect(body.messages.map((m) => m.errorCode)).toEqual([undefined, 1001]);
  });

  it.each([
    [
      "a template whatever content says",
      { recipientNumber: "09121234567", templateId: "TydSt1skQE", content: "hello" },
    ],
    ["a template without a sender", { recipientNumber: "09121234567", templateId: "TydSt1skQE" }],
    ["a template beside a list", { recipientNumber: ["09121234567"], templateId: "TydSt1skQE" }],
  ])("answers what the template send answers: %s", async (_, fields) => {
    const payload = { ...fields, parameters: [{ name: "code", value: "1" }] };
    const sent = await api.call("POST", "/messages/send/template", { key: keys.demo, payload });
    expect(comparable(await preview(payload))).toEqual(comparable(sent));
  });

  it.each([
    ["a list of recipients", { senderNumber: "10001234", recipientNumber: ["09121234567"], content: "a" }],
    [
      "two recipients with a comma",
      { senderNumber: "10001234", recipientNumber: "09121234567,09121111111", content: "a" },
    ],
    ["two senders with a comma", { senderNumber: "10001234,10005678", recipientNumber: "09121234567", content: "a" }],
    ["a list of texts", { senderNumber: "10001234", recipientNumber: "09121234567", content: ["a", "b"] }],
    ["lists that do not fit", { senderNumber: ["1", "2"], recipientNumber: ["1", "2", "3"], content: "a" }],
    ["a bad time", { senderNumber: ["10001234"], recipientNumber: "x", content: "a", sendTimestamp: "soon" }],
    ["only malformed ones", { senderNumber: ["1"], recipientNumber: "x", content: "a" }],
  ])("answers what the URL method answers: %s", async (_, fields) => {
    const url = "/api/v1/messages/send/url";
    const sent = await api.call("POST", url, { payload: { ...fields, apiKey: keys.demo } });
    expect(comparable(await preview(fields))).toEqual(comparable(sent));
  });

  it("is refused as the send call would be", async () => {
    expect((await preview({ ...single, senderNumber: "10009999" })).body.errorCode).toBe(1053);
    expect(refusal(await preview({ ...single, sendTimestamp: 1 }))).toEqual([400, 1001, "sendTimestamp"]);
    expect((await preview({ ...single, content: "x".repeat(400) }, keys.poor)).body.errorCode).toBe(1201);
    const off = await preview({ senderNumbers: "10001234", recipientNumbers: ["09201234567"], contents: ["a"] });
    expect([off.status, off.body.errorCode, off.body.messages.length]).toEqual([400, 1003, 1]);
    expect((await preview({ contents: ["a"] })).body.validationErrors).toHaveLength(2);
    expect((await preview("x")).body.errorCode).toBe(1001);
    expect((await preview(single, keys.textOnly)).body.errorCode).toBe(1005);
  });
});
