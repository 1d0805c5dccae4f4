import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answer, accepted, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { credentials } from "../support/gateway-setup.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ smsc: { receiptDelayMs: 10 } });
});
afterAll(() => gateway.stop());

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const single = (recipientNumber: string, rest: object = {}): object => ({
  senderNumber: "10001234",
  recipientNumber,
  content: "سلام دنیا",
  ...rest,
});
const send = (recipientNumber: string, rest: object = {}): Promise<Answer> =>
  gateway.call("POST", "messages/send", { body: single(recipientNumber, rest) });
const errorOf = ({ status, body }: Answer): unknown => ({ status, errorCode: body.errorCode });

/** What the operator saw for a recipient: sender, text. */
async function submitted(recipientNumber: string): Promise<readonly [string, string]> {
  const [message] = await gateway.untilSubmitted(recipientNumber, 1);
  if (message === undefined) throw new Error("not submitted");
  return [message.sender.address, message.text];
}

describe("4.1 single send", () => {
  it("answers the message of 2.2 in the table's order, sends it, and follows it to delivered", async () => {
    const answer = await send("09121115001");
    const { batchId, id } = accepted(answer);
    expect(batchId).toMatch(uuid);
    expect(id).toMatch(uuid);
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(answer.text).toBe(
      `{"batchId":"${batchId}","message":{"sentMessageId":"${id}","senderNumber":"10001234","recipientNumber":"09121115001",` +
        `"content":"سلام دنیا","language":"fa","operator":"MCI","parts":"1","cost":"1,390","messageStatus":0}}`,
    );
    await gateway.untilStatus(id, 2);
    expect(await submitted("09121115001")).toEqual(["10001234", "سلام دنیا"]);
  });

  it("schedules by sendTimestamp, and sends at that time", async () => {
    const sendTimestamp = Math.ceil(Date.now() / 1000) + 4;
    const { id } = await gateway.send("09121115005", { sendTimestamp });
    expect(await gateway.status(id)).toMatchObject({ messageStatus: 0, sendTimestamp });
    const [message] = await gateway.untilSubmitted("09121115005", 1);
    expect(message?.receivedAt).toBeGreaterThanOrEqual(sendTimestamp * 1000);
    const { sentTimestamp } = await gateway.untilStatus(id, 2);
    expect(sentTimestamp).toBeGreaterThanOrEqual(sendTimestamp);
  });
});

describe("5 authentication", () => {
  it("a token from auth/token sends, and dies within a second with the user's password", async () => {
    const { username: userName, password, domain } = credentials;
    const issued = await gateway.call("POST", "auth/token", { key: null, body: { userName, password, domain } });
    expect(issued.body).toMatchObject({ tokenType: "Bearer", expiresIn: 3600 });
    const token = issued.body.accessToken ?? "";
    const { id } = await gateway.send("09121115010", {}, { token });
    await gateway.untilStatus(id, 2, { token });
    await gateway.apply({
      accounts: [{ name: "demo", users: [{ username: userName, password: "another-password" }] }],
    });
    expect(errorOf(await gateway.call("GET", "account/balance", { token }))).toEqual({ status: 401, errorCode: 401 });
    await gateway.apply({ accounts: [{ name: "demo", users: [{ username: userName, password }] }] });
  });
});

describe("the further methods", () => {
  it("cancels a scheduled batch, gives its credit back, and never sends it", async () => {
    const before = await gateway.balance();
    const sendTimestamp = Math.ceil(Date.now() / 1000) + 600;
    const { batchId, ids } = await gateway.sendBulk(["09121115014", "09121115015"], { sendTimestamp });
    const answer = await gateway.call("DELETE", `messages/send/scheduled/${batchId}`);
    expect(answer.body).toEqual({ batchId, canceledCount: 2 });
    expect(await gateway.status(ids[0] ?? "")).toMatchObject({ messageStatus: 4, errorCode: 1305 });
    expect(await gateway.balance()).toBe(before);
    const again = await gateway.call("DELETE", `messages/send/scheduled/${batchId}`);
    expect(errorOf(again)).toEqual({ status: 400, errorCode: 1106 });
  });

  it("lists what came in, newest first and by cursor", async () => {
    for (const text of ["اول", "second", "سوم"])
      await gateway.smsc.sendMo({ from: "989121119999", to: "10001234", text });
    const recent = await gateway.call("GET", "messages/received/recent?count=2");
    expect(recent.body.messages?.map(({ content }) => content)).toEqual(["سوم", "second"]);
    expect(recent.body.messages?.[0]).toEqual({
      receivedMessageId: expect.stringMatching(uuid) as string,
      senderNumber: "989121119999",
      recipientNumber: "10001234",
      content: "سوم",
      receivedTimestamp: expect.any(Number) as number,
    });
    const first = await gateway.call("GET", "messages/received?count=2");
    expect(first.body.messages?.map(({ content }) => content)).toEqual(["اول", "second"]);
    const second = await gateway.call("GET", `messages/received?after=${first.body.nextCursor ?? ""}`);
    expect(second.body.messages?.map(({ content }) => content)).toEqual(["سوم"]);
    const third = await gateway.call("GET", `messages/received?after=${second.body.nextCursor ?? ""}`);
    expect(third.body).toEqual({ messages: [], nextCursor: second.body.nextCursor });
    const bad = await gateway.call("GET", "messages/received/recent?count=0");
    expect(bad.body.validationErrors?.map(({ field }) => field)).toEqual(["count"]);
  });
});

describe("clients as they are", () => {
  it("takes PascalCase names, another case in the path, a trailing slash, and JSON labelled as a form", async () => {
    const answer = await gateway.call("POST", "Messages/Send/", {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: JSON.stringify({ SenderNumber: 10001234, RecipientNumber: "۰۹۱۲ ۱۱۱ ۵۰۲۲", Content: "س" }),
    });
    await gateway.untilStatus(accepted(answer).id, 2);
    expect(await submitted("09121115022")).toEqual(["10001234", "س"]);
  });
});
