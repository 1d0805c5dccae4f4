import { mkdtempSync, rmSync } from "node:fs";
import { connect, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startEmbeddedPostgres } from "../../src/postgres/embedded-postgres.ts";
import { Database } from "../../src/store/database.ts";
import { keys, openTestApi, type Answer, useTestApi } from "../support/test-api.ts";
import { prepareTemplate } from "../support/global-setup.ts";
import { readAnswer, speak } from "../support/raw-http.ts";

const api = useTestApi();
let port: number;

beforeAll(async () => {
  await api.app.listen({ host: "127.0.0.1", port: 0 });
  port = (api.app.server.address() as AddressInfo).port;
});

const sound = JSON.stringify({ senderNumber: "10001234", recipientNumber: "09121234567", content: "سلام" });
const soundQuery = `apiKey=${keys.demo}&senderNumber=10001234&recipientNumber=09121234567&content=hello`;

function post(body: string, { version = "1.1", extra = "" } = {}): string {
  return (
    `POST /messages/send HTTP/${version}\r\nHost: x\r\nX-Api-Key: ${keys.demo}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n${extra}\r\n${body}`
  );
}

const codeOf = (body: string) => (JSON.parse(body) as { errorCode: number }).errorCode;

describe("errors outside of the endpoints have the body of section 7", () => {
  it.each([
    ["GET", "/nothing", 404],
    ["GET", "/messages", 404],
    ["POST", "/messages/sendx", 404],
    ["GET", "/messages/send", 405],
    ["PUT", "/messages/send", 405],
    ["POST", "/account/balance", 405],
    ["DELETE", "/messages/status", 405],
    ["OPTIONS", "/messages/send", 405],
    ["POST", "/metrics", 405],
    ["GET", "/messages/send/scheduled/x", 405],
    ["GET", `/${"%25".repeat(300_000)}`, 404],
  ] as const)("%s %s is %i", async (method, url, status) => {
    const answer = await api.call(method, url);
    expect([answer.status, answer.body.errorCode]).toEqual([status, status]);
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(answer.headers["allow"] !== undefined).toBe(status === 405);
  });

  it("names the methods that a path takes", async () => {
    expect((await api.call("PUT", "/messages/status")).headers["allow"]).toBe("POST, GET");
  });

  it("speaks Persian there too", async () => {
    const { body } = await api.call("GET", "/nothing", { headers: { "accept-language": "fa" } });
    expect(body.errorMessage).toMatch(/[\u0600-\u06ff]/);
  });

  it("after a 415 the connection goes on", async () => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.write(post(sound, { extra: "Content-Encoding: gzip\r\n" }));
    const refused = await readAnswer(socket);
    expect(refused.status).toBe(415);
    expect(refused.head).not.toMatch(/connection: close/i);
    socket.write(post(sound));
    expect((await readAnswer(socket)).status).toBe(200);
    socket.destroy();
  });

  it("a call before malformed octets gets its own answer, then they get theirs, and the connection ends", async () => {
    const socket = connect({ port, host: "127.0.0.1" });
    let received = "";
    socket.on("data", (chunk: Buffer) => (received += chunk.toString()));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write(`${post(sound)}${post(sound)}stray octets\r\n\r\n`);
    await closed;
    expect([...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["200", "200", "400"]);
  });

  it("a call whose own body is malformed is answered 400", async () => {
    const head = `POST /messages/send HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${keys.demo}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect((await speak(port, head, "no length\r\n\r\n")).status).toBe(400);
  });

  it("XML is 1001 on a JSON method and 415 on a URL method", async () => {
    const xml = (url: string) =>
      api.call("POST", url, { key: keys.demo, payload: "<a/>", headers: { "content-type": "text/xml" } });
    expect((await xml("/messages/send")).body.errorCode).toBe(1001);
    expect((await xml("/api/v1/messages/send/url")).body.errorCode).toBe(415);
  });

  it("a packed body is 415", async () => {
    const headers = { "content-encoding": "gzip" };
    const answer = await api.call("POST", "/messages/send", { key: keys.demo, payload: "x", headers });
    expect([answer.status, answer.body.errorCode]).toEqual([415, 415]);
  });
});

describe("limits", () => {
  it("a body up to 1 MiB is read, one octet more is 413", async () => {
    const pad = (octets: number) => `{"x":"${"a".repeat(octets - 8)}"}`;
    const send = (payload: string) => api.call("POST", "/messages/send", { key: keys.demo, payload });
    expect((await send(pad(1 << 20))).body.errorCode).toBe(1001);
    const answer = await send(pad((1 << 20) + 1));
    expect([answer.status, answer.body.errorCode]).toEqual([413, 413]);
    expect(answer.body.errorMessage).toContain("The limit is 1 MiB for the body");
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

  it("chunked bodies have the same limit", async () => {
    const head = `POST /messages/send HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${keys.demo}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    expect(await speak(port, head, chunk.repeat(17), "0\r\n\r\n")).toMatchObject({ status: 413 });
    const small = await speak(port, head, `${Buffer.byteLength(sound).toString(16)}\r\n${sound}\r\n0\r\n\r\n`);
    expect(small.status).toBe(200);
  });

  it("a query up to 1 MiB works, a longer one is 413", async () => {
    const pad = (octets: number) => `${soundQuery}&x=${"a".repeat(octets - soundQuery.length - 3)}`;
    const url = (query: string) => `http://127.0.0.1:${port}/api/v1/messages/send/url?${query}`;
    expect((await fetch(url(pad(1 << 20)))).status).toBe(200);
    const long = await fetch(url(pad((1 << 20) + 1)));
    expect([long.status, codeOf(await long.text())]).toEqual([413, 413]);
  });

  it("a target that cannot be decoded is answered with the headers of every answer", async () => {
    const answer = await speak(port, "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n");
    expect([answer.status, codeOf(answer.body)]).toEqual([400, 400]);
    expect(answer.head).toContain("x-content-type-options: nosniff");
    expect(answer.head).toContain("cache-control: no-store");
  });

  it("carries out a request that expects what is unknown, and answers as any other", async () => {
    const answer = await speak(port, "GET /health/live HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\n\r\n");
    expect(answer).toMatchObject({ status: 200, body: '{"status":"ok"}' });
    expect(answer.head).toContain("x-content-type-options: nosniff");
  });

  it("HTTP/1.1 without a Host is 400 in the body of every error; HTTP/1.0 needs none", async () => {
    const bare = await speak(port, "GET /health/live HTTP/1.1\r\n\r\n");
    expect([bare.status, codeOf(bare.body)]).toEqual([400, 400]);
    expect(bare.head).toContain("x-content-type-options: nosniff");
    expect((await speak(port, "GET /health/live HTTP/1.0\r\n\r\n")).status).toBe(200);
  });

  it("headers beyond everything are 413", async () => {
    const answer = await speak(port, `GET /?${"a".repeat(3 << 20)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect([answer.status, codeOf(answer.body)]).toEqual([413, 413]);
  });

  it("1,000 callers that never finish their request keep nobody else waiting", async () => {
    const sockets: Socket[] = [];
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    await Promise.all(
      Array.from({ length: 1000 }, (_, index) => {
        const socket = connect({ port, host: "127.0.0.1" });
        sockets.push(socket);
        socket.on("error", () => undefined);
        const half = index % 2 === 0 ? "GET /health/live HT" : post(sound).slice(0, -5);
        return new Promise<void>((resolve) => socket.write(half, () => resolve()));
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
  });

  it("Expect: 100-continue", async () => {
    const [head = "", body = ""] = post(sound, { extra: "Expect: 100-continue\r\n" }).split(/(?<=\r\n\r\n)/);
    const socket = connect({ port, host: "127.0.0.1" });
    const interim = new Promise<string>((resolve) => socket.once("data", (data: Buffer) => resolve(data.toString())));
    socket.write(head);
    expect(await interim).toContain("100 Continue");
    socket.write(body);
    expect((await readAnswer(socket)).status).toBe(200);
    socket.destroy();
  });

  it("GET with a body", async () => {
    const request = `GET /api/v1/messages/send/url?${soundQuery} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
    expect((await speak(port, `${request}Content-Length: 2\r\n\r\n{}`)).status).toBe(200);
  });

  it("two requests one after another on one connection, the second after an error", async () => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.write("GET /nope HTTP/1.1\r\nHost: x\r\n\r\n");
    expect((await readAnswer(socket)).status).toBe(404);
    socket.write(post(sound));
    expect((await readAnswer(socket)).status).toBe(200);
    socket.destroy();
  });

  it("octets beyond ASCII in the path are no HTTP: 400", async () => {
    const answer = await speak(port, Buffer.from("GET /سلام HTTP/1.1\r\nHost: x\r\n\r\n"));
    expect([answer.status, codeOf(answer.body)]).toEqual([400, 400]);
  });

  it.each([
    ["rubbish", "hello\r\n\r\n"],
    ["a bad header", "GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n"],
    ["no host", "GET /health/live HTTP/1.1\r\n\r\n"],
    ["two lengths", "POST /messages/send HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx"],
    [
      "a length and chunks",
      "POST /messages/send HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
  ])("malformed HTTP is 400: %s", async (_, request) => {
    expect((await speak(port, request)).status).toBe(400);
  });

  it("a path that is no percent-encoded UTF-8 is 400", async () => {
    const answer = await speak(port, "GET /messages/status/%zz HTTP/1.1\r\nHost: x\r\n\r\n");
    expect([answer.status, codeOf(answer.body)]).toEqual([400, 400]);
  });
});

it("answers carry the security headers and no banner, and no other site may read them", async () => {
  const { headers } = await api.call("GET", "/account/balance", {
    key: keys.demo,
    headers: { origin: "https://elsewhere.example" },
  });
  expect(headers).toMatchObject({ "x-content-type-options": "nosniff", "cache-control": "no-store" });
  expect(Object.keys(headers).filter((name) => /^(server|x-powered-by|access-control-.*)$/.test(name))).toEqual([]);
});

describe("case 56: secrets in the URL", () => {
  it("reach no event", async () => {
    const events: unknown[] = [];
    const names = ["http.answered", "http.failed", "batch.accepted", "batch.refused"] as const;
    const offs = names.map((name) => api.telemetry.on(name, (event) => events.push(event)));
    await speak(port, `GET /api/v1/messages/send/url?${soundQuery} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await speak(port, `GET /nope?password=hidden&apiKey=${keys.demo} HTTP/1.1\r\nHost: x\r\n\r\n`);
    for (const off of offs) off();
    expect(events.length).toBeGreaterThanOrEqual(3);
    expect(JSON.stringify(events)).not.toMatch(/demo-key|hidden|hello|9121234567/);
    expect(events).toContainEqual(
      expect.objectContaining({ method: "GET", route: "/api/v1/messages/send/url", status: 200 }),
    );
    expect(events).toContainEqual(expect.objectContaining({ route: "unknown", status: 404 }));
  });
});

describe("500", () => {
  it("is a number made for that failure, in body and log line, and nothing of the cause", async () => {
    const broken = await openTestApi();
    onTestFinished(() => broken.close());
    await broken.db.query({ name: "break", text: "alter table account_balance rename to gone", values: [] });
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
  it("while the database is away, for reads and sends, and all is well when it is back", async () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), "hodhod-away-"));
    let postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: "off" } });
    await prepareTemplate(postgres.url);
    const db = Database.open({ url: postgres.url });
    const database = { db, url: postgres.url, drop: () => db.close() };
    const away = await openTestApi({}, { database });
    onTestFinished(async () => {
      await away.close();
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    });
    const send = () => away.call("POST", "/messages/send", { key: keys.demo, payload: sound });
    const read = () => away.call("GET", "/messages/received", { key: keys.demo });
    expect((await send()).status).toBe(200);
    await postgres.stop();
    for (const answer of [await send(), await read()]) {
      expect([answer.status, answer.body.errorCode]).toEqual([503, 503]);
      expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
    }
    postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: "off" } });
    expect((await send()).status).toBe(200);
    expect((await away.call("GET", "/account/balance", { key: keys.demo })).body.balance).toBe("99,997,220");
  });

  it("when more waits for its commit than may", async () => {
    const full = await openTestApi({ HODHOD_ACCEPT_QUEUE_LIMIT: "100" });
    onTestFinished(() => full.close());
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
    const rows = await full.db.query<{ count: bigint }>({
      name: "c",
      text: "select count(*) as count from message",
      values: [],
    });
    expect(Number(rows[0]?.count)).toBe(accepted.length * 100);
  });

  /** A service that listens, and a call to it that lacks its last ten octets. */
  async function beginCall(settings: Readonly<Record<string, string>> = {}) {
    const closing = await openTestApi(settings);
    await closing.app.listen({ host: "127.0.0.1", port: 0 });
    const { port: ownPort } = closing.app.server.address() as AddressInfo;
    const socket = connect({ port: ownPort, host: "127.0.0.1" });
    const request = post(sound);
    socket.write(request.slice(0, -10));
    await new Promise((resolve) => closing.app.server.once("request", resolve));
    return { closing, ownPort, socket, rest: request.slice(-10) };
  }

  it("while the server closes: calls under way are answered, new ones refused", async () => {
    const { closing, ownPort, socket, rest } = await beginCall();
    const closed = closing.close();
    socket.write(rest + post(sound));
    const first = await readAnswer(socket);
    expect([200, 503]).toContain(first.status);
    await closed;
    await expect(fetch(`http://127.0.0.1:${ownPort}/health/live`)).rejects.toThrow();
  });

  it("while the server closes: the answer to a call under way ends its connection, and nobody waits for it to idle", async () => {
    const { closing, socket, rest } = await beginCall({ HODHOD_SHUTDOWN_SECONDS: "80" });
    const begunAt = performance.now();
    const closed = closing.close();
    socket.write(rest);
    const { head } = await readAnswer(socket);
    expect(head.toLowerCase()).toContain("connection: close");
    await closed;
    // Sooner than those are sent away who never finish a call.
    expect(performance.now() - begunAt).toBeLessThan(15_000);
  });

  it("while the server closes: clients that never finish a call get a part of the time for shutting down, not all", async () => {
    const closing = await openTestApi({ HODHOD_SHUTDOWN_SECONDS: "8" });
    await closing.app.listen({ host: "127.0.0.1", port: 0 });
    const { port: ownPort } = closing.app.server.address() as AddressInfo;
    const connected = new Promise((resolve) => closing.app.server.once("connection", resolve));
    const socket = connect({ port: ownPort, host: "127.0.0.1" });
    socket.on("error", () => undefined);
    const gone = new Promise((resolve) => socket.once("close", resolve));
    await connected;
    const begunAt = performance.now();
    await closing.close();
    await gone;
    expect(performance.now() - begunAt).toBeLessThan(7900);
  });
});
