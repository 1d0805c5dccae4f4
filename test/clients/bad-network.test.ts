// The TypeScript client against a server that answers as a bad network does: which calls are made
// again, and which are not.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import {
  ConflictError,
  ConnectionError,
  HodhodClient,
  ServerError,
  TimeoutError,
  UnexpectedAnswerError,
} from "../../clients/typescript/src/index.ts";
import { thrownBy } from "../support/thrown-by.ts";

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

  it("repeats what did not arrive in time, because nothing of it was done", async () => {
    const sending = await startServer(refusal(408), done);
    expect(await sending.send(message)).toEqual({ batchId: "b", message: {} });
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
    server?.close();
    const canceling = await startServer(refusal(408), json(200, { batchId: "b", canceledCount: 1 }));
    expect(await canceling.cancelScheduled("b")).toEqual({ batchId: "b", canceledCount: 1 });
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

  interface Case {
    readonly name: string;
    readonly call: (client: HodhodClient) => Promise<unknown>;
  }
  const endpoint = { name: "shop", url: "https://shop.example/hook", events: ["*"] };
  const firstOf = async (items: AsyncIterable<unknown>): Promise<unknown> => {
    for await (const item of items) return item;
    return undefined;
  };

  it.each<Case>([
    { name: "createEndpoint", call: (client) => client.createEndpoint(endpoint) },
    { name: "changeEndpoint", call: (client) => client.changeEndpoint("e", { enabled: true }) },
    { name: "deleteEndpoint", call: (client) => client.deleteEndpoint("e") },
    { name: "renewEndpointSecret", call: (client) => client.renewEndpointSecret("e") },
    { name: "testEndpoint", call: (client) => client.testEndpoint("e") },
    { name: "replay", call: (client) => client.replay("e", { from: 0, to: 1 }) },
  ])("repeats $name only where nothing was done", async ({ call }) => {
    const lost = await startServer(reset);
    expect(await thrownBy(call(lost))).toBeInstanceOf(ConnectionError);
    expect(seen).toHaveLength(1);
    server?.close();
    const busy = await startServer(refusal(503), json(200, { secret: "whsec_x", replayedCount: 1 }));
    await call(busy);
    expect(seen.map(({ key }) => key)).toEqual([undefined, undefined]);
  });

  it.each<Case>([
    { name: "endpoints", call: (client) => client.endpoints() },
    { name: "endpoint", call: (client) => client.endpoint("e") },
    { name: "attempts", call: (client) => firstOf(client.attempts("e")) },
    { name: "events", call: (client) => firstOf(client.events()) },
    { name: "optOuts", call: (client) => firstOf(client.optOuts()) },
    { name: "putOptOut", call: (client) => client.putOptOut("10001234", "09121234567") },
    { name: "removeOptOut", call: (client) => client.removeOptOut("10001234", "09121234567") },
  ])("repeats $name until it is answered", async ({ call }) => {
    const lists = { endpoints: [], attempts: [{}], events: [{}], optOuts: [{}], nextCursor: "c" };
    await call(await startServer(reset, json(200, lists)));
    expect(seen).toHaveLength(2);
  });

  it("writes what a path and a query name so that they cannot be another call", async () => {
    const lists = { attempts: [{}], events: [{}], optOuts: [{}], nextCursor: "c" };
    const client = await startServer(json(200, lists));
    await client.putOptOut("1000/../x", "+98912");
    await firstOf(client.attempts("a/b?c", { after: "d&e", count: 2 }));
    await firstOf(client.optOuts({ line: "10001234", number: "+98912", after: "f" }));
    await firstOf(client.events({ types: ["message.sent", "credit.low"] }));
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "PUT /sms/opt-outs/1000%2F..%2Fx/%2B98912",
      "GET /sms/webhooks/endpoints/a%2Fb%3Fc/attempts?after=d%26e&count=2",
      "GET /sms/opt-outs?line=10001234&number=%2B98912&after=f",
      "GET /sms/webhooks/events?type=message.sent&type=credit.low",
    ]);
  });

  it("throws a conflict, at once, while a replay is under way", async () => {
    const client = await startServer(refusal(409, 1209));
    const error = await thrownBy(client.replay("e", { eventIds: ["01a1fa75-6310-7000-bbee-9570117c4f6c"] }));
    expect(error).toBeInstanceOf(ConflictError);
    expect(error).toMatchObject({ status: 409, errorCode: 1209 });
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
