import { describe, expect, it } from "vitest";
import { keys, refusal, useTestApi } from "../../support/test-api.ts";

const api = useTestApi();

const sound = { senderNumbers: ["10001234"], recipientNumbers: ["09121111111", "09122222222"], contents: ["a"] };

function send(payload: unknown, key: string = keys.demo, headers: Record<string, string> = {}) {
  return api.call("POST", "/messages/send/bulk", { key, payload, headers });
}

describe("POST messages/send/bulk", () => {
  it("answers as 4.6", async () => {
    const { status, body } = await send(sound);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(["batchId", "messages"]);
    expect(body.messages).toHaveLength(2);
  });

  it("reads a single value as a list of one, names in any case, numbers as text", async () => {
    const payload = { SenderNumbers: 10001234, recipientnumbers: "09121111111,09122222222", CONTENTS: "a" };
    expect((await send(payload)).body.messages).toHaveLength(2);
  });

  it("mixes sent and failed", async () => {
    const { body } = await send({ ...sound, contents: ["a", 5] });
    expect(body.messages.map((m) => m.errorCode)).toEqual([undefined, 1001]);
  });

  it("is 1003 when the faults differ, 1001 where all are malformed", async () => {
    const off = await send({ ...sound, recipientNumbers: ["09201111111", "x"] });
    expect([off.status, off.body.errorCode, off.body.messages.length]).toEqual([400, 1003, 2]);
    const malformed = await send({ ...sound, contents: " " });
    expect([malformed.body.errorCode, malformed.body.validationErrors[0]?.field]).toEqual([1001, "contents"]);
    expect(malformed.body.messages).toHaveLength(2);
  });

  it("repeats what is wrong as readable text", async () => {
    const { body } = await send({ ...sound, recipientNumbers: ["\ud800", null], contents: ["\udc00", { a: 1 }] });
    expect(body.messages.map((m) => m.content)).toEqual(["\ufffd", ""]);
  });

  it.each([
    [{}, ["senderNumbers", "recipientNumbers", "contents"]],
    [{ ...sound, senderNumbers: [], recipientNumbers: ["09121111111", "x"] }, ["senderNumbers", "recipientNumbers"]],
    [
      { senderNumbers: ["1", "2"], recipientNumbers: ["x", "y", "z"], contents: [5] },
      ["senderNumbers", "recipientNumbers", "contents"],
    ],
    [{ ...sound, contents: "", sendTimestamp: 1 }, ["contents", "sendTimestamp"]],
  ])("names every field at fault: %j", async (payload, fields) => {
    const { status, body } = await send(payload);
    expect([status, body.errorCode]).toEqual([400, 1001]);
    const named = body.validationErrors.map(({ field }: { field: string }) => field);
    expect([...new Set(named)]).toEqual(fields);
  });

  it.each([
    ["a text", { ...sound, contents: "x".repeat(1_000_000) }, "contents"],
    ["a sender", { ...sound, senderNumbers: "1".repeat(1_000_000) }, "senderNumbers"],
    ["a text of control characters", { ...sound, contents: "\u0001".repeat(50_000) }, "contents"],
  ])("does not repeat %s of a mebibyte for each of a hundred messages", async (_, payload, field) => {
    const { status, text, body } = await send({ ...payload, recipientNumbers: new Array(100).fill("09121234567") });
    expect([status, body.errorCode, body.messages]).toEqual([400, 1001, undefined]);
    expect(body.validationErrors.map((finding: { field: string }) => finding.field)).toEqual([field]);
    expect(text.length).toBeLessThan(1000);
  });

  it("repeats texts up to 2 MiB", async () => {
    const { body } = await send({ ...sound, contents: "x".repeat(500_000) });
    expect([body.errorCode, body.messages.length]).toEqual([1001, 2]);
  });

  it("a list of more than a thousand is 1001 on body", async () => {
    const { body } = await send({ ...sound, recipientNumbers: new Array(1001).fill("09121234567") });
    expect(body.validationErrors).toMatchObject([{ field: "body" }]);
  });

  it("judges permission before the body", async () => {
    expect((await send("x", keys.textOnly)).body.errorCode).toBe(1005);
    expect((await send("x")).body.errorCode).toBe(1001);
  });

  it.each([
    [{ ...sound, senderNumbers: null }, ["senderNumbers"]],
    [{ ...sound, contents: ["a", "b", "c"] }, ["recipientNumbers"]],
    [{ sendTimestamp: 5 }, ["senderNumbers", "recipientNumbers", "contents", "sendTimestamp"]],
  ])("faults of the call itself: %j", async (payload, fields) => {
    const answer = await send(payload);
    expect(refusal(answer)).toEqual([400, 1001, ...fields]);
    expect("messages" in answer.body).toBe(false);
  });

  it("schedules with sendTimestamp", async () => {
    const sendTimestamp = Math.floor(Date.now() / 1000) + 3600;
    const { body } = await send({ ...sound, sendTimestamp });
    const state = await api.call("GET", `/messages/status/${body.batchId}`, { key: keys.demo });
    for (const message of state.body.messages) expect(message.sendTimestamp).toBe(sendTimestamp);
  });

  it("case 1: replays under an Idempotency-Key, failed messages included", async () => {
    const payload = { ...sound, recipientNumbers: ["09121111111", "x"] };
    const first = await send(payload, keys.demo, { "idempotency-key": "bulk-1" });
    const second = await send(payload, keys.demo, { "idempotency-key": "bulk-1", "accept-language": "fa" });
    expect(second.text).toBe(first.text);
  });

  it("words the errors of messages in Persian for those who ask", async () => {
    const { body } = await send({ ...sound, recipientNumbers: ["09121111111", "x"] }, keys.demo, {
      "accept-language": "fa",
    });
    expect(body.messages[1]?.errorMessage).toMatch(/شمارهٔ همراه/);
  });
});
