import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { PostingThread, type PostingThreadOptions, type ThreadPatience } from "../../src/webhooks/posting-thread.ts";
import { type EventPoster, RequestPoster } from "../../src/webhooks/request-poster.ts";
import { AddressRules } from "../../src/webhooks/address-rules.ts";
import { receiverSecret, startReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";

/** Of tests that hang when what they look at is broken. */
const soon = { timeout: 30_000 };

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function receive(): Promise<WebhookReceiver> {
  const receiver = await startReceiver();
  closers.push(() => receiver.close());
  return receiver;
}

/** What the thread's user tells the operator. */
interface Told {
  failed: unknown[];
  worked: number;
}

function thread(
  options: Partial<PostingThreadOptions> = {},
  patience?: Partial<ThreadPatience>,
): { poster: PostingThread; told: Told } {
  const told: Told = { failed: [], worked: 0 };
  const latch = { failed: (error: unknown) => void told.failed.push(error), worked: () => void (told.worked += 1) };
  const poster = new PostingThread({ allow: ["127.0.0.0/8"], version: "9.9.9", ...options }, latch, patience);
  closers.push(() => poster.close());
  return { poster, told };
}

const idOf = (number: number): string => `21a1fa75-8000-8000-8000-${String(number).padStart(12, "0")}`;
const bodyOf = (number: number): string =>
  JSON.stringify({ type: "message.sent", data: { number, text: "سلام ".repeat(number) } });

describe("requests of the thread", () => {
  it("come as they were given, each with its own body and signature, however many go together", async () => {
    const receiver = await receive();
    const { poster, told } = thread();
    const count = 40;
    const outcomes = await Promise.all(
      Array.from({ length: count }, (_, number) => {
        // Octets that share their memory with others, and texts.
        const body = number % 2 === 0 ? bodyOf(number) : Buffer.from(bodyOf(number));
        return poster.post({ url: receiver.url, id: idOf(number), body, secrets: [receiverSecret] });
      }),
    );
    expect(outcomes.map((outcome) => [outcome?.httpStatus, outcome?.failure])).toEqual(
      outcomes.map(() => [204, undefined]),
    );
    const came = new Map(receiver.requests.map(({ headers, body }) => [headers["webhook-id"], body]));
    expect(came).toEqual(new Map(outcomes.map((_, number) => [idOf(number), bodyOf(number)])));
    expect(told.failed).toEqual([]);
    expect(told.worked).toBeGreaterThan(0);
  });

  it("have the outcomes of those that are sent without one", async () => {
    const receiver = await receive();
    const statuses = [410, 503, 302];
    receiver.answer = ({ headers }) => statuses[Number(headers["webhook-id"]?.slice(-1))];
    const apart = new RequestPoster({ rules: new AddressRules(["127.0.0.0/8"]), version: "9.9.9" });
    closers.push(() => apart.close());
    const { poster } = thread();
    const given = [
      ...statuses.map((_, number) => ({ url: receiver.url, id: idOf(number) })),
      ...["http://10.0.0.1/", "http://127.0.0.1:1/"].map((url) => ({ url, id: idOf(9) })),
    ];
    const post = async (by: EventPoster) => {
      const outcomes = await Promise.all(
        given.map((each) => by.post({ ...each, body: "{}", secrets: [receiverSecret] })),
      );
      for (const outcome of outcomes) expect(outcome?.startedAt).toBeInstanceOf(Date);
      return outcomes.map((outcome) => [outcome?.httpStatus, outcome?.failure, outcome?.retryAfterMs]);
    };
    expect(await post(poster)).toEqual(await post(apart));
  });

  it("that last long keep none of the others' octets in memory", async () => {
    // To verify so much takes the receiver minutes.
    const server = createServer((incoming, response) => {
      if (incoming.url === "/hang") return;
      incoming.resume().on("end", () => response.writeHead(204).end());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closers.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { poster } = thread({ timeoutMs: 600_000 });
    const large = { url: `${url}/quick`, id: idOf(1), body: Buffer.alloc(256 << 10, "x"), secrets: [receiverSecret] };
    await poster.post(large);
    const before = process.memoryUsage().rss;
    for (let round = 0; round < 300; round += 1) {
      void poster.post({ url: `${url}/hang`, id: idOf(2), body: "{}", secrets: [receiverSecret] });
      await Promise.all([1, 2, 3, 4].map(() => poster.post(large)));
    }
    // 300 MiB went through. What is gone is collected from time to time: up to 104 MiB were there.
    expect(process.memoryUsage().rss - before).toBeLessThan(200 << 20);
  });

  it("end with its time", async () => {
    const receiver = await receive();
    receiver.answer = () => new Promise(() => undefined);
    const { poster } = thread({ timeoutMs: 50 });
    const outcome = await poster.post({ url: receiver.url, id: idOf(1), body: "{}", secrets: [receiverSecret] });
    expect(outcome?.failure).toBe("timeout");
  });
});

describe("a thread that cannot begin", () => {
  it("tells nothing of the endpoint, is told of itself, and is begun anew after a pause", async () => {
    // Nothing that the gateway gives it.
    const { poster, told } = thread({ allow: ["no address"] }, { beginAgainAfterMs: 10 });
    for (const turn of [1, 2]) {
      const outcome = await poster.post({ url: "http://127.0.0.1:1/", id: idOf(turn), body: "{}", secrets: [] });
      expect(outcome).toBeUndefined();
      expect(told.failed).toHaveLength(turn);
    }
    expect(told.worked).toBe(0);
  });

  it("lets what is asked for meanwhile wait, and sends it then", async () => {
    const receiver = await receive();
    const allow = ["no address"];
    const { poster, told } = thread({ allow }, { beginAgainAfterMs: 300 });
    const request = { url: receiver.url, id: idOf(1), body: "{}", secrets: [receiverSecret] };
    expect(await poster.post(request)).toBeUndefined();
    const lostAt = performance.now();
    const waiting = [1, 2, 3].map((number) => poster.post({ ...request, id: idOf(number) }));
    // The defect is mended.
    allow[0] = "127.0.0.0/8";
    expect((await Promise.all(waiting)).map((outcome) => outcome?.httpStatus)).toEqual([204, 204, 204]);
    expect(performance.now() - lostAt).toBeGreaterThan(250);
    expect(told.failed).toHaveLength(1);
    expect(receiver.requests).toHaveLength(3);
  });

  it("sends what is asked for in the turn in which it ends, once", async () => {
    const receiver = await receive();
    const allow = ["no address"];
    const request = { url: receiver.url, id: idOf(1), body: "{}", secrets: [receiverSecret] };
    const asked: ReturnType<EventPoster["post"]>[] = [];
    const failed = (): void => {
      allow[0] = "127.0.0.0/8";
      asked.push(poster.post({ ...request, id: idOf(2) }));
    };
    const latch = { failed, worked: () => undefined };
    const poster = new PostingThread({ allow, version: "1" }, latch, { beginAgainAfterMs: 10 });
    onTestFinished(() => poster.close());
    expect(await poster.post(request)).toBeUndefined();
    expect((await Promise.all(asked)).map((outcome) => outcome?.httpStatus)).toEqual([204]);
    expect(receiver.requests.map(({ headers }) => headers["webhook-id"])).toEqual([idOf(2)]);
  });

  it("ends what waits for the next one when it is closed, and what is asked for later", soon, async () => {
    const { poster } = thread({ allow: ["no address"] }, { beginAgainAfterMs: 60_000 });
    const request = { url: "http://127.0.0.1:1/", id: idOf(1), body: "{}", secrets: [] };
    expect(await poster.post(request)).toBeUndefined();
    const waiting = poster.post({ ...request, id: idOf(2) });
    await poster.close();
    expect(await waiting).toBeUndefined();
    expect(await poster.post({ ...request, id: idOf(3) })).toBeUndefined();
  });
});

describe("a thread that hangs", () => {
  it("is ended, and tells nothing of the endpoints of its requests", async () => {
    const receiver = await receive();
    receiver.answer = () => (receiver.requests.length === 1 ? new Promise(() => undefined) : undefined);
    // The thread's own clock is as if it stood still: it never ends the request.
    const { poster, told } = thread({ timeoutMs: 600_000 }, { lateAfterMs: 50, lookEveryMs: 20 });
    const request = { url: receiver.url, id: idOf(1), body: "{}", secrets: [receiverSecret] };
    expect(await poster.post(request)).toBeUndefined();
    expect(told.failed).toHaveLength(1);
  });

  it("is none that is idle, or answers in time", async () => {
    const receiver = await receive();
    const { poster, told } = thread({}, { lateAfterMs: 30_000, lookEveryMs: 1 });
    for (const turn of [1, 2, 3]) {
      const request = { url: receiver.url, id: idOf(turn), body: "{}", secrets: [receiverSecret] };
      expect(await poster.post(request)).toMatchObject({ httpStatus: 204 });
    }
    expect(told.failed).toEqual([]);
  });
});

describe("a thread that is closed", () => {
  it("cuts what is under way, and takes nothing more", soon, async () => {
    const receiver = await receive();
    receiver.answer = () => new Promise(() => undefined);
    const { poster, told } = thread();
    const request = { url: receiver.url, id: idOf(1), body: "{}", secrets: [receiverSecret] };
    const underWay = poster.post(request);
    await receiver.asked(1);
    await poster.close();
    expect(await underWay).toBeUndefined();
    expect(await poster.post(request)).toBeUndefined();
    expect(receiver.requests).toHaveLength(1);
    // It was ended, which is no failure.
    expect(told.failed).toEqual([]);
  });
});
