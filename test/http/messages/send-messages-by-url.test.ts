import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { demoUser, keys, refusal, useTestApi } from "../../support/test-api.ts";

const api = useTestApi();

const path = "/api/v1/messages/send/url";
const byPassword = { username: demoUser.userName, password: demoUser.password, domain: demoUser.domain };
const encode = (parameters: readonly (readonly [string, string])[]) =>
  new URLSearchParams(parameters as never).toString();

function get(query: string, key: string = keys.demo) {
  return api.call("GET", `${path}?apiKey=${key}&${query}`);
}

const sound = "senderNumber=10001234&recipientNumber=09121234567&content=hello";
const multipart = "multipart/form-data; boundary=b";
const part = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

interface Element {
  readonly senderNumber: string;
  readonly recipientNumber: string;
  readonly content: string;
  readonly errorCode?: number;
}

const triples = (body: { messages: readonly Element[] }) =>
  body.messages.map(({ senderNumber, recipientNumber, content }) => `${senderNumber}>${recipientNumber}:${content}`);

describe("a number longer than any", () => {
  const long = "1".repeat(1_001);

  it.each([
    ["senderNumber", `senderNumber=${long}&recipientNumber=09121234567&content=x`],
    ["recipientNumber", `senderNumber=10001234&recipientNumber=09121234567,${long}&content=x`],
  ])("is 1001, and is not repeated: %s", async (field, query) => {
    for (const { status, body, text } of [
      await get(query),
      await api.call("POST", path, {
        headers: { "content-type": "application/x-www-form-urlencoded" },
        payload: `apiKey=${keys.demo}&${query}`,
      }),
    ]) {
      expect([status, body.errorCode]).toEqual([400, 1001]);
      expect(body.validationErrors.map((each) => each.field)).toEqual([`${field}s`]);
      expect(text).not.toContain(long);
    }
  });
});

describe("at most 1,000 parameters in query and body together", () => {
  const junk = (count: number) => "x=1&".repeat(count);
  const post = (query: string, payload: string) =>
    api.call("POST", `${path}?${query}`, { payload, headers: { "content-type": "application/x-www-form-urlencoded" } });

  it.each([
    ["a thousand of them", `apiKey=${keys.demo}&${junk(996)}${sound}`, "", 200, undefined],
    ["the query has more", `apiKey=${keys.demo}&${junk(1000)}${sound}`, "", 1001, "query"],
    ["the body has more", `apiKey=${keys.demo}&${sound}`, junk(997), 1001, "body"],
    ["the key is wrong", `apiKey=x&${junk(1000)}`, "", 401, undefined],
    ["the key stands behind them", `${junk(1000)}apiKey=${keys.demo}&${sound}`, "", 401, undefined],
    ["the key stands in the body among them", junk(100), `apiKey=${keys.demo}&${junk(1000)}`, 1001, "body"],
  ])("%s", async (_, query, payload, code, field) => {
    const { status, text } = await post(query, payload);
    const body = JSON.parse(text) as { errorCode?: number; validationErrors?: { field: string }[] };
    expect([body.errorCode ?? status, body.validationErrors?.[0]?.field]).toEqual([code, field]);
  });

  it("500,000 malformed escapes in the query and in the body are refused at once", async () => {
    const before = process.cpuUsage();
    const { status } = await post("%&".repeat(500_000), "%\xff&".repeat(200_000));
    expect(status).toBe(401);
    // What others do on the machine is not counted; with an error thrown for each escape it is 13
    // s.
    expect(process.cpuUsage(before).user).toBeLessThan(3_000_000);
  });
});

describe("sendTimestamp", () => {
  const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;

  it("schedules", async () => {
    const sendTimestamp = inAnHour();
    const { body } = await get(`${sound}&SENDTIMESTAMP=${sendTimestamp}`);
    const state = await api.call("GET", `/messages/status/${body.batchId}`, { key: keys.demo });
    expect(state.body.messages).toMatchObject([{ messageStatus: 0, sendTimestamp }]);
  });

  it("is read from JSON as well", async () => {
    const payload = { apiKey: keys.demo, senderNumber: 10001234, recipientNumber: "09121234567", content: "a" };
    const schedule = (sendTimestamp: unknown) => api.call("POST", path, { payload: { ...payload, sendTimestamp } });
    expect((await schedule(inAnHour())).status).toBe(200);
    expect((await schedule(1)).body.validationErrors).toMatchObject([{ field: "sendTimestamp" }]);
  });

  it("in the past is 1001", async () => {
    expect(refusal(await get(`${sound}&sendTimestamp=1`))).toEqual([400, 1001, "sendTimestamp"]);
  });
});

describe("GET api/v1/messages/send/url", () => {
  it("answers batchId and messages", async () => {
    const { status, body } = await get(sound);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(["batchId", "messages"]);
    expect(Object.keys(body.messages[0] ?? {})).toEqual([
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
  });

  const [s1, s2, r1, r2] = ["10001234", "10005678", "09121111111", "09122222222"];
  it.each([
    ["different senders, one recipient", [s1, s2], [r1], ["a"], [`${s1}>${r1}:a`, `${s2}>${r1}:a`]],
    ["all different", [s1, s2], [r1, r2], ["a", "b"], [`${s1}>${r1}:a`, `${s2}>${r2}:b`]],
    ["the same recipient twice", [s1], [r1, r1], ["a"], [`${s1}>${r1}:a`, `${s1}>${r1}:a`]],
  ])("4.5: %s", async (_, senders, recipients, contents, expected) => {
    const { status, body } = await get(
      encode([
        ...senders.map((value) => ["senderNumber", value] as const),
        ...recipients.map((value) => ["recipientNumber", value] as const),
        ...contents.map((value) => ["content", value] as const),
      ]),
    );
    expect(status).toBe(200);
    expect(triples(body)).toEqual(expected);
  });

  it.each([
    "senderNumber=10001234&recipientNumber[1]=09122222222&recipientNumber[0]=09121111111&content=a",
    "SENDERNUMBER=10001234&RecipientNumber=09121111111&recipientnumber=09122222222&Content=a&unknown=1",
  ])("reads %s", async (query) => {
    expect(triples((await get(query)).body)).toEqual(["10001234>09121111111:a", "10001234>09122222222:a"]);
  });

  it("reads a forgotten + before 98, which arrives as a space", async () => {
    const { body } = await get("senderNumber=+9810001234&recipientNumber=+989121234567&content=a,b+c%2B");
    expect(triples(body)).toEqual(["+9810001234>+989121234567:a,b c+"]);
  });

  it("case 58: judges each message alone, in the order given", async () => {
    const recipients = ["09121111111", "09201111111", "0912", "09129999999", "09321111111", "09122222222"];
    const { status, body } = await get(
      encode([
        ["senderNumber", "10001234"],
        ["content", "a"],
        ...recipients.map((r) => ["recipientNumber", r] as const),
      ]),
    );
    expect(status).toBe(200);
    expect(body.messages.map((m) => m.errorCode)).toEqual([undefined, 1048, 1001, 1202, 1203, undefined]);
    expect(body.messages.map((m) => m.recipientNumber)).toEqual(recipients);
    for (const element of body.messages.slice(1, 5)) {
      expect(Object.keys(element)).toEqual(["senderNumber", "recipientNumber", "content", "errorCode", "errorMessage"]);
    }
    const state = await api.call("GET", `/messages/status/${body.batchId}`, { key: keys.demo });
    expect(state.body.messages.map((m) => m.recipientNumber)).toEqual(["09121111111", "09122222222"]);
  });

  it("takes credit in list order; a later, cheaper message still goes", async () => {
    const contents = ["x".repeat(400), "a", "b", "c"];
    const { body } = await get(
      encode([
        ["senderNumber", "10001234"],
        ["recipientNumber", "09121234567"],
        ...contents.map((content) => ["content", content] as const),
      ]),
      keys.poor,
    );
    expect(body.messages.map((m) => m.errorCode)).toEqual([1201, undefined, undefined, 1201]);
  });
});

describe("none accepted", () => {
  it("is 1003 with the messages", async () => {
    const { status, body } = await get("senderNumber=10001234&recipientNumber=09201111111,0912&content=a");
    expect(status).toBe(400);
    expect(Object.keys(body)).toEqual(["errorCode", "errorMessage", "messages"]);
    expect(body.errorCode).toBe(1003);
    expect(body.messages.map((m) => m.errorCode)).toEqual([1048, 1001]);
  });

  it("is 1001 with validationErrors beside the messages where all are malformed", async () => {
    const { body } = await get("senderNumber=x&recipientNumber=0912,0913&content=");
    expect(Object.keys(body)).toEqual(["errorCode", "errorMessage", "validationErrors", "messages"]);
    expect(body.errorCode).toBe(1001);
    expect(body.validationErrors.map(({ field }) => field)).toEqual(["senderNumbers", "recipientNumbers", "contents"]);
    expect(body.messages).toHaveLength(2);
  });

  it.each([
    ["nothing", "", ["senderNumbers", "recipientNumbers", "contents"]],
    ["unpairable", `${sound}&content=b&recipientNumber=09121111111&recipientNumber=09122222222`, ["contents"]],
    ["101 recipients", `${sound}${"&recipientNumber=09121111111".repeat(100)}`, ["recipientNumbers"]],
  ])("faults of the call itself are 1001 with validationErrors only: %s", async (_, query, fields) => {
    const { status, body } = await get(query);
    expect([status, body.errorCode]).toEqual([400, 1001]);
    expect(Object.keys(body)).toEqual(["errorCode", "errorMessage", "validationErrors"]);
    expect(body.validationErrors.map(({ field }) => field)).toEqual(fields);
  });

  it("names the parameter to write in the text of an error of a list", async () => {
    const { body } = await get("senderNumber=10001234&content=a");
    expect(body.validationErrors).toEqual([
      { field: "recipientNumbers", errorMessage: "recipientNumber: at least one value is required." },
    ]);
  });

  it.each(["%FF", "%zz"])("content=%s is 1001", async (content) => {
    const answer = await get(`senderNumber=10001234&recipientNumber=09121234567&content=${content}`);
    expect(refusal(answer)).toEqual([400, 1001, "contents"]);
  });
});

describe("POST with the same parameters", () => {
  const lists = [
    ["senderNumber", "10001234"],
    ["recipientNumber", "09121111111"],
    ["recipientNumber", "09122222222"],
    ["content", "سلام+ "],
  ] as const;
  const expected = ["10001234>09121111111:سلام+ ", "10001234>09122222222:سلام+ "];
  const form = "application/x-www-form-urlencoded";
  const json = JSON.stringify({ SenderNumber: 10001234, recipientNumber: ["09121111111", 9122222222], content: "x" });

  it.each([
    ["an urlencoded form", path, encode([["apiKey", keys.demo], ...lists]), form],
    ["a form labelled as text", path, encode([["apiKey", keys.demo], ...lists]), "text/plain"],
    ["a form without a label", path, encode([["apiKey", keys.demo], ...lists]), ""],
    [
      "a multipart form",
      path,
      `${[["apiKey", keys.demo] as const, ...lists].map(([n, v]) => part(n, v)).join("")}--b--\r\n`,
      multipart,
    ],
    ["the query alone", `${path}?${encode([["apiKey", keys.demo], ...lists])}`, undefined, ""],
    ["query and form", `${path}?apiKey=${keys.demo}&senderNumber=10001234`, encode(lists.slice(1)), form],
  ])("in %s", async (_, url, payload, label) => {
    const headers: Record<string, string> = label === "" ? {} : { "content-type": label };
    const { status, body } = await api.call("POST", url, { payload, headers });
    expect(status).toBe(200);
    expect(triples(body)).toEqual(expected);
  });

  it("in a JSON body, whatever its label", async () => {
    for (const label of ["application/json", form, "text/plain", "multipart/form-data; boundary=x"]) {
      const headers = { "content-type": label };
      const answer = await api.call("POST", `${path}?apiKey=${keys.demo}`, { payload: json, headers });
      expect(triples(answer.body)).toEqual(["10001234>09121111111:x", "10001234>9122222222:x"]);
    }
  });

  it.each([
    ["application/json", "{", 400, 1001],
    ["application/json", "[]", 400, 1001],
    ["multipart/form-data", "x", 400, 1001],
    ["multipart/form-data; boundary=b", "x", 400, 1001],
    ["application/xml", "<a/>", 415, 415],
    ["application/octet-stream", "x", 415, 415],
  ])("%s %s is %i", async (label, payload, status, code) => {
    const answer = await api.call("POST", `${path}?apiKey=${keys.demo}&${sound}`, {
      payload,
      headers: { "content-type": label },
    });
    expect(refusal(answer).slice(0, 2)).toEqual([status, code]);
  });

  it("a content that is no JSON string is 1001 for that message", async () => {
    const payload = { senderNumber: "10001234", recipientNumber: "09121234567", content: ["x", 5] };
    const { status, body } = await api.call("POST", `${path}?apiKey=${keys.demo}`, { payload });
    expect(status).toBe(200);
    expect(body.messages.map((m) => m.errorCode)).toEqual([undefined, 1001]);
  });
});

describe("credentials in the URL", () => {
  it.each(["", "apiKey=", "apiKey=wrong", "apikey=%FF"])("%s is 401, never 1001", async (query) => {
    expect(refusal(await api.call("GET", `${path}?${query}`))).toEqual([401, 401]);
  });

  it("are not replaced by headers", async () => {
    expect((await api.call("GET", `${path}?${sound}`, { key: keys.demo })).status).toBe(401);
  });

  const withPassword = (credentials: Record<string, string>) =>
    api.call("GET", `${path}/credentials?${new URLSearchParams(credentials).toString()}&${sound}`);

  it("username, password and domain send", async () => {
    const { status, body } = await withPassword(byPassword);
    expect(status).toBe(200);
    expect(body.messages).toHaveLength(1);
  });

  it.each([{ password: "wrong" }, { username: "nobody" }, { domain: "foreign.example" }, { password: "" }])(
    "wrong or empty ones are 401: %j",
    async (change) => {
      expect(refusal(await withPassword({ ...byPassword, ...change }))).toEqual([401, 401]);
    },
  );

  it("in a POST form too", async () => {
    const payload = `${new URLSearchParams(byPassword).toString()}&${sound}`;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    expect((await api.call("POST", `${path}/credentials`, { payload, headers })).status).toBe(200);
  });

  it("answer 1006 and 1005 before 1001", async () => {
    const fenced = { username: "fenced", password: "password-of-fenced", domain: "fenced.example" };
    const url = (credentials: Record<string, string>) =>
      `${path}/credentials?${new URLSearchParams(credentials).toString()}`;
    expect((await api.call("GET", url(fenced))).body.errorCode).toBe(1006);
    const reader = { username: "reader", password: "password-of-reader", domain: "status.example" };
    expect((await api.call("GET", url(reader))).body.errorCode).toBe(1005);
  });
});

describe("idempotencyKey", () => {
  it("as parameter and as header is one key, and any form of the lists is the same request", async () => {
    const key = randomUUID();
    const first = await get(`${sound}&idempotencyKey=${key}`);
    expect(first.status).toBe(200);
    const headers = { "idempotency-key": `"${key}"` };
    const url = `${path}?apiKey=${keys.demo}&senderNumber[]=10001234&recipientNumber=0912 123 4567&content[0]=hello`;
    expect((await api.call("GET", url.replaceAll(" ", "%20"), { headers })).text).toBe(first.text);
    const payload = { apiKey: keys.demo, senderNumber: "10001234", recipientNumber: "09121234567", content: ["hello"] };
    expect((await api.call("POST", path, { payload, headers })).text).toBe(first.text);
  });

  it("with other fields is 1206; two different keys are 1001; empty counts as absent", async () => {
    const key = randomUUID();
    await get(`${sound}&idempotencyKey=${key}`);
    expect((await get(`${sound}&content=b&idempotencyKey=${key}`)).body.errorCode).toBe(1206);
    const url = `${path}?apiKey=${keys.demo}&${sound}&idempotencyKey=a`;
    const answer = await api.call("GET", url, { headers: { "idempotency-key": "b" } });
    expect(refusal(answer)).toEqual([400, 1001, "idempotencyKey"]);
    expect((await get(`${sound}&idempotencyKey=`)).status).toBe(200);
  });
});

it("never answers HEAD, which would send", async () => {
  const before = await get(sound);
  const url = `${path}?apiKey=${keys.demo}&${sound}`;
  expect((await api.app.inject({ method: "HEAD", url })).statusCode).toBe(405);
  const after = await get(sound);
  expect(after.status).toBe(before.status);
});
