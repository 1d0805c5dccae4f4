import { connect, type Socket } from "node:net";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { keys, ownTestApi, refusal, type Answer, useTestApi } from "../support/test-api.ts";
import { readAnswer, speak, type RawAnswer } from "../support/raw-http.ts";

const api = useTestApi();
let port: number;

beforeAll(async () => {
  port = await api.listen();
});

const sound = JSON.stringify({ senderNumber: "10001234", recipientNumber: "09121234567", content: "سلام" });
const soundQuery = `apiKey=${keys.demo}&senderNumber=10001234&recipientNumber=09121234567&content=hello`;

function post(body: string, { version = "1.1", extra = "" } = {}): string {
  return (
    `POST /messages/send HTTP/${version}\r\nHost: x\r\nX-Api-Key: ${keys.demo}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n${extra}\r\n${body}`
  );
}

const chunkedHead = `POST /messages/send HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${keys.demo}\r\nTransfer-Encoding: chunked\r\n\r\n`;
const refusalOf = ({ status, body }: RawAnswer) => refusal({ status, body: JSON.parse(body) });

function dial(to = port): Socket {
  const socket = connect({ port: to, host: "127.0.0.1" });
  onTestFinished(() => void socket.destroy());
  return socket.on("error", () => undefined);
}

describe("errors outside of the endpoints have the body of section 7", () => {
  it.each([
    ["GET", "/nothing", 404],
    ["GET", "/messages", 404],
    ["POST", "/messages/sendx", 404],
    ["GET", "/messages/send", 405],
    ["GET", `/${"%25".repeat(300_000)}`, 404],
  ] as const)("%s %s is %i", async (method, url, status) => {
    const answer = await api.call(method, url);
    expect(refusal(answer)).toEqual([status, status]);
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    const persian = await api.call(method, url, { headers: { "accept-language": "fa" } });
    expect(persian.body.errorMessage).toMatch(/[\u0600-\u06ff]/);
  });

  it.each([
    ["rubbish", "hello\r\n\r\n"],
    ["a bad header", "GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n"],
    ["no host", "GET /health/live HTTP/1.1\r\n\r\n"],
    ["two hosts", "GET /health/live HTTP/1.1\r\nhost: x\r\nHost: x\r\n\r\n"],
    ["two hosts, of which one is empty", "GET /health/live HTTP/1.1\r\nhost: x\r\naccept: */*\r\nhOsT:\r\n\r\n"],
    ["two hosts in HTTP/1.0", "GET /health/live HTTP/1.0\r\nhost: x\r\nhost: y\r\n\r\n"],
    ["two lengths", "POST /messages/send HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx"],
    ["a length and chunks", `${chunkedHead.slice(0, -2)}Content-Length: 1\r\n\r\n0\r\n\r\n`],
    ["a chunk without a length", `${chunkedHead}no length\r\n\r\n`],
    ["a target that cannot be decoded", "GET /messages/status/%zz HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["octets beyond ASCII in the path", "GET /سلام HTTP/1.1\r\nHost: x\r\n\r\n"],
  ])("malformed HTTP is 400, with the headers of every answer: %s", async (_, request) => {
    const answer = await speak(port, Buffer.from(request));
    expect(refusalOf(answer)).toEqual([400, 400]);
    expect(answer.head).toContain("x-content-type-options: nosniff");
    expect(answer.head).toContain("cache-control: no-store");
  });

  it("XML is 1001 on a JSON method and 415 on a URL method", async () => {
    const xml = (url: string) =>
      api.call("POST", url, { key: keys.demo, payload: "<a/>", headers: { "content-type": "text/xml" } });
    expect((await xml("/messages/send")).body.errorCode).toBe(1001);
    expect((await xml("/api/v1/messages/send/url")).body.errorCode).toBe(415);
  });

  it("a packed body is 415, the connection goes on, and one that says that it is not packed is taken", async () => {
    const socket = dial();
    socket.write(post(sound, { extra: "Content-Encoding: gzip\r\n" }));
    const refused = await readAnswer(socket);
    expect(refusalOf(refused)).toEqual([415, 415]);
    expect(refused.head).not.toMatch(/connection: close/i);
    socket.write(post(sound, { extra: "Content-Encoding: identity\r\n" }));
    expect((await readAnswer(socket)).status).toBe(200);
  });
});

describe("limits", () => {
  it("a body up to 1 MiB is read, one octet more is 413", async () => {
    const pad = (octets: number) => `{"x":"${"a".repeat(octets - 8)}"}`;
    const send = (payload: string) => api.call("POST", "/messages/send", { key: keys.demo, payload });
    expect((await send(pad(1 << 20))).body.errorCode).toBe(1001);
    const answer = await send(pad((1 << 20) + 1));
    expect(refusal(answer)).toEqual([413, 413]);
    expect(answer.body.errorMessage).toContain("The limit is 1024 KiB for the body");
  });

  it("an answer of 413 names the limit that is set", async () => {
    const small = await ownTestApi({ HODHOD_MAXIMUM_BODY_BYTES: "65536" });
    const answer = await small.call("POST", "/messages/send", { key: keys.demo, payload: "x".repeat(65_537) });
    expect(answer.status).toBe(413);
    expect(answer.body.errorMessage).toContain("The limit is 64 KiB for the body");
  });

  it.each([3 << 20, 20 << 20])("a caller that writes %i octets gets to see the 413", async (octets) => {
    const answer = await fetch(`http://127.0.0.1:${port}/messages/send`, {
      method: "POST",
      headers: { "x-api-key": keys.demo },
      body: "x".repeat(octets),
    }).catch((error: unknown) => error as Error);
    // Beyond what is read off, a client may see the closed connection first.
    if (octets < 8 << 20) expect(answer).toMatchObject({ status: 413 });
    else if (!(answer instanceof Error)) expect(answer.status).toBe(413);
  });

  it("chunked bodies have the same limit, and are whole however small their pieces", async () => {
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    expect(await speak(port, chunkedHead, chunk.repeat(17), "0\r\n\r\n")).toMatchObject({ status: 413 });
    const pieces = Array.from(Buffer.from(sound), (octet) => Buffer.from([0x31, 0x0d, 0x0a, octet, 0x0d, 0x0a]));
    const small = await speak(port, chunkedHead, Buffer.concat(pieces), "0\r\n\r\n");
    expect(small.status).toBe(200);
    expect(small.body).toContain("سلام");
  });

  it("a query up to 1 MiB works, a longer one is 413, and so are headers beyond everything", async () => {
    const get = (octets: number) =>
      speak(port, `GET /api/v1/messages/send/url?${soundQuery}&x=${"a".repeat(octets)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const most = (1 << 20) - soundQuery.length - 3;
    expect((await get(most)).status).toBe(200);
    expect(refusalOf(await get(most + 1))).toEqual([413, 413]);
    const answer = await get(3 << 20);
    expect(refusalOf(answer)).toEqual([413, 413]);
    expect(answer.body).toContain("The URL and the header fields of the request are too large");
  });

  it("1,000 callers that never finish their request keep nobody else waiting", async () => {
    await Promise.all(
      Array.from({ length: 1000 }, (_, index) => {
        const half = index % 2 === 0 ? "GET /health/live HT" : post(sound).slice(0, -5);
        return new Promise<void>((resolve) => dial().write(half, () => resolve()));
      }),
    );
    const started = performance.now();
    expect((await speak(port, post(sound))).status).toBe(200);
    // Long before the first of them is sent away.
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(api.app.server.requestTimeout).toBe(30_000);
    expect(api.app.server.headersTimeout).toBe(15_000);
  });
});

describe("clients of all kinds", () => {
  it("HTTP/1.0", async () => {
    const answer = await speak(port, post(sound, { version: "1.0" }));
    expect(answer.status).toBe(200);
    expect(answer.head.toLowerCase()).toContain("connection: close");
    expect((await speak(port, "GET /health/live HTTP/1.0\r\n\r\n")).status).toBe(200);
  });

  it("Expect: 100-continue, or what is unknown", async () => {
    const [head = "", body = ""] = post(sound, { extra: "Expect: 100-continue\r\n" }).split(/(?<=\r\n\r\n)/);
    const socket = dial();
    const interim = new Promise<string>((resolve) => socket.once("data", (data: Buffer) => resolve(data.toString())));
    socket.write(head);
    expect(await interim).toContain("100 Continue");
    socket.write(body);
    expect((await readAnswer(socket)).status).toBe(200);
    expect((await speak(port, post(sound, { extra: "Expect: wonders\r\nHosts: y\r\n" }))).status).toBe(200);
  });

  it("GET with a body", async () => {
    const request = `GET /api/v1/messages/send/url?${soundQuery} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
    expect((await speak(port, `${request}Content-Length: 2\r\n\r\n{}`)).status).toBe(200);
  });
});

it("answers carry the security headers and no banner, and no other site may read them", async () => {
  const headers = { origin: "https://elsewhere.example" };
  for (const url of ["/account/balance", "/console/api/session"]) {
    const answer = await api.call("GET", url, { key: keys.demo, headers });
    expect(answer.headers).toMatchObject({ "x-content-type-options": "nosniff", "cache-control": "no-store" });
    const names = Object.keys(answer.headers);
    expect(names.filter((name) => /^(server|x-powered-by|access-control-.*)$/.test(name))).toEqual([]);
  }
});

describe("500", () => {
  it("is a number made for that failure, in body and log line, and nothing of the cause", async () => {
    const broken = await ownTestApi();
    await broken.rows("alter table account_balance rename to gone");
    const failed = broken.telemetry.next("http.failed");
    const ask = (headers = {}) => broken.call("GET", "/account/balance", { key: keys.demo, headers });
    const { status, body, text } = await ask();
    expect(status).toBe(500);
    expect(body.errorCode).toBeGreaterThanOrEqual(1_000_000_000);
    expect(body.errorCode).toBeLessThanOrEqual(2_147_483_647);
    expect(body.errorMessage).toContain(String(body.errorCode));
    expect((await failed).errorId).toBe(body.errorCode);
    expect(text).not.toMatch(/account_balance|relation|select/);
    const persian = await ask({ "accept-language": "fa" });
    expect(persian.body.errorCode).not.toBe(body.errorCode);
    expect(persian.body.errorMessage).toMatch(/خطای سرور/);
  });
});

describe("503", () => {
  it("when more waits for its commit than may", async () => {
    const full = await ownTestApi({ HODHOD_ACCEPT_QUEUE_LIMIT: "100" });
    const url = `/api/v1/messages/send/url?${soundQuery}${"&recipientNumber=09121234567".repeat(99)}`;
    const calls: Promise<Answer>[] = [];
    // As long as someone else holds the account's balance, no call is committed and they pile up.
    await full.db.transaction(async (tx) => {
      await tx.query({ name: "hold", text: "select 1 from account_balance for update", values: [] });
      while (calls.length < 40) {
        calls.push(full.call("GET", url));
        await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.race(calls);
    });
    const answers = await Promise.all(calls);
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.headers["retry-after"]).toBe("1");
    const accepted = answers.filter(({ status }) => status === 200);
    expect(accepted.length + refused.length).toBe(40);
    expect(await full.rows("select from message")).toHaveLength(accepted.length * 100);
  });
});

describe("while the server closes", () => {
  it("the answer to a call under way ends its connection, new ones are refused, and nobody waits for it to idle", async () => {
    const closing = await ownTestApi({ HODHOD_SHUTDOWN_SECONDS: "80" });
    const ownPort = await closing.listen();
    const socket = dial(ownPort);
    socket.write(post(sound).slice(0, -10));
    await new Promise((resolve) => closing.app.server.once("request", resolve));
    const begunAt = performance.now();
    const closed = closing.app.close();
    socket.write(post(sound).slice(-10));
    const { status, head } = await readAnswer(socket);
    expect([200, 503]).toContain(status);
    expect(head.toLowerCase()).toContain("connection: close");
    await closed;
    // Sooner than those are sent away who never finish a call.
    expect(performance.now() - begunAt).toBeLessThan(15_000);
    await expect(fetch(`http://127.0.0.1:${ownPort}/health/live`)).rejects.toThrow();
  });

  it("clients that never finish a call get a part of the time for shutting down, not all", async () => {
    const closing = await ownTestApi({ HODHOD_SHUTDOWN_SECONDS: "8" });
    const ownPort = await closing.listen();
    const connected = new Promise((resolve) => closing.app.server.once("connection", resolve));
    const gone = new Promise((resolve) => dial(ownPort).once("close", resolve));
    await connected;
    const begunAt = performance.now();
    await closing.app.close();
    await gone;
    expect(performance.now() - begunAt).toBeLessThan(7900);
  });
});
