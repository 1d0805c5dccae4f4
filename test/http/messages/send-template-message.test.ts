import { describe, expect, it } from "vitest";
import { keys, refusal, useTestApi } from "../../support/test-api.ts";

const api = useTestApi();

const sound = {
  recipientNumber: "09121234567",
  templateId: "TydSt1skQE",
  parameters: [{ name: "code", value: "4839" }],
};

function send(payload: unknown, key: string = keys.demo) {
  return api.call("POST", "/messages/send/template", { key, payload });
}

describe("POST messages/send/template", () => {
  it("waits in the lane of one-time codes, before single and multi-message calls", async () => {
    const { body } = await send(sound);
    const rows = await api.rows<{ priority: number }>("select priority from message_queue where message_id = $1", [
      body.message.sentMessageId,
    ]);
    expect(rows).toEqual([{ priority: 0 }]);
  });

  it("answers like a single send", async () => {
    const { status, body } = await send(sound);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(["batchId", "message"]);
    expect(body.message).toMatchObject({
      senderNumber: "10001234",
      recipientNumber: "09121234567",
      content: "کد ورود شما: 4839",
      language: "fa",
      parts: "1",
      cost: "1,390",
      messageStatus: 0,
    });
  });

  it("sends from the line given in the call, even if the template has one (4.2 rule 1)", async () => {
    expect((await send({ ...sound, senderNumber: "+9810005678" })).body.message.senderNumber).toBe("+9810005678");
  });

  it.each([
    ["TydSt1skQE", [{ name: "code", value: "1" }], "10001234"],
    [
      "ServiceTpl",
      [
        { name: "name", value: "A" },
        { name: "item-1", value: "B" },
      ],
      "30001111",
    ],
    ["AdvertTmpl", [], "30002222"],
  ])("sends from the line of the template %s (4.2 rules 2 and 3)", async (templateId, parameters, line) => {
    expect((await send({ ...sound, templateId, parameters })).body.message.senderNumber).toBe(line);
  });

  it("needs a sender in call or template: 1001 on senderNumber", async () => {
    expect(refusal(await send({ ...sound, templateId: "NoLineTmpl", senderNumber: "" }))).toEqual([
      400,
      1001,
      "senderNumber",
    ]);
    expect((await send({ ...sound, templateId: "NoLineTmpl", senderNumber: "10001234" })).status).toBe(200);
  });

  it("gives 1053 for a sender that is not the account's", async () => {
    expect((await send({ ...sound, senderNumber: "10007777" })).body.errorCode).toBe(1053);
  });

  it.each(["Nonexisting", "Unapproved", "ForeignTpl", "tydst1skqe", 123, true])(
    "templateId %j is 1107",
    async (templateId) => {
      expect(refusal(await send({ ...sound, templateId }))).toEqual([400, 1107]);
    },
  );

  it.each([undefined, null, "", {}, []])("templateId %j is 1001", async (templateId) => {
    expect(refusal(await send({ ...sound, templateId }))).toEqual([400, 1001, "templateId"]);
  });
});

describe("parameters", () => {
  it.each([
    [[{ name: "code", value: 4839 }], "4839"],
    [[{ name: "code", value: true }], "true"],
    [[{ Name: "code", VALUE: "x" }], "x"],
    [[{ name: "code", value: "a" }, { name: "other", value: ["b"] }, { value: {} }, null, 5], "a"],
    [[{ name: "code", value: "😀".repeat(100) }], "😀".repeat(100)],
  ])("%j", async (parameters, text) => {
    expect((await send({ ...sound, parameters })).body.message.content).toBe(`کد ورود شما: ${text}`);
  });

  it.each([
    ["absent", undefined],
    ["null", null],
    ["no list", { code: "1" }],
    ["a text", "code"],
    ["with another name", [{ name: "Code", value: "1" }]],
    ["with null as value", [{ name: "code", value: null }]],
    ["without value", [{ name: "code" }]],
    ["without name", [{ value: "1" }]],
    ["with a list as value", [{ name: "code", value: ["1"] }]],
    ["with something that is no object", ["code"]],
    ["with null", [null]],
    ["with a value of 101 emoji", [{ name: "code", value: "😀".repeat(101) }]],
  ])("%s: 1001 on parameters", async (_, parameters) => {
    expect(refusal(await send({ ...sound, parameters }))).toEqual([400, 1001, "parameters"]);
  });
});

it.each([
  ["1250.00", "1250"],
  ["9007199254740991", "9007199254740991"],
  ["true", "true"],
  ["9007199254740993", undefined],
  ["0.5", undefined],
])("reads the number %s as the text %s", async (number, text) => {
  const payload = `{"recipientNumber":9121234567,"templateId":"TydSt1skQE","parameters":[{"name":"code","value":${number}}]}`;
  const headers = { "content-type": "application/json" };
  const { body } = await api.call("POST", "/messages/send/template", {
    key: keys.demo,
    payload: Buffer.from(payload),
    headers,
  });
  if (text === undefined) expect(body.validationErrors[0]?.errorMessage).toContain("in quotes");
  else expect(body.message).toMatchObject({ content: `کد ورود شما: ${text}`, recipientNumber: "9121234567" });
});

describe("1001", () => {
  it("lists every field that is wrong", async () => {
    expect(refusal(await send({ senderNumber: "x", recipientNumber: "y", sendTimestamp: 1 }))).toEqual([
      400,
      1001,
      "senderNumber",
      "recipientNumber",
      "templateId",
      "parameters",
      "sendTimestamp",
    ]);
  });

  it("comes before 1107", async () => {
    expect((await send({ ...sound, templateId: "Nonexisting", recipientNumber: "y" })).body.errorCode).toBe(1001);
  });

  it("comes after the permission", async () => {
    expect((await send({}, keys.textOnly)).body.errorCode).toBe(1005);
  });
});

it("takes sendTimestamp", async () => {
  const sendTimestamp = Math.floor(Date.now() / 1000) + 3600;
  const { body } = await send({ ...sound, sendTimestamp });
  const state = await api.call("GET", `/messages/status/${body.batchId}`, { key: keys.demo });
  expect(state.body.messages[0]?.sendTimestamp).toBe(sendTimestamp);
});
