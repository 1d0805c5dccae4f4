import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { keys, refusal, useTestApi } from "../../support/test-api.ts";

const api = useTestApi();

const sound = { senderNumber: "10001234", recipientNumber: "09121234567", content: "سلام" };
const uuidv7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function send(payload: unknown, options: { key?: string; headers?: Record<string, string> } = {}) {
  return api.call("POST", "/messages/send", { key: keys.demo, payload, ...options });
}

const storedMessages = async () => (await api.rows("select from message")).length;

describe("POST messages/send answers", () => {
  it("all fields with their types, in their order", async () => {
    const { status, text, body, headers } = await send(sound);
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(Object.keys(body)).toEqual(["batchId", "message"]);
    expect(Object.keys(body.message)).toEqual([
      "sentMessageId",
      "senderNumber",
      "recipientNumber",
      "content",
      "language",
      "operator",
      "parts",
      "cost",
      "messageStatus",
    ]);
    expect(body.batchId).toMatch(uuidv7);
    expect(body.message.sentMessageId).toMatch(uuidv7);
    expect(text).toBe(
      `{"batchId":"${body.batchId}","message":{"sentMessageId":"${body.message.sentMessageId}","senderNumber":"10001234",` +
        `"recipientNumber":"09121234567","content":"سلام","language":"fa","operator":"MCI","parts":"1","cost":"1,390","messageStatus":0}}`,
    );
  });

  it("what is stored", async () => {
    const before = await storedMessages();
    const { body } = await send(sound);
    expect(await storedMessages()).toBe(before + 1);
    const status = await api.call("GET", `/messages/status/${body.batchId}`, { key: keys.demo });
    expect(status.body.messages).toEqual([{ ...body.message, batchId: body.batchId }]);
  });

  it("case 50: parts and cost of long texts", async () => {
    const persian = await send({ ...sound, content: "س".repeat(71) });
    expect(persian.body.message).toMatchObject({ parts: "2", cost: "2,780" });
    const latin = await send({ ...sound, content: "{".repeat(81) });
    expect(latin.body.message).toMatchObject({ parts: "2", cost: "5,600", language: "en" });
  });

  it("the text as it came: nothing trimmed, nothing unescaped", async () => {
    const content = '  %D8%B3 &amp; "\\ \u2028\n<script> \u200c😀  ';
    expect((await send({ ...sound, content })).body.message.content).toBe(content);
  });
});

describe("numbers", () => {
  it.each([
    ["0912 123 4567", "09121234567"],
    ["+989121234567", "+989121234567"],
    ["۰۹۱۲۱۲۳۴۵۶۷", "09121234567"],
    [9121234567, "9121234567"],
  ])("recipientNumber %s is answered as %s", async (recipientNumber, answered) => {
    const { status, body } = await send({ ...sound, recipientNumber });
    expect(status).toBe(200);
    expect(body.message.recipientNumber).toBe(answered);
    expect(body.message.operator).toBe("MCI");
  });

  it.each(["10001234", "+9810001234", "1000-1234", "۱۰۰۰۱۲۳۴", 10001234, "2188001122"])(
    "senderNumber %s is the account's line",
    async (senderNumber) => expect((await send({ ...sound, senderNumber })).status).toBe(200),
  );

  it.each(["0989121234567", true, ["09121234567"], { a: 1 }])("recipientNumber %j is 1001", async (recipientNumber) => {
    expect(refusal(await send({ ...sound, recipientNumber }))).toEqual([400, 1001, "recipientNumber"]);
  });

  it("senderNumber of no line is 1001", async () => {
    expect(refusal(await send({ ...sound, senderNumber: "abc" }))).toEqual([400, 1001, "senderNumber"]);
  });
});

describe("1001", () => {
  it("lists every field that is wrong, in the order of the specification", async () => {
    const { status, body } = await send({ sendTimestamp: "soon" });
    expect(status).toBe(400);
    expect(Object.keys(body)).toEqual(["errorCode", "errorMessage", "validationErrors"]);
    expect(body.validationErrors.map(({ field }) => field)).toEqual([
      "senderNumber",
      "recipientNumber",
      "content",
      "sendTimestamp",
    ]);
    for (const error of body.validationErrors) expect(Object.keys(error)).toEqual(["field", "errorMessage"]);
  });

  it.each(["", "   ", "a\u0000", "\ud800", 5, null, ["x"], true, "س".repeat(671)])("content %j", async (content) => {
    expect(refusal(await send({ ...sound, content }))).toEqual([400, 1001, "content"]);
  });

  it.each(["", "[]", "a=1&b=2"])("a body that is no JSON object: %s", async (payload) => {
    expect(refusal(await send(payload))).toEqual([400, 1001, "body"]);
  });

  it("says it in Persian to those who ask for it", async () => {
    const { body } = await send({ ...sound, content: "" }, { headers: { "accept-language": "fa-IR,fa;q=0.9" } });
    expect(body.errorMessage).toMatch(/پارامتر/);
    expect(body.validationErrors[0]?.errorMessage).toMatch(/الزامی|خالی/);
  });
});

describe("sendTimestamp", () => {
  const now = () => Math.floor(Date.now() / 1000);

  it.each([() => now() + 60, () => String(now() + 60), () => now() + 366 * 86_400 - 5])(
    "in the future schedules the send",
    async (time) => {
      const sendTimestamp = time();
      const { status, body } = await send({ ...sound, sendTimestamp });
      expect(status).toBe(200);
      const { body: state } = await api.call("GET", `/messages/status/${body.batchId}`, { key: keys.demo });
      expect(state.messages[0]?.sendTimestamp).toBe(Number(sendTimestamp));
    },
  );

  it.each([null, ""])("%j counts as absent", async (sendTimestamp) => {
    expect((await send({ ...sound, sendTimestamp })).status).toBe(200);
  });

  it.each([
    0,
    -1,
    1.5,
    "x",
    "1.5",
    true,
    {},
    [],
    " 1900000000",
    () => now(),
    () => now() - 1,
    () => now() + 367 * 86_400,
    () => Date.now() + 60_000,
  ])("%s is 1001", async (given) => {
    const sendTimestamp: unknown = typeof given === "function" ? (given as () => number)() : given;
    expect(refusal(await send({ ...sound, sendTimestamp }))).toEqual([400, 1001, "sendTimestamp"]);
  });
});

describe("generous reading", () => {
  it("takes names in any case and ignores unknown ones", async () => {
    const payload = {
      SenderNumber: "10001234",
      RECIPIENTNUMBER: "09121234567",
      Content: "x",
      Foo: [1],
      __proto__: { a: 1 },
    };
    expect((await send(payload)).status).toBe(200);
  });

  it.each(["/MESSAGES/send/", "//messages//send?x=1"])("takes the path %s", async (url) =>
    expect((await api.call("POST", url, { key: keys.demo, payload: sound })).status).toBe(200),
  );

  it.each([
    "application/json; charset=utf-8",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "",
    "text/html; charset=iso-8859-1",
    "///;;",
  ])("reads a JSON body whatever its label: %j", async (label) => {
    expect((await send(JSON.stringify(sound), { headers: { "content-type": label } })).status).toBe(200);
  });

  it("reads a JSON body without a label, with byte order mark and blanks before it", async () => {
    expect((await send(Buffer.from(`\ufeff \r\n${JSON.stringify(sound)}`))).status).toBe(200);
  });
});

describe("with templateId and without content", () => {
  const template = {
    recipientNumber: "09121234567",
    templateId: "TydSt1skQE",
    parameters: [{ name: "code", value: "1" }],
  };

  it.each([{}, { content: null }, { content: "" }])("is a template send: %j", async (content) => {
    const { status, body } = await send({ ...template, ...content });
    expect(status).toBe(200);
    expect(body.message.content).toBe("کد ورود شما: 1");
  });

  it("needs the permission for template sends", async () => {
    expect((await send(template, { key: keys.textOnly })).body.errorCode).toBe(1005);
    expect((await send(sound, { key: keys.textOnly })).status).toBe(200);
  });

  it("is a plain send when there is content", async () => {
    expect((await send({ ...template, ...sound })).body.message.content).toBe("سلام");
  });

  it.each([null, ""])("is a plain send when templateId is %j", async (templateId) => {
    expect((await send({ ...sound, templateId })).status).toBe(200);
  });
});

describe("order of judgement", () => {
  const wrong = { senderNumber: "x", recipientNumber: "x", content: "" };

  it("401 before everything", async () => {
    expect((await send(wrong, { key: "no-such-key" })).status).toBe(401);
  });

  it("1006 before 1005 before 1001", async () => {
    expect((await send(wrong, { key: keys.fenced })).body.errorCode).toBe(1006);
    expect((await send(wrong, { key: keys.fencedByKey })).body.errorCode).toBe(1005);
    expect((await send("no json", { key: keys.statusOnly })).body.errorCode).toBe(1005);
    expect((await send(wrong)).body.errorCode).toBe(1001);
  });

  it("1001, 1053, 1202, 1048, 1203, 1201", async () => {
    const blocked = "09129999999";
    const off = "09201234567";
    const unrouted = "09321234567";
    expect((await send({ senderNumber: "10009999", recipientNumber: "x", content: "a" })).body.errorCode).toBe(1001);
    expect((await send({ ...sound, senderNumber: "10009999", recipientNumber: blocked })).body.errorCode).toBe(1053);
    expect((await send({ ...sound, recipientNumber: blocked })).body.errorCode).toBe(1202);
    expect((await send({ ...sound, recipientNumber: off })).body.errorCode).toBe(1048);
    expect((await send({ ...sound, recipientNumber: unrouted })).body.errorCode).toBe(1203);
    const dear = { ...sound, content: "x".repeat(400) };
    expect((await send({ ...dear, recipientNumber: unrouted }, { key: keys.poor })).body.errorCode).toBe(1203);
    expect((await send(dear, { key: keys.poor })).body.errorCode).toBe(1201);
  });

  it("errors other than 1001 have no validationErrors", async () => {
    const { body } = await send({ ...sound, recipientNumber: "09201234567" });
    expect(Object.keys(body)).toEqual(["errorCode", "errorMessage"]);
  });
});

describe("Idempotency-Key", () => {
  const withKey = (key: string) => ({ headers: { "idempotency-key": key } });

  it("case 1: a repeated call gets the same answer to the byte, and nothing is sent again", async () => {
    const key = randomUUID();
    const first = await send(sound, withKey(key));
    const before = await storedMessages();
    const second = await send(sound, withKey(`"${key}"`));
    expect(second.text).toBe(first.text);
    expect(second.headers["idempotent-replayed"]).toBe("true");
    expect(await storedMessages()).toBe(before);
  });

  it("case 2: of many at once all get the answer of the one", async () => {
    const key = randomUUID();
    const before = await storedMessages();
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(sound, withKey(key))));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual(new Array(20).fill(200));
    expect(await storedMessages()).toBe(before + 1);
  });

  it("means the same request though it is written otherwise", async () => {
    const key = randomUUID();
    const first = await send(sound, withKey(key));
    const second = await send(
      { CONTENT: "سلام", recipientnumber: "0912 123-4567", senderNumber: 10001234, x: 1 },
      withKey(key),
    );
    expect(second.text).toBe(first.text);
  });

  it("with another request is 422, 1206", async () => {
    const key = randomUUID();
    await send(sound, withKey(key));
    expect(refusal(await send({ ...sound, content: "x" }, withKey(key)))).toEqual([422, 1206]);
  });

  it("is free again after a refused call", async () => {
    const key = randomUUID();
    expect((await send({ ...sound, senderNumber: "10009999" }, withKey(key))).body.errorCode).toBe(1053);
    expect((await send(sound, withKey(key))).status).toBe(200);
  });

  it("belongs to the account", async () => {
    const key = randomUUID();
    const mine = await send(sound, withKey(key));
    const theirs = await send({ ...sound, content: "x" }, { key: keys.foreign, ...withKey(key) });
    expect(theirs.status).toBe(200);
    expect(theirs.body.batchId).not.toBe(mine.body.batchId);
  });

  it("that is empty is 1001", async () => {
    expect(refusal(await send(sound, withKey("")))).toEqual([400, 1001, "Idempotency-Key"]);
  });

  it("finds the answer of a scheduled send after its time has come", async () => {
    const key = randomUUID();
    const sendTimestamp = Math.floor(Date.now() / 1000) + 60;
    const first = await send({ ...sound, sendTimestamp }, withKey(key));
    expect(first.status).toBe(200);
    vi.useFakeTimers({ toFake: ["Date"], now: (sendTimestamp + 1) * 1000 });
    onTestFinished(() => void vi.useRealTimers());
    expect((await send({ ...sound, sendTimestamp }, withKey(key))).text).toBe(first.text);
    expect((await send({ ...sound, sendTimestamp })).body.errorCode).toBe(1001);
  });
});
