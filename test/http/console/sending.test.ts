import { beforeAll, describe, expect, it } from "vitest";
import { findSpendableCredit } from "../../../src/store/ledger.ts";
import { callConsole, demoOwner, signInAs, signInStaff, consoleCalls } from "../../support/console.ts";
import { useTestApi, refusal } from "../../support/test-api.ts";

const api = useTestApi();
const { get } = consoleCalls(api);
let owner: string;
let fenced: string;
let operator: string;

beforeAll(async () => {
  owner = await signInAs(api, demoOwner);
  fenced = await signInAs(api, { username: "fenced", password: "password-of-fenced", organisation: "fenced.example" });
  operator = await signInStaff(api, "operator");
});

interface Judged {
  readonly sentMessageId?: string;
  readonly recipientNumber: string;
  readonly parts?: number;
  readonly cost?: number;
  readonly encoding?: string;
  readonly errorCode?: number;
}
interface Sent {
  readonly batchId: string;
  readonly sendAt?: string;
  readonly messages: readonly Judged[];
}

const post = (path: string, payload: object, { cookie = owner, key = "" } = {}) =>
  callConsole(api, "POST", path, { cookie, payload, headers: key === "" ? {} : { "idempotency-key": key } });
const text = { senderNumber: "10001234", recipientNumbers: ["09121234567"], content: "Hello" };
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const credit = () => findSpendableCredit(api.db, api.accountId("demo"));
const messages = async () => Number((await api.rows<{ n: bigint }>("select count(*) as n from message"))[0]?.n);

async function sendWell(payload: object, key = ""): Promise<Sent> {
  const { status, body, text: raw } = await post("/send", payload, { key });
  if (status !== 200) throw new Error(raw);
  return body as unknown as Sent;
}

describe("GET send", () => {
  it("says what the account can send, and from where", async () => {
    const { body } = await get("/send", owner);
    expect(body["lines"]).toContainEqual({ number: "10001234", kind: expect.any(String) as string });
    const templates = body["templates"] as { id: string }[];
    expect(templates.map(({ id }) => id).sort()).toEqual(["AdvertTmpl", "NoLineTmpl", "ServiceTpl", "TydSt1skQE"]);
    expect(body).toMatchObject({ maximumParts: 10, maximumRecipients: 100 });
    expect((await get("/send", fenced)).status).toBe(403);
  });
});

describe("POST preview", () => {
  it("tells parts, encoding and price of each message and of all, and every fault, and sends nothing", async () => {
    const before = [await credit(), await messages()];
    const { status, body } = await post("/preview", {
      senderNumber: "10001234",
      recipientNumbers: ["۰۹۱۲ ۱۲۳ ۴۵۶۷", "0935-123-4567", "12"],
      content: "سلام",
    });
    expect(status).toBe(200);
    const [first, second, third] = body["messages"] as Judged[];
    expect(first).toMatchObject({ recipientNumber: "09121234567", parts: 1, encoding: "ucs2", operator: "MCI" });
    expect(third).toMatchObject({ recipientNumber: "12", errorCode: 1001 });
    const cost = (first?.cost ?? 0) + (second?.cost ?? 0);
    expect(body).toMatchObject({ accepted: 2, refused: 1, parts: 2, cost, credit: Number(before[0]) });
    expect([await credit(), await messages()]).toEqual(before);
  });

  it("judges by the credit, in the order of the recipients", async () => {
    const { body } = await post("/preview", { ...text, recipientNumbers: Array<string>(100).fill("09121234567") });
    const cost = (body["messages"] as Judged[])[0]?.cost ?? 0;
    expect(body["accepted"]).toBe(Math.min(100, Math.floor(Number(await credit()) / cost)));
  });
});

describe("POST send", () => {
  it("sends one text and charges its price", async () => {
    const before = await credit();
    const sent = await sendWell(text);
    expect(sent.messages).toHaveLength(1);
    expect(await credit()).toBe((before as bigint) - BigInt(sent.messages[0]?.cost ?? 0));
    const { body } = await get(`/messages/${sent.messages[0]?.sentMessageId ?? ""}`, owner);
    expect(body).toMatchObject({ batchId: sent.batchId, messageStatus: 0 });
  });

  it("sends to many, and says which are refused", async () => {
    const sent = await sendWell({ ...text, recipientNumbers: ["09121234567", "x", 9_351_234_567] });
    expect(sent.messages.map(({ sentMessageId }) => sentMessageId !== undefined)).toEqual([true, false, true]);
    expect(sent.messages[1]?.errorCode).toBe(1001);
  });

  it("sends a template, as urgent as the clients' API sends it", async () => {
    const sent = await sendWell({
      templateId: "TydSt1skQE",
      recipientNumbers: ["09121234567"],
      parameters: [{ name: "code", value: "4321" }],
    });
    const [row] = await api.rows<{ content: string; priority: number; template_id: string }>(
      "select content, priority, template_id from message where batch_id = $1",
      [sent.batchId],
    );
    expect(row).toEqual({ content: "کد ورود شما: 4321", priority: 0, template_id: "TydSt1skQE" });
  });

  it("under one Idempotency-Key sends once, whatever is clicked, and answers the same", async () => {
    const before = await messages();
    const bodies = await Promise.all(Array.from({ length: 4 }, () => post("/send", text, { key: "click-1" })));
    expect(new Set(bodies.map(({ status, text: raw }) => `${status} ${raw}`)).size).toBe(1);
    expect(bodies.filter(({ headers }) => headers["idempotent-replayed"] === "true")).toHaveLength(3);
    expect(await messages()).toBe(before + 1);
    const other = await post("/send", { ...text, content: "Other" }, { key: "click-1" });
    expect(refusal(other)).toEqual([422, 1206]);
  });

  it("schedules, and repeats the answer under the key also after the time has passed", async () => {
    const sendAt = new Date(Date.now() + 400).toISOString();
    const sent = await sendWell({ ...text, sendAt }, "later-1");
    expect(sent.sendAt).toBe(sendAt);
    await expect.poll(() => Date.now() > new Date(sendAt).getTime()).toBe(true);
    expect(await sendWell({ ...text, sendAt }, "later-1")).toEqual(sent);
    const late = await post("/send", { ...text, sendAt });
    expect([late.status, late.body["errorCode"]]).toEqual([400, 1001]);
  });

  it.each([
    [{}, ["recipientNumbers"]],
    [{ ...text, recipientNumbers: [] }, ["recipientNumbers"]],
    [{ ...text, recipientNumbers: Array<string>(101).fill("09121234567") }, ["recipientNumbers"]],
    [{ ...text, recipientNumbers: ["1"] }, ["recipientNumber"]],
    [{ ...text, recipientNumbers: ["1", "2"] }, ["recipientNumbers[0]", "recipientNumbers[1]"]],
    [{ ...text, content: " " }, ["content"]],
    [{ ...text, content: ["x"] }, ["content"]],
    [{ ...text, templateId: "TydSt1skQE" }, ["content"]],
    [{ ...text, sendAt: "tomorrow" }, ["sendAt"]],
    [{ ...text, sendAt: "2020-01-01T00:00:00Z" }, ["sendAt"]],
    [{ ...text, sendAt: "2200-01-01T00:00:00Z" }, ["sendAt"]],
    [{ templateId: "TydSt1skQE", recipientNumbers: ["09121234567"], parameters: "x" }, ["parameters"]],
    [{ templateId: "TydSt1skQE", recipientNumbers: ["09121234567"] }, ["parameters"]],
  ])("names what is wrong and sends nothing: %j", async (payload, fields) => {
    const before = await messages();
    const { status, body } = await post("/send", payload);
    expect(status).toBe(400);
    expect((body["validationErrors"] as { field: string }[]).map(({ field }) => field)).toEqual(fields);
    expect(await messages()).toBe(before);
  });

  it.each([
    [{ ...text, senderNumber: "20001234" }, 1053],
    [{ templateId: "Unapproved", recipientNumbers: ["09121234567"], senderNumber: "10001234" }, 1107],
    [{ templateId: "ForeignTpl", recipientNumbers: ["09121234567"], senderNumber: "10001234" }, 1107],
  ])("is refused by the rules of the clients' API: %j", async (payload, errorCode) => {
    expect(refusal(await post("/send", payload))).toEqual([400, errorCode]);
  });
});

describe("batches", () => {
  it("are summed up for their account and for staff, and canceled while they wait", async () => {
    const before = await credit();
    const { batchId, messages: sent } = await sendWell({
      ...text,
      recipientNumbers: ["09121234567", "09121234568"],
      sendAt: inAnHour(),
    });
    const cost = sent.reduce((sum, message) => sum + (message.cost ?? 0), 0);
    for (const cookie of [owner, operator]) {
      const { status, body } = await get(`/batches/${batchId}`, cookie);
      expect([status, body]).toEqual([
        200,
        expect.objectContaining({ batchId, account: "demo", messages: 2, waiting: 2, unsent: 0, cost, refunded: 0 }),
      ]);
    }
    const nothing = { canceled: 0, canceledBefore: 0, onTheirWay: 0, over: 0 };
    const one = await post(`/messages/${sent[0]?.sentMessageId ?? ""}/cancel`, {});
    expect(one.body).toEqual({ ...nothing, canceled: 1 });
    expect((await post(`/batches/${batchId}/cancel`, {}, { cookie: operator })).body).toEqual({
      ...nothing,
      canceled: 1,
      canceledBefore: 1,
    });
    expect(await credit()).toBe(before);
    const audit = await get(`/audit?name=${batchId}`, operator);
    expect(audit.body["items"]).toMatchObject([{ who: "staff:operator", kind: "messages", after: { canceled: 1 } }]);
    const ended = await get(`/batches/${batchId}`, owner);
    expect(ended.body).toMatchObject({ waiting: 0, unsent: 2, refunded: cost });
  });
});
