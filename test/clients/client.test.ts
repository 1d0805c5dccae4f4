// The TypeScript client against the real gateway, and against a server that answers as a bad
// network does.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  HodhodClient,
  HodhodError,
  isFinal,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnexpectedAnswerError,
  ValidationError,
  WaitTimeoutError,
  type ClientOptions,
} from "../../clients/typescript/src/index.ts";
import { keys, recipientOf, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { credentials } from "../support/gateway-setup.ts";

/** What it throws; fails when it does not. */
async function thrownBy(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`no error but ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
}

describe("with a gateway", () => {
  let gateway: TestGateway;
  let client: HodhodClient;
  const message = { senderNumber: "10001234", recipientNumber: recipientOf("7101"), content: "سلام" };

  const clientWith = (options: Partial<ClientOptions>): HodhodClient =>
    new HodhodClient({ baseUrl: gateway.url, apiKey: keys.demo, ...options });

  beforeAll(async () => {
    gateway = await startTestGateway();
    client = clientWith({});
  });
  afterAll(() => gateway.stop());

  it("sends, and waits until the message is delivered", async () => {
    const sent = await client.send(message);
    expect(sent.message).toMatchObject({ content: "سلام", operator: "MCI", parts: "1", messageStatus: 0 });
    const messages = await client.waitForFinal(sent.batchId, { pollMs: 20 });
    expect(messages.map(({ sentMessageId, messageStatus }) => [sentMessageId, messageStatus])).toEqual([
      [sent.message.sentMessageId, 2],
    ]);
    expect(messages.every(isFinal)).toBe(true);
    expect(await client.statusOf([sent.message.sentMessageId])).toEqual(messages);
  });

  it("sends a template and several messages, previews, and tells the balance", async () => {
    const parameters = [{ name: "code", value: "4711" }];
    const code = await client.sendTemplate({
      templateId: "OwnLineTpl",
      recipientNumber: recipientOf("7102"),
      parameters,
    });
    expect(code.message.content).toBe("کد شما: 4711");
    const lists = { senderNumbers: ["10001234"], recipientNumbers: [recipientOf("7103"), "12"], contents: ["سلام"] };
    const bulk = await client.sendBulk(lists);
    expect(bulk.messages.map((one) => ("errorCode" in one ? one.errorCode : one.messageStatus))).toEqual([0, 1001]);
    const before = await client.balance();
    expect(await client.preview(message)).toMatchObject({ message: { cost: "1,390", encoding: "ucs2" } });
    expect(await client.balance()).toEqual(before);
  });

  it("sends once what is sent again under a key", async () => {
    const idempotencyKey = "order-1044-paid";
    const first = await client.send(message, { idempotencyKey });
    expect(await client.send(message, { idempotencyKey })).toEqual(first);
    const error = await thrownBy(client.send({ ...message, content: "another" }, { idempotencyKey }));
    expect(error).toBeInstanceOf(ConflictError);
    expect(error).toMatchObject({ status: 422, errorCode: 1206, idempotencyKey });
  });

  it("cancels a scheduled batch", async () => {
    const sendTimestamp = Math.floor(Date.now() / 1000) + 3600;
    const { batchId } = await client.send({ ...message, sendTimestamp });
    expect(await client.cancelScheduled(batchId)).toEqual({ batchId, canceledCount: 1 });
    const [canceled] = await client.waitForFinal(batchId);
    expect(canceled).toMatchObject({ messageStatus: 4, errorCode: 1305 });
  });

  it("gives up waiting after the time it was given", async () => {
    const sendTimestamp = Math.floor(Date.now() / 1000) + 3600;
    const { batchId } = await client.send({ ...message, sendTimestamp });
    const error = await thrownBy(client.waitForFinal(batchId, { waitMs: 200, pollMs: 20 }));
    expect(error).toBeInstanceOf(WaitTimeoutError);
    const leaving = new AbortController();
    const waiting = thrownBy(client.waitForFinal(batchId, { pollMs: 20, signal: leaving.signal }));
    const reason = new Error("the program ends");
    leaving.abort(reason);
    expect(await waiting).toBe(reason);
  });

  it("reads what subscribers sent, page by page, and goes on where it was", async () => {
    // The simulated operator answers such a number with a message.
    const numbers = [1, 2, 3].map((variant) => recipientOf("0050", variant));
    for (const recipientNumber of numbers) await client.send({ ...message, recipientNumber });
    await gateway.until("three messages", async () =>
      (await client.recentReceived({ count: 100 })).length >= 3 ? true : undefined,
    );
    const reading = client.received({ count: 2 });
    const seen: string[] = [];
    for await (const { receivedMessageId } of reading) {
      seen.push(receivedMessageId);
      if (seen.length === 3) break;
    }
    expect(new Set(seen).size).toBe(3);
    // The third was not finished, so its page comes again.
    const rest: string[] = [];
    for await (const { receivedMessageId } of client.received({ after: reading.cursor })) rest.push(receivedMessageId);
    expect(rest).toEqual(seen.slice(2));
    const { nextCursor } = await client.receivedPage(reading.cursor);
    expect((await client.receivedPage(nextCursor)).messages).toEqual([]);
  });

  it("follows what comes in until it is told to stop", async () => {
    const reading = client.received({ pollMs: 10 });
    const found = (async () => {
      for await (const one of reading) if (one.senderNumber === "989120090050") return one.recipientNumber;
      return undefined;
    })();
    await client.send({ ...message, recipientNumber: recipientOf("0050", 9) });
    expect(await found).toBe("10001234");
    const { nextCursor } = await client.receivedPage(reading.cursor);
    const leave = new AbortController();
    const idle = client.received({ after: nextCursor, pollMs: 60_000, signal: leave.signal });
    const waiting = thrownBy(idle[Symbol.asyncIterator]().next());
    const reason = new Error("the program ends");
    leave.abort(reason);
    expect(await waiting).toBe(reason);
  });

  it("keeps endpoints, tests them, and tells what was tried", async () => {
    const url = "https://198.51.100.7/hook";
    const refused = await thrownBy(client.createEndpoint({ name: "shop", url, events: ["*"] }));
    expect(refused).toBeInstanceOf(ValidationError);
    const shop = { name: "shop", url: "https://shop.example/hook", events: ["message.*"], enabled: false };
    const { secret, ...made } = await client.createEndpoint(shop);
    expect(secret).toMatch(/^whsec_/);
    const { endpointId } = made;
    expect(await client.endpoints()).toEqual([made]);
    expect(await client.changeEndpoint(endpointId, { batchSize: 10 })).toEqual({ ...made, batchSize: 10 });
    expect(await client.endpoint(endpointId)).toEqual({ ...made, batchSize: 10 });
    const renewed = await client.renewEndpointSecret(endpointId);
    expect(renewed).toMatch(/^whsec_/);
    expect(renewed).not.toBe(secret);
    expect(await client.testEndpoint(endpointId)).toMatchObject({ delivered: false });
    const attempts: unknown[] = [];
    for await (const attempt of client.attempts(endpointId)) attempts.push(attempt);
    expect(attempts).toEqual([]);
    expect(await thrownBy(client.replay(endpointId, { from: 0, to: 1 }))).toBeInstanceOf(ValidationError);
    expect(await client.deleteEndpoint(endpointId)).toEqual({ endpointId, deleted: true });
    expect(await client.endpoints()).toEqual([]);
  });

  it("reads the events of the account", async () => {
    await client.eventsPage();
    const { message: sent } = await client.send({ ...message, recipientNumber: recipientOf("7109") });
    for await (const event of client.events({ types: ["message.delivered"], pollMs: 10 })) {
      if (event.type !== "message.delivered" || event.data.sentMessageId !== sent.sentMessageId) continue;
      expect(event.data).toMatchObject({ content: "سلام", messageStatus: 2 });
      break;
    }
  });

  it("puts numbers on the list of a line, and takes them off", async () => {
    const number = recipientOf("7110");
    const entry = await client.putOptOut("10001234", number);
    expect(entry).toMatchObject({ lineNumber: "10001234", how: "api" });
    const found: unknown[] = [];
    for await (const one of client.optOuts({ line: "10001234", number })) found.push(one);
    expect(found).toEqual([entry]);
    expect(await thrownBy(client.send({ ...message, recipientNumber: number }))).toMatchObject({ errorCode: 1202 });
    expect(await client.removeOptOut("10001234", number)).toMatchObject({ removed: true });
    expect(await client.removeOptOut("10001234", number)).toMatchObject({ removed: false });
  });

  it("throws the class that fits", async () => {
    const wrong = await thrownBy(client.send({ ...message, recipientNumber: "12", content: " " }));
    expect(wrong).toBeInstanceOf(ValidationError);
    expect((wrong as ValidationError).validationErrors.map(({ field }) => field)).toEqual([
      "recipientNumber",
      "content",
    ]);
    expect(await thrownBy(clientWith({ apiKey: "wrong-key" }).balance())).toBeInstanceOf(AuthenticationError);
    expect(await thrownBy(clientWith({ apiKey: keys.statusOnly }).send(message))).toBeInstanceOf(PermissionDeniedError);
    const lists = { senderNumbers: ["10001234"], recipientNumbers: ["09129999999"], contents: ["سلام"] };
    const refused = await thrownBy(client.sendBulk(lists));
    expect([refused instanceof ApiError, refused instanceof HodhodError]).toEqual([true, true]);
    expect(refused).toMatchObject({ errorCode: 1003, messages: [{ errorCode: 1202 }] });
    const persian = await thrownBy(clientWith({ language: "fa" }).status("01a1fa75-6310-77a7-aff0-f75f8b020554"));
    expect((persian as ApiError).message).toMatch(/^1106: .*[\u0600-\u06ff]/);
  });

  it("waits as Retry-After says where calls come too fast", async () => {
    const slow = clientWith({ apiKey: keys.slow });
    const balances = await Promise.all([1, 2, 3].map(() => slow.balance({ maxRetries: 20 })));
    expect(balances.map(({ currency }) => currency)).toEqual(["IRR", "IRR", "IRR"]);
    const impatient = clientWith({ apiKey: keys.slow, maxRetryAfterMs: 0 });
    const calls = await Promise.allSettled([1, 2, 3, 4].map(() => impatient.balance()));
    const refused = calls.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
    expect(refused.length).toBeGreaterThan(0);
    for (const error of refused) expect(error).toBeInstanceOf(RateLimitError);
    expect((refused[0] as RateLimitError).retryAfterSeconds).toBeGreaterThan(0);
  });

  it("fetches one token for all calls, and another when that one is refused", async () => {
    const { username: userName, password, domain } = credentials;
    const asked: string[] = [];
    let isRefused = false;
    const byToken = new HodhodClient({
      baseUrl: gateway.url,
      credentials: { userName, password, domain },
      fetch: async (url, init) => {
        asked.push(new URL(url).pathname);
        if (isRefused && !url.endsWith("/token")) {
          isRefused = false;
          return fetch(url, { ...init, headers: { authorization: "Bearer of-yesterday" } });
        }
        return fetch(url, init);
      },
    });
    await Promise.all([byToken.balance(), byToken.balance(), byToken.balance()]);
    expect(asked.filter((path) => path === "/auth/token")).toHaveLength(1);
    isRefused = true;
    expect(await byToken.balance()).toEqual(await client.balance());
    expect(asked.filter((path) => path === "/auth/token")).toHaveLength(2);
    const wrong = new HodhodClient({ baseUrl: gateway.url, credentials: { userName, password: "no", domain } });
    expect(await thrownBy(wrong.balance())).toBeInstanceOf(AuthenticationError);
  });
});

describe("with a bad network", () => {
  interface Seen {
    readonly method: string;
    readonly url: string;
    readonly key: string | undefined;
    readonly body: string;
  }
  let server: Server | undefined;
  let seen: Seen[] = [];

  /** Answers the calls in turn; the last answer serves all that follow. */
  async function startServer(
    ...answers: ((response: ServerResponse, request: IncomingMessage) => void)[]
  ): Promise<HodhodClient> {
    seen = [];
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const key = request.headers["idempotency-key"];
        seen.push({
          method: request.method ?? "",
          url: request.url ?? "",
          key: typeof key === "string" ? key : undefined,
          body: Buffer.concat(chunks).toString(),
        });
        const answer = answers[Math.min(seen.length, answers.length) - 1];
        answer?.(response, request);
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return new HodhodClient({ baseUrl: `http://127.0.0.1:${port}/sms/`, apiKey: "k", timeoutMs: 5000 });
  }
  afterEach(async () => {
    const stopping = server;
    server = undefined;
    if (stopping === undefined) return;
    stopping.closeAllConnections();
    stopping.close();
    await once(stopping, "close");
  });

  const json =
    (status: number, body: object, headers: Record<string, string> = {}) =>
    (response: ServerResponse): void => {
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
    };
  const refusal = (status: number, errorCode = status): ((response: ServerResponse) => void) =>
    json(status, { errorCode, errorMessage: "no" }, { "retry-after": "0" });
  const reset = (response: ServerResponse): void => {
    response.socket?.destroy();
  };
  const silence = (): void => undefined;
  const done = json(200, { batchId: "b", message: {} });
  const message = { senderNumber: "10001234", recipientNumber: "09121234567", content: "سلام" };

  it("repeats a send under one key, with the same body, until it is answered", async () => {
    const html = (response: ServerResponse): void => {
      response.writeHead(502).end("<h1>Bad gateway</h1>");
    };
    const client = await startServer(reset, refusal(503), html, refusal(409, 1205), done);
    expect(await client.send(message)).toEqual({ batchId: "b", message: {} });
    expect(seen.map(({ url }) => url)).toEqual(Array.from({ length: 5 }, () => "/sms/messages/send"));
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
    expect(seen[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(seen.map(({ body }) => body)).size).toBe(1);
    await client.send(message);
    expect(seen.at(-1)?.key).not.toBe(seen[0]?.key);
  });

  it("tells the key of a send whose outcome is not known", async () => {
    const client = await startServer(reset);
    const error = await thrownBy(client.send(message, { maxRetries: 1 }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(seen).toHaveLength(2);
    expect((error as ConnectionError).idempotencyKey).toBe(seen[0]?.key);
  });

  it("does not repeat what was refused for good", async () => {
    for (const [status, code] of [
      [400, 1001],
      [401, 401],
      [403, 1005],
      [409, 1209],
      [422, 1206],
      [404, 404],
    ] as const) {
      const client = await startServer(refusal(status, code));
      expect(await thrownBy(client.send(message))).toMatchObject({ status, errorCode: code });
      expect(seen).toHaveLength(1);
      server?.closeAllConnections();
      server?.close();
    }
  });

  it("repeats a cancellation only where nothing was done", async () => {
    const lost = await startServer(reset);
    expect(await thrownBy(lost.cancelScheduled("a/b"))).toBeInstanceOf(ConnectionError);
    expect(seen.map(({ url }) => url)).toEqual(["/sms/messages/send/scheduled/a%2Fb"]);
    server?.close();
    const busy = await startServer(refusal(503), json(200, { batchId: "b", canceledCount: 1 }));
    expect(await busy.cancelScheduled("b")).toEqual({ batchId: "b", canceledCount: 1 });
    server?.close();
    const broken = await startServer(refusal(500, 1_234_567_890));
    expect(await thrownBy(broken.cancelScheduled("b"))).toBeInstanceOf(ServerError);
    expect(seen).toHaveLength(1);
  });

  it("waits as long as Retry-After says, in seconds or as a date", async () => {
    const soon = new Date(Date.now() + 1000).toUTCString();
    const client = await startServer(
      json(429, { errorCode: 429, errorMessage: "no" }, { "retry-after": "1" }),
      json(503, { errorCode: 503, errorMessage: "no" }, { "retry-after": soon }),
      json(429, { errorCode: 429, errorMessage: "no" }, { "retry-after": "3600" }),
    );
    const startedAt = performance.now();
    const error = await thrownBy(client.balance());
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(990);
    expect(error).toMatchObject({ errorCode: 429, retryAfterSeconds: 3600 });
    expect(seen).toHaveLength(3);
  });

  it("ends a try that hangs, also in the middle of its answer", async () => {
    const half = (response: ServerResponse): void => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"balance":');
    };
    const client = await startServer(silence, half, json(200, { balance: "1", currency: "IRR" }));
    expect(await client.balance({ timeoutMs: 300 })).toEqual({ balance: "1", currency: "IRR" });
    const hanging = await startServer(silence);
    expect(await thrownBy(hanging.balance({ timeoutMs: 100, maxRetries: 0 }))).toBeInstanceOf(TimeoutError);
  });

  it("stops at the abort of its signal, during a try and between tries", async () => {
    const reason = new Error("enough");
    const leaving = new AbortController();
    const client = await startServer((response) => {
      leaving.abort(reason);
      response.on("close", () => undefined);
    });
    expect(await thrownBy(client.send(message, { signal: leaving.signal }))).toBe(reason);
    expect(await thrownBy(client.send(message, { signal: leaving.signal }))).toBe(reason);
    const between = new AbortController();
    const busy = await startServer((response) => {
      json(429, { errorCode: 429, errorMessage: "no" }, { "retry-after": "50" })(response);
      setImmediate(() => between.abort(reason));
    });
    expect(await thrownBy(busy.send(message, { signal: between.signal }))).toBe(reason);
  });

  it("says where no gateway answered, and follows no redirect with the key", async () => {
    const moved = (response: ServerResponse): void => {
      response.writeHead(302, { location: "/elsewhere" }).end();
    };
    const page = (response: ServerResponse): void => {
      response.writeHead(200, { "content-type": "text/html" }).end("<h1>It works!</h1>");
    };
    for (const answer of [moved, page]) {
      const client = await startServer(answer);
      expect(await thrownBy(client.balance())).toBeInstanceOf(UnexpectedAnswerError);
      expect(seen).toHaveLength(1);
      server?.closeAllConnections();
      server?.close();
    }
  });

  it("refuses options that cannot work", () => {
    const baseUrl = "http://127.0.0.1:1";
    expect(() => new HodhodClient({ baseUrl })).toThrow("apiKey or credentials");
    expect(() => new HodhodClient({ baseUrl, apiKey: "" })).toThrow("apiKey or credentials");
    expect(() => new HodhodClient({ baseUrl: "ftp://h", apiKey: "k" })).toThrow("https://");
    expect(() => new HodhodClient({ baseUrl: "http://u:p@h", apiKey: "k" })).toThrow("user name");
  });

  it("fails at once where a key cannot be a header", async () => {
    const client = await startServer(done);
    expect(await thrownBy(client.send(message, { idempotencyKey: "سفارش" }))).toBeInstanceOf(TypeError);
    expect(seen).toHaveLength(0);
  });
});
