// The interface specification, sections 4 to 8, line by line over HTTP against the running gateway:
// what is accepted reaches the operator as it was written, what is refused never does.
import { createConnection } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { statement } from "../support/database.ts";
import { type Answer, accepted, keys, startTestGateway, type TestGateway } from "../support/gateway.ts";
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
const query = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
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

  it.each(["09121115002", "9121115002", "00989121115002", "+989121115002", "989121115002"])(
    "2.5: takes the recipient as %s and repeats it so",
    async (recipientNumber) => {
      const { body } = await send(recipientNumber, { content: recipientNumber });
      expect(body.message?.recipientNumber).toBe(recipientNumber);
      await gateway.until(
        "the submission",
        () => gateway.submissions("09121115002").some(({ text }) => text === recipientNumber) || undefined,
      );
    },
  );

  it.each(["10001234", "009810001234", "+9810001234", "9810001234"])(
    "2.5: takes the sender as %s",
    async (senderNumber) => {
      const recipient = `0912112${String(senderNumber.length).padStart(4, "5")}`;
      const { body } = await send(recipient, { senderNumber });
      expect(body.message?.senderNumber).toBe(senderNumber);
      expect((await submitted(recipient))[0]).toBe("10001234");
    },
  );

  it.each([
    ["senderNumber", { senderNumber: undefined }],
    ["recipientNumber", { recipientNumber: "0912" }],
    ["recipientNumber", { recipientNumber: undefined }],
    ["content", { content: undefined }],
    ["content", { content: "   " }],
    ["content", { content: "" }],
    ["sendTimestamp", { sendTimestamp: 1 }],
    ["sendTimestamp", { sendTimestamp: Math.floor(Date.now() / 1000) - 1 }],
    ["sendTimestamp", { sendTimestamp: "soon" }],
  ])("7, 8: 1001 names the field %s for %j", async (field, rest) => {
    const answer = await send("09121115003", rest);
    expect(errorOf(answer)).toEqual({ status: 400, errorCode: 1001 });
    expect(answer.body.validationErrors?.map((error) => error.field)).toEqual([field]);
    expect(answer.body.errorMessage).toBeTruthy();
    expect(gateway.submissions("09121115003")).toEqual([]);
  });

  it("7: 1053 for a line that is not the account's, nothing charged", async () => {
    const before = await gateway.balance();
    const answer = await send("09121115004", { senderNumber: "10009999" });
    expect(errorOf(answer)).toEqual({ status: 400, errorCode: 1053 });
    expect(await gateway.balance()).toBe(before);
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

describe("4.2 template send", () => {
  const template = (recipientNumber: string, templateId: string, rest: object = {}): Promise<Answer> =>
    gateway.call("POST", "messages/send/template", {
      body: { recipientNumber, templateId, parameters: [{ name: "code", value: "4821" }], ...rest },
    });

  it.each([
    [
      "rule 1: the request's sender wins over the template's line",
      "OwnLineTpl",
      { senderNumber: "10001234" },
      "10001234",
    ],
    ["rule 2: without one, the template's line", "OwnLineTpl", {}, "10005678"],
    ["rule 3: without one, the system service line", "ServiceTpl", {}, "30001111"],
    ["rule 3: without one, the system advertising line", "AdvertTmpl", {}, "30002222"],
    ["rule 1: a template without any line", "NoLineTmpl", { senderNumber: "10005678" }, "10005678"],
  ])("%s", async (_rule, templateId, rest, line) => {
    const recipient = `091211450${line.slice(0, 1)}${line.slice(-1)}`.padEnd(
      11,
      templateId === "NoLineTmpl" ? "8" : "7",
    );
    const answer = await template(recipient, templateId, rest);
    expect(answer.body.message?.senderNumber).toBe(line);
    const messages = await gateway.untilSubmitted(recipient, 1);
    const text = templateId === "AdvertTmpl" ? "Sale!" : "کد شما: 4821";
    expect(messages.map(({ sender, text: seen }) => [sender.address, seen])).toContainEqual([line, text]);
    await gateway.untilStatus(accepted(answer).id, 2);
  });

  it("a value may have 100 characters, and not 101", async () => {
    const parameters = (length: number): object => ({ parameters: [{ name: "code", value: "ک".repeat(length) }] });
    expect((await template("09121115006", "OwnLineTpl", parameters(100))).status).toBe(200);
    const answer = await template("09121115006", "OwnLineTpl", parameters(101));
    expect(errorOf(answer)).toEqual({ status: 400, errorCode: 1001 });
    expect(answer.body.validationErrors?.map(({ field }) => field)).toEqual(["parameters"]);
  });

  it.each(["NoSuchTmpl", "Unapproved", "ForeignTpl"])("7: 1107 for the template %s", async (templateId) => {
    expect(errorOf(await template("09121115006", templateId))).toEqual({ status: 400, errorCode: 1107 });
  });

  it("1001 for a missing template id, a missing value, and no sender anywhere", async () => {
    const fields = async (templateId: string, rest: object): Promise<unknown> =>
      (await template("09121115006", templateId, rest)).body.validationErrors?.map(({ field }) => field);
    expect(await fields("", {})).toContain("templateId");
    expect(await fields("OwnLineTpl", { parameters: [] })).toEqual(["parameters"]);
    expect(await fields("NoLineTmpl", {})).toEqual(["senderNumber"]);
  });

  it("last line: a sample calls messages/send with template fields", async () => {
    const body = {
      recipientNumber: "09121115007",
      templateId: "OwnLineTpl",
      parameters: [{ name: "code", value: "1" }],
    };
    accepted(await gateway.call("POST", "messages/send", { body }));
    expect(await submitted("09121115007")).toEqual(["10005678", "کد شما: 1"]);
  });

  it("takes sendTimestamp", async () => {
    const sendTimestamp = Math.ceil(Date.now() / 1000) + 3600;
    const { id } = accepted(await template("09121115008", "OwnLineTpl", { sendTimestamp }));
    expect(await gateway.status(id)).toMatchObject({ messageStatus: 0, sendTimestamp });
  });
});

describe.each(["key", "credentials"] as const)("4.3–4.6 URL endpoints, by %s", (kind) => {
  const path = kind === "key" ? "api/v1/messages/send/url" : "api/v1/messages/send/url/credentials";
  const caller: readonly (readonly [string, string])[] =
    kind === "key" ? [["apiKey", keys.demo]] : Object.entries(credentials);
  const base = kind === "key" ? 3000 : 4000;
  const number = (n: number): string => `0913111${base + n}`;
  const list = (name: string, values: readonly string[]): (readonly [string, string])[] =>
    values.map((value) => [name, value] as const);

  interface Lists {
    readonly senders: readonly string[];
    readonly recipients: readonly string[];
    readonly contents: readonly string[];
  }
  const lists = ({ senders, recipients, contents }: Lists): (readonly [string, string])[] => [
    ...list("senderNumber", senders),
    ...list("recipientNumber", recipients),
    ...list("content", contents),
  ];
  const call = (given: Lists, pairs = caller): Promise<Answer> =>
    gateway.call("GET", `${path}?${query([...pairs, ...lists(given)])}`, { key: null });

  const a = "10001234";
  const b = "10005678";
  it.each<readonly [string, Lists, readonly (readonly [string, string, string])[]]>([
    [
      "1: one text, one sender, one recipient",
      { senders: [a], recipients: [number(1)], contents: ["x"] },
      [[a, number(1), "x"]],
    ],
    [
      "1: same text, same sender, different recipients",
      { senders: [a], recipients: [number(2), number(3)], contents: ["x"] },
      [
        [a, number(2), "x"],
        [a, number(3), "x"],
      ],
    ],
    [
      "2: same text, different senders, different recipients",
      { senders: [a, b], recipients: [number(4), number(5)], contents: ["x"] },
      [
        [a, number(4), "x"],
        [b, number(5), "x"],
      ],
    ],
    [
      "3: same text, different senders, one recipient",
      { senders: [a, b], recipients: [number(6)], contents: ["x"] },
      [
        [a, number(6), "x"],
        [b, number(6), "x"],
      ],
    ],
    [
      "4: different texts, same sender, different recipients",
      { senders: [a], recipients: [number(7), number(8)], contents: ["x", "ی"] },
      [
        [a, number(7), "x"],
        [a, number(8), "ی"],
      ],
    ],
    [
      "5: different texts, different senders, different recipients",
      { senders: [a, b], recipients: [number(9), number(10)], contents: ["x", "ی"] },
      [
        [a, number(9), "x"],
        [b, number(10), "ی"],
      ],
    ],
    [
      "6: different texts, different senders, one recipient",
      { senders: [a, b], recipients: [number(11)], contents: ["x", "ی"] },
      [
        [a, number(11), "x"],
        [b, number(11), "ی"],
      ],
    ],
    [
      "6: different texts, same sender, one recipient",
      { senders: [a], recipients: [number(12)], contents: ["x", "ی"] },
      [
        [a, number(12), "x"],
        [a, number(12), "ی"],
      ],
    ],
  ])("4.5 group %s", async (_title, given, expected) => {
    const { batchId } = accepted(await call(given));
    const messages = await gateway.untilAll(batchId, 2);
    expect(messages.map((each) => [each.senderNumber, each.recipientNumber, each.content])).toEqual(expected);
    const recipients = [...new Set(expected.map(([, recipient]) => recipient))];
    const seen = recipients.flatMap((recipient) =>
      gateway.submissions(recipient).map(({ sender, text }) => [sender.address, recipient, text]),
    );
    expect(seen.sort()).toEqual([...expected].sort());
  });

  it("4.6: a 200 mixes sent and failed messages, in the order given", async () => {
    const answer = await call({ senders: [a], recipients: [number(13), "0912", "09211112233"], contents: ["x"] });
    const [sent, malformed, switchedOff] = answer.body.messages ?? [];
    expect(answer.status).toBe(200);
    expect(sent).toMatchObject({ recipientNumber: number(13), messageStatus: 0 });
    expect(malformed).toEqual({
      senderNumber: a,
      recipientNumber: "0912",
      content: "x",
      errorCode: 1001,
      errorMessage: expect.any(String) as string,
    });
    expect(Object.keys(switchedOff ?? {})).toEqual([
      "senderNumber",
      "recipientNumber",
      "content",
      "errorCode",
      "errorMessage",
    ]);
    expect(switchedOff?.errorCode).toBe(1048);
    await gateway.untilAll(accepted(answer).batchId, 2);
  });

  it("4.6, 7: 1003 with each message's error when none can be sent", async () => {
    const answer = await call({ senders: [a, "10009999"], recipients: ["09211112233", number(14)], contents: ["x"] });
    expect(errorOf(answer)).toEqual({ status: 400, errorCode: 1003 });
    expect(answer.body.messages?.map(({ errorCode }) => errorCode)).toEqual([1048, 1053]);
    expect(answer.body.batchId).toBeUndefined();
  });

  it("4.6: 1001 with plural field names and with messages when all are malformed", async () => {
    const answer = await call({ senders: ["abc"], recipients: ["0912"], contents: [" "] });
    expect(errorOf(answer)).toEqual({ status: 400, errorCode: 1001 });
    expect(answer.body.validationErrors?.map(({ field }) => field).sort()).toEqual([
      "contents",
      "recipientNumbers",
      "senderNumbers",
    ]);
    expect(answer.body.messages).toHaveLength(1);
  });

  it("4.6: 1001 with plural field names alone for the call's own faults", async () => {
    const missing = await call({ senders: [], recipients: [number(15)], contents: ["x"] });
    expect(missing.body.validationErrors?.map(({ field }) => field)).toEqual(["senderNumbers"]);
    expect(missing.body.messages).toBeUndefined();
    const unpairable = await call({
      senders: [a, b],
      recipients: [number(15), number(16), number(17)],
      contents: ["x"],
    });
    expect(unpairable.body.validationErrors?.map(({ field }) => field)).toEqual(["senderNumbers"]);
    expect(gateway.submissions(number(15))).toEqual([]);
  });

  it("4.3: a few samples post the same parameters", async () => {
    const given = { senders: [a], recipients: [number(18)], contents: ["سلام & درود"] };
    const answer = await gateway.call("POST", path, {
      key: null,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: query([...caller, ...lists(given)]),
    });
    await gateway.untilAll(accepted(answer).batchId, 2);
    expect(await submitted(number(18))).toEqual([a, "سلام & درود"]);
  });

  it("5: a missing, empty or wrong credential is 401, never 1001", async () => {
    const given = { senders: [], recipients: [], contents: [] };
    for (const pairs of [
      [],
      caller.map(([name]) => [name, ""] as const),
      caller.map(([name]) => [name, "wrong"] as const),
    ]) {
      expect(errorOf(await call(given, pairs))).toEqual({ status: 401, errorCode: 401 });
    }
  });
});

describe("5 authentication", () => {
  it("1: an unknown key and a bad token are 401", async () => {
    const body = single("09121115009");
    expect(errorOf(await gateway.call("POST", "messages/send", { key: "wrong", body }))).toEqual({
      status: 401,
      errorCode: 401,
    });
    expect(errorOf(await gateway.call("POST", "messages/send", { key: null, body }))).toEqual({
      status: 401,
      errorCode: 401,
    });
    expect(errorOf(await gateway.call("POST", "messages/send", { token: "a.b.c", body }))).toEqual({
      status: 401,
      errorCode: 401,
    });
  });

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

  it("auth/token: 1001 names UserName, Password and Domain; wrong ones are 401", async () => {
    const empty = await gateway.call("POST", "auth/token", { key: null, body: {} });
    expect(empty.body.validationErrors?.map(({ field }) => field)).toEqual(["UserName", "Password", "Domain"]);
    const wrong = { userName: credentials.username, password: "wrong", domain: credentials.domain };
    expect(errorOf(await gateway.call("POST", "auth/token", { key: null, body: wrong }))).toEqual({
      status: 401,
      errorCode: 401,
    });
  });

  it("2: no permission for the method is 403 with 1005", async () => {
    const answer = await gateway.call("POST", "messages/send", { key: keys.statusOnly, body: single("09121115011") });
    expect(errorOf(answer)).toEqual({ status: 403, errorCode: 1005 });
  });

  it("3: an address that is not allowed is 403 with 1006, and the reason names it", async () => {
    const answer = await gateway.call("POST", "messages/send", { key: keys.fenced, body: single("09121115011") });
    expect(errorOf(answer)).toEqual({ status: 403, errorCode: 1006 });
    expect(answer.body.errorMessage).toContain("127.0.0.1");
  });
});

describe("4.7 status, in all forms", () => {
  it("by batch and by ids, and only for the account's own", async () => {
    const { batchId, ids } = await gateway.sendBulk(["09121115012", "09121115013"], { contents: ["یک", "two"] });
    await gateway.untilAll(batchId, 2);
    const byPath = await gateway.call("GET", `messages/status/${batchId}`);
    const byQuery = await gateway.call("GET", `messages/status?batchId=${batchId.toUpperCase()}`);
    const byPost = await gateway.call("POST", "messages/status", { body: { batchId } });
    expect(byPath.body.batchId).toBe(batchId);
    expect(byQuery.text).toBe(byPath.text);
    expect(byPost.text).toBe(byPath.text);
    for (const field of ["sentMessageIdes", "sentMessageIds"]) {
      const byIds = await gateway.call("POST", "messages/status", { body: { [field]: ids } });
      expect(byIds.body.messages).toEqual(byPath.body.messages);
    }
    const bySecondKey = await gateway.call("GET", `messages/status/${batchId}`, { key: keys.second });
    expect(bySecondKey.text).toBe(byPath.text);
    const foreign = await gateway.call("GET", `messages/status/${batchId}`, { key: keys.other });
    expect(errorOf(foreign)).toEqual({ status: 400, errorCode: 1106 });
    const foreignId = await gateway.call("POST", "messages/status", {
      key: keys.other,
      body: { sentMessageIds: [ids[0]] },
    });
    expect(foreignId.body.messages).toEqual([
      { sentMessageId: ids[0], errorCode: 1106, errorMessage: expect.any(String) as string },
    ]);
  });

  it("a malformed id is 1001, an unknown batch 1106", async () => {
    expect(errorOf(await gateway.call("GET", "messages/status/xyz"))).toEqual({ status: 400, errorCode: 1001 });
    const unknown = await gateway.call("GET", "messages/status/01900000-0000-7000-8000-000000000000");
    expect(errorOf(unknown)).toEqual({ status: 400, errorCode: 1106 });
  });
});

describe("the further methods (decisions §3)", () => {
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

  it("does not cancel what is not scheduled, too near, or another's", async () => {
    const soon = await gateway.send("09121115016", { sendTimestamp: Math.ceil(Date.now() / 1000) + 20 });
    const later = await gateway.send("09121115016", { sendTimestamp: Math.ceil(Date.now() / 1000) + 600 });
    const cancel = async (batchId: string, key?: string): Promise<unknown> =>
      errorOf(await gateway.call("DELETE", `messages/send/scheduled/${batchId}`, key === undefined ? {} : { key }));
    expect(await cancel(soon.batchId)).toEqual({ status: 400, errorCode: 1106 });
    expect(await cancel(later.batchId, keys.other)).toEqual({ status: 400, errorCode: 1106 });
    expect(await cancel((await gateway.send("09121115017")).batchId)).toEqual({ status: 400, errorCode: 1106 });
    await gateway.call("DELETE", `messages/send/scheduled/${later.batchId}`);
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

  it("tells the balance, and a preview charges and sends nothing", async () => {
    const { body } = await gateway.call("GET", "account/balance");
    expect(body).toEqual({ balance: expect.stringMatching(/^[\d,]+$/) as string, currency: "IRR" });
    const preview = await gateway.call("POST", "messages/preview", { body: single("09121115018") });
    expect(preview.body).toEqual({
      message: {
        senderNumber: "10001234",
        recipientNumber: "09121115018",
        content: "سلام دنیا",
        language: "fa",
        operator: "MCI",
        parts: "1",
        cost: "1,390",
        messageStatus: 0,
        encoding: "ucs2",
      },
    });
    expect((await gateway.call("GET", "account/balance")).body).toEqual(body);
    await gateway.passMarker();
    expect(gateway.submissions("09121115018")).toEqual([]);
  });

  it("bulk: lists in JSON, as 4.6", async () => {
    const body = { senderNumbers: ["10001234"], recipientNumbers: ["09121115019", "0912"], contents: ["a"] };
    const answer = await gateway.call("POST", "messages/send/bulk", { body });
    expect(answer.body.messages?.map(({ errorCode }) => errorCode)).toEqual([undefined, 1001]);
    await gateway.untilAll(accepted(answer).batchId, 2);
  });
});

describe("7 errors", () => {
  it("in Persian with Accept-Language: fa", async () => {
    const headers = { "accept-language": "fa-IR,fa;q=0.9" };
    const answer = await gateway.call("POST", "messages/send", { headers, body: single("0912") });
    expect(answer.body.errorMessage).toMatch(/[آ-ی]/);
    expect(answer.body.validationErrors?.[0]?.errorMessage).toMatch(/[آ-ی]/);
    const refused = await gateway.send("09121115010");
    await gateway.untilStatus(refused.id, 2);
    const { id } = await gateway.send("09125550010");
    const { errorMessage } = await gateway.untilStatus(id, 4, { headers });
    expect(errorMessage).toMatch(/[آ-ی]/);
  });

  it("429 with Retry-After and the RateLimit fields above requestsPerSecond", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => gateway.call("GET", "account/balance", { key: keys.slow })),
    );
    const limited = answers.find(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1);
    expect(limited?.body.errorCode).toBe(429);
    expect(Number(limited?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(limited?.headers.get("ratelimit")).toMatch(/r=0/);
  });

  it("500 with a number of its own that fits into 32 bits and stands in the log, and nothing of the cause", async () => {
    await gateway.db.query(statement("alter table account_balance rename to account_balance_away"));
    try {
      const failed = gateway.telemetry.next("http.failed");
      const answer = await gateway.call("GET", "account/balance");
      expect(answer.status).toBe(500);
      const { errorCode = 0, errorMessage = "" } = answer.body;
      expect(errorCode).toBeGreaterThanOrEqual(1_000_000_000);
      expect(errorCode).toBeLessThanOrEqual(2_147_483_647);
      expect(errorMessage).toContain(String(errorCode));
      expect(answer.text).not.toMatch(/account_balance|relation|SQL|\/src\//);
      expect((await failed).errorId).toBe(errorCode);
      const send500 = await send("09121115020");
      expect(send500.status).toBe(500);
    } finally {
      await gateway.db.query(statement("alter table account_balance_away rename to account_balance"));
    }
    expect(await gateway.count("message", "recipient = '989121115020'")).toBe(0);
    expect((await send("09121115020")).status).toBe(200);
  });

  it.each([
    ["GET", "no/such/path", 404],
    ["PUT", "messages/send", 405],
    ["GET", "messages/send", 405],
  ])("%s %s is JSON with errorCode %i", async (method, path, status) => {
    const answer = await gateway.call(method, path);
    expect(errorOf(answer)).toEqual({ status, errorCode: status });
    expect(answer.headers.get("content-type")).toContain("application/json");
  });

  it("413 above 1 MiB of body, and of query", async () => {
    const big = "x".repeat(1_100_000);
    expect(errorOf(await send("09121115021", { content: big }))).toEqual({ status: 413, errorCode: 413 });
    const byQuery = await gateway.call("GET", `api/v1/messages/send/url?apiKey=${keys.demo}&content=${big}`, {
      key: null,
    });
    expect(errorOf(byQuery)).toEqual({ status: 413, errorCode: 413 });
  });

  it("a body that is no JSON object is 1001", async () => {
    const answer = await gateway.call("POST", "messages/send", {
      body: "[1]",
      headers: { "content-type": "application/json" },
    });
    expect(errorOf(answer)).toEqual({ status: 400, errorCode: 1001 });
  });
});

describe("clients as they are (decisions §1)", () => {
  it("takes PascalCase names, another case in the path, a trailing slash, and JSON labelled as a form", async () => {
    const answer = await gateway.call("POST", "Messages/Send/", {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: JSON.stringify({ SenderNumber: 10001234, RecipientNumber: "۰۹۱۲ ۱۱۱ ۵۰۲۲", Content: "س" }),
    });
    await gateway.untilStatus(accepted(answer).id, 2);
    expect(await submitted("09121115022")).toEqual(["10001234", "س"]);
  });

  it("takes HTTP/1.0, Expect: 100-continue and a GET with a body, over a raw socket", async () => {
    const body = JSON.stringify(single("09121115023"));
    const head = (first: string, more = ""): string =>
      `${first}\r\nHost: x\r\nX-Api-Key: ${keys.demo}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${more}\r\n${body}`;
    expect(await raw(head("POST /messages/send HTTP/1.0"))).toMatch(/^HTTP\/1\.[01] 200 [\s\S]*"batchId"/);
    const expecting = await raw(head("POST /messages/send HTTP/1.1", "Expect: 100-continue\r\nConnection: close\r\n"));
    expect(expecting).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200/);
    const withBody = await raw(head("GET /account/balance HTTP/1.1", "Connection: close\r\n"));
    expect(withBody).toMatch(/^HTTP\/1\.1 200 [\s\S]*"IRR"/);
    await gateway.untilSubmitted("09121115023", 2);
  });
});

/** Everything that comes back on a connection of its own. */
function raw(request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(gateway.url);
    const socket = createConnection(Number(port), hostname, () => socket.write(request));
    let answer = "";
    socket.setEncoding("utf8").on("data", (text: string) => (answer += text));
    socket.on("end", () => resolve(answer)).on("error", reject);
  });
}
