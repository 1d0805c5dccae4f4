// The TypeScript client against the real gateway.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ApiError,
  AuthenticationError,
  ConflictError,
  HodhodClient,
  HodhodError,
  isFinal,
  PermissionDeniedError,
  RateLimitError,
  ValidationError,
  WaitTimeoutError,
  type ClientOptions,
} from "../../clients/typescript/src/index.ts";
import { keys, recipientOf, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { credentials } from "../support/gateway-setup.ts";
import { thrownBy } from "../support/thrown-by.ts";

async function allOf<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe("with a gateway", () => {
  let gateway: TestGateway;
  let client: HodhodClient;
  const message = { senderNumber: "10001234", recipientNumber: recipientOf("7101"), content: "سلام" };

  const clientWith = (options: Partial<ClientOptions>): HodhodClient =>
    new HodhodClient({ baseUrl: gateway.url, apiKey: keys.demo, ...options });

  beforeAll(async () => {
    gateway = await startTestGateway({ environment: { HODHOD_WEBHOOK_ALLOW: "127.0.0.0/8" } });
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

  it("waits without end where it shall", async () => {
    const ever = { waitMs: Infinity, timeoutMs: 30 * 86_400_000 };
    const { batchId } = await client.send(message, { timeoutMs: Infinity });
    expect((await client.waitForFinal(batchId, { ...ever, pollMs: 20 })).every(isFinal)).toBe(true);
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
    expect(await allOf(client.attempts(endpointId))).toEqual([]);
    expect(await thrownBy(client.replay(endpointId, { from: 0, to: 1 }))).toBeInstanceOf(ValidationError);
    await client.changeEndpoint(endpointId, { enabled: true });
    expect(await client.replay(endpointId, { from: 0, to: 1 })).toBe(0);
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
    expect(await allOf(client.optOuts({ line: "10001234", number }))).toEqual([entry]);
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
