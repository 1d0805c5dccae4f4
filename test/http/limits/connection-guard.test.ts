import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import fc from "fast-check";
import { afterAll, afterEach, describe, expect, it, onTestFinished } from "vitest";
import type { HeldByCallers } from "../../../src/platform/telemetry.ts";
import { readAnswer } from "../../support/raw-http.ts";
import { keys, openTestApi, type TestApi, type TestApiOptions } from "../../support/test-api.ts";

interface OpenServer {
  readonly api: TestApi;
  readonly port: number;
}

let own: TestApi | undefined;
const sockets: Socket[] = [];
/** For the tests that need no limits of their own. Each leaves no connection behind. */
let shared: OpenServer | undefined;
/** Connections of the shared server. */
const connectionsOfShared = new Set<Socket>();

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await own?.close();
  own = undefined;
  await Promise.all([...connectionsOfShared].map(gone));
});

afterAll(() => shared?.api.close());

async function open(options: TestApiOptions = {}, environment: Record<string, string> = {}): Promise<OpenServer> {
  own = await openTestApi(environment, options);
  return listen(own);
}

async function openShared(): Promise<OpenServer> {
  if (shared !== undefined) return shared;
  const api = await openTestApi();
  api.app.server.on("connection", (socket: Socket) => {
    connectionsOfShared.add(socket);
    socket.once("close", () => connectionsOfShared.delete(socket));
  });
  return (shared = await listen(api));
}

async function listen(api: TestApi): Promise<OpenServer> {
  await api.app.listen({ host: "127.0.0.1", port: 0 });
  return { api, port: (api.app.server.address() as AddressInfo).port };
}

async function dial(port: number, localAddress = "127.0.0.1", allowHalfOpen = false): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", localAddress, allowHalfOpen });
  sockets.push(socket);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** A caller of good will, from an address of its own. */
function balance(port: number, path = "/account/balance"): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const call = httpRequest(
      { port, host: "127.0.0.1", localAddress: "127.0.0.99", path, agent: false, headers: { "x-api-key": keys.demo } },
      (answer) => {
        answer.resume();
        answer.on("end", () => resolve(answer.statusCode));
      },
    );
    call.on("error", reject);
    call.end();
  });
}

const wrongKey = "GET /account/balance HTTP/1.1\r\nHost: x\r\nX-Api-Key: wrong\r\n\r\n";

it("connections that pipeline 2,400 requests behind a slow refusal and leave cost nothing for good", async () => {
  const { api, port } = await open({ wait: () => new Promise((resolve) => setTimeout(resolve, 500)) });
  for (let index = 0; index < 5; index += 1) {
    const socket = await dial(port);
    const received = once(api.app.server, "request");
    await new Promise<void>((resolve) =>
      socket.write(wrongKey + "GET /x HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2400), () => resolve()),
    );
    await received;
    socket.destroy();
  }
  for (let index = 0; index < 20; index += 1) expect(await balance(port)).toBe(200);
  expect(await balance(port, "/health/live")).toBe(200);
});

/** Resolves when all that callers hold is as it says. */
function untilHeld({ telemetry }: TestApi, wanted: (held: HeldByCallers) => boolean) {
  return telemetry.next("http.held", wanted);
}

const untilNothingHeld = (front: TestApi) =>
  untilHeld(front, (held) => Object.values(held).every((amount) => amount === 0));

function gone(socket: Socket): Promise<unknown> {
  return socket.closed ? Promise.resolve() : new Promise((resolve) => socket.once("close", resolve));
}

/** Statuses of answers as they come, until there are so many. */
function statuses(socket: Socket, count: number): Promise<string[]> {
  let received = "";
  return new Promise((resolve) => {
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString("latin1");
      const found = [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => String(status));
      if (found.length >= count) resolve(found);
    });
  });
}

const asked = `GET /account/balance HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${keys.demo}\r\n\r\n`;
const openPost = (path: string, octets: number | "chunked", headers = "") =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}Content-Type: application/x-www-form-urlencoded\r\n` +
  (octets === "chunked" ? "Transfer-Encoding: chunked\r\n\r\n" : `Content-Length: ${octets}\r\n\r\n`);
const byUrl = "/api/v1/messages/send/url";
const keyHeader = `X-Api-Key: ${keys.demo}\r\n`;

describe("requests of one connection", () => {
  it("1,000 that are pipelined get 1,000 answers, in their order, from a client that takes them", async () => {
    const { api, port } = await openShared();
    const socket = await dial(port);
    const answers = statuses(socket, 1000);
    const requests = Array.from({ length: 1000 }, (_, index) =>
      index % 10 === 9 ? asked.replace("account", "x") : asked,
    );
    socket.write(requests.join(""));
    const found = await answers;
    expect(found).toHaveLength(1000);
    expect(found.map((status, index) => status === (index % 10 === 9 ? "404" : "200"))).not.toContain(false);
    const held = untilNothingHeld(api);
    socket.destroy();
    await held;
  });

  it("are worked on 50 at once; 50 others wait, and the rest is not parsed", async () => {
    const { api, port } = await openShared();
    const socket = await dial(port);
    const answers = statuses(socket, 300);
    await api.db.transaction(async (tx) => {
      await tx.query({ name: "hold", text: "lock table account_balance in access exclusive mode", values: [] });
      socket.write(asked.repeat(300));
      const octets = 200 * asked.length;
      await untilHeld(api, (held) => held.requests === 50 && held.waiting === 50 && held.headOctets === octets);
    });
    expect((await answers).every((status) => status === "200")).toBe(true);
  });

  it("count as heads while they are not parsed, also of a large piece", async () => {
    const { api, port } = await openShared();
    const socket = await dial(port);
    const padded = asked.replace("\r\n\r\n", `\r\nx-pad: ${"a".repeat(400)}\r\n\r\n`);
    const answers = statuses(socket, 300);
    await api.db.transaction(async (tx) => {
      await tx.query({ name: "hold", text: "lock table account_balance in access exclusive mode", values: [] });
      socket.write(padded.repeat(300));
      await untilHeld(api, ({ waiting, headOctets }) => waiting === 50 && headOctets > 10_000);
    });
    expect((await answers).every((status) => status === "200")).toBe(true);
  });

  it("are not read while others wait", async () => {
    const { api, port } = await openShared();
    const socket = await dial(port);
    const answers = statuses(socket, 90);
    await api.db.transaction(async (tx) => {
      await tx.query({ name: "hold", text: "lock table account_balance in access exclusive mode", values: [] });
      const wait = untilHeld(api, (held) => held.requests === 50 && held.waiting === 10);
      socket.write(asked.repeat(60));
      await wait;
      await new Promise<void>((resolve) => socket.write(asked.repeat(30), () => resolve()));
      // Told once a second.
      const { waiting } = await untilHeld(api, () => true);
      expect(waiting).toBe(10);
    });
    expect((await answers).every((status) => status === "200")).toBe(true);
  });

  it("1,000 with bodies, and raw queries between them, are answered in their order", async () => {
    const { api, port } = await openShared();
    const socket = await dial(port);
    const answers = statuses(socket, 1000);
    const kinds = [asked, `${openPost("/x", 3)}a=1`, asked.replace("account/balance", "y?a=سلام")];
    const expected = ["200", "404", "404"];
    const requests = Array.from({ length: 1000 }, (_, index) => kinds[index % 3]);
    socket.write(requests.join(""));
    expect(await answers).toEqual(requests.map((_, index) => expected[index % 3]));
    const held = untilNothingHeld(api);
    socket.destroy();
    await held;
  });

  it("count as half of all for one address, and another one is served", async () => {
    const { api, port } = await open({ limits: { requestsUnderWay: 20 } });
    const callers = await Promise.all(Array.from({ length: 15 }, () => dial(port)));
    const answers = callers.map((socket) => readAnswer(socket));
    await api.db.transaction(async (tx) => {
      await tx.query({ name: "hold", text: "lock table account_balance in access exclusive mode", values: [] });
      for (const socket of callers) socket.write(asked);
      const refused = await Promise.race(answers);
      expect([refused.status, /retry-after: 1/i.test(refused.head)]).toEqual([503, true]);
      // Judged without the database, whose sessions all wait.
      expect(await balance(port, "/messages/status/x")).toBe(400);
      // From the address that has its half, too.
      const probe = await dial(port);
      probe.write("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n");
      expect((await readAnswer(probe)).status).toBe(200);
    });
    const found = (await Promise.all(answers)).map(({ status }) => status);
    expect([found.filter((status) => status === 200).length, found.filter((status) => status === 503).length]).toEqual([
      10, 5,
    ]);
  });

  it("are worked on one after the other once credentials were refused", async () => {
    let waiting: (() => void)[] = [];
    let isFull: () => void = () => undefined;
    const full = new Promise<void>((resolve) => (isFull = resolve));
    let most = 0;
    const { port } = await open({
      wait: () =>
        new Promise<void>((resolve) => {
          waiting.push(resolve);
          if (waiting.length === 50) isFull();
          if (most === 0) return;
          most = Math.max(most, waiting.length);
          setImmediate(() => {
            waiting = waiting.filter((each) => each !== resolve);
            resolve();
          });
        }),
    });
    const socket = await dial(port);
    const answers = statuses(socket, 60);
    socket.write(wrongKey.repeat(60));
    await full;
    most = 1;
    for (const resolve of waiting.splice(0)) resolve();
    expect(await answers).toEqual(Array.from({ length: 60 }, () => "401"));
    expect(most).toBe(1);
  });

  it("a client that takes no octet of its answers is sent away", async () => {
    const { api, port } = await open({ limits: { untakenMs: 1000 } });
    const shed = api.telemetry.next("http.shed", ({ reason }) => reason === "answers");
    const socket = await dial(port);
    socket.pause();
    socket.write("GET /docs/json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(500));
    // There is no body: these are the octets of answers.
    await untilHeld(api, (held) => held.callersOctets > 0);
    await shed;
    await untilHeld(api, (held) => held.callersOctets === 0 && held.connections === 0);
  });
});

describe("unfinished bodies", () => {
  it.each([
    ["no key", ""],
    ["a wrong key", "X-Api-Key: wrong\r\n"],
    ["a wrong token", "Authorization: Bearer wrong\r\n"],
  ])("%s is 401 before the body", async (_, headers) => {
    const { port } = await openShared();
    for (const length of [900_000, "chunked"] as const) {
      const socket = await dial(port);
      socket.write(openPost("/messages/send", length, headers));
      expect((await readAnswer(socket)).status).toBe(401);
    }
  });

  it("a declared length over the limit is 413 at once, and no 100 Continue goes before", async () => {
    const { port } = await openShared();
    for (const extra of ["", "Expect: 100-continue\r\n"]) {
      const socket = await dial(port);
      socket.write(openPost("/messages/send", 2 << 20, keyHeader + extra));
      const interim = await new Promise<string>((resolve) =>
        socket.once("data", (data: Buffer) => resolve(String(data))),
      );
      expect(interim).toMatch(/^HTTP\/1\.1 413 /);
    }
  });

  it("who goes on writing can read the answer, and is cut off after a while", async () => {
    const { port } = await open({ limits: { lingerMs: 400 } });
    const socket = await dial(port, "127.0.0.1", true);
    socket.write(openPost("/messages/send", 500 << 20, "X-Api-Key: wrong\r\n"));
    const answer = readAnswer(socket);
    let written = 0;
    const piece = Buffer.alloc(16 << 10);
    const writing = setInterval(() => {
      socket.write(piece);
      written += 1;
    }, 5);
    expect((await answer).status).toBe(401);
    await gone(socket);
    clearInterval(writing);
    expect(written).toBeGreaterThan(3);
    // What cuts off every idle or slow connection comes only after half a minute.
    expect(written).toBeLessThan(3000);
  });

  it("a call behind a refused body is not carried out: nobody would read its answer", async () => {
    const { api, port } = await openShared();
    const accepted: unknown[] = [];
    onTestFinished(api.telemetry.on("batch.accepted", (event) => accepted.push(event)));
    const sound = `apiKey=${keys.demo}&senderNumber=10001234&recipientNumber=09121234567&content=hello`;
    const good = openPost(byUrl, sound.length) + sound;
    const socket = await dial(port, "127.0.0.1", true);
    socket.write(openPost("/messages/send", 100_000, "X-Api-Key: wrong\r\n"));
    expect((await readAnswer(socket)).status).toBe(401);
    socket.end("a".repeat(100_000) + good);
    await gone(socket);
    expect(accepted).toEqual([]);
    const next = await dial(port);
    next.write(good);
    expect((await readAnswer(next)).status).toBe(200);
    expect(accepted).toHaveLength(1);
  });

  it("a refused call whose short body comes whole leaves its connection open", async () => {
    const { port } = await openShared();
    const socket = await dial(port);
    socket.write(openPost("/messages/send", 5, "X-Api-Key: wrong\r\n"));
    expect((await readAnswer(socket)).status).toBe(401);
    socket.write("a=b&c" + asked);
    expect((await readAnswer(socket)).status).toBe(200);
  });

  it("of strangers have a budget of their own; known keys and small bodies find room", async () => {
    const { api, port } = await open({ limits: { strangersOctets: 400_000 } });
    const form = Buffer.alloc(90_000, "a");
    for (const address of ["127.0.0.2", "127.0.0.3", "127.0.0.4"]) {
      for (let index = 0; index < 2; index += 1) {
        const socket = await dial(port, address);
        socket.write(openPost(byUrl, 100_000));
        socket.write(form);
      }
    }
    await api.telemetry.next("http.shed", ({ reason }) => reason === "bodies");
    const small = await dial(port, "127.0.0.2");
    small.write(openPost(byUrl, 16 << 10) + `apiKey=wrong&x=${"a".repeat((16 << 10) - 15)}`);
    expect((await readAnswer(small)).status).toBe(401);
    const known = await dial(port, "127.0.0.2");
    known.write(openPost(`${byUrl}?apiKey=${keys.demo}`, 300_000) + "a".repeat(300_000));
    expect((await readAnswer(known)).status).toBe(400);
    const held = untilNothingHeld(api);
    for (const socket of sockets) socket.destroy();
    await held;
  });

  it("of one address have half: its oldest is answered 503", async () => {
    const { api, port } = await open({ limits: { strangersOctets: 400_000 } });
    const first = await dial(port, "127.0.0.2");
    const answer = readAnswer(first);
    first.write(openPost(byUrl, 100_000));
    first.write(Buffer.alloc(90_000, "a"));
    await untilHeld(api, ({ strangersOctets }) => strangersOctets === 90_000);
    for (let index = 0; index < 2; index += 1) {
      const socket = await dial(port, "127.0.0.2");
      socket.write(openPost(byUrl, 100_000));
      socket.write(Buffer.alloc(90_000, "a"));
    }
    expect((await answer).status).toBe(503);
    await untilHeld(api, ({ strangersOctets }) => strangersOctets === 180_000);
  });

  it("behind a trusted proxy count by the forwarded address", async () => {
    const { api, port } = await open({ limits: { strangersOctets: 400_000 } }, { HODHOD_TRUST_PROXY: "127.0.0.0/8" });
    for (const forwarded of ["10.0.0.1", "10.0.0.2", "10.0.0.3"]) {
      const socket = await dial(port);
      socket.write(openPost(byUrl, 130_000, `X-Forwarded-For: ${forwarded}\r\n`));
      socket.write(Buffer.alloc(120_000, "a"));
    }
    await untilHeld(api, ({ strangersOctets }) => strangersOctets === 360_000);
  });
});

describe("heads", () => {
  const fields = (count: number) => Array.from({ length: count }, (_, index) => `x-${index}: 1\r\n`).join("");

  it.each([
    [100, 200],
    [101, 413],
    [5000, 413],
  ])("with %i fields are answered %i", async (count, status) => {
    const { port } = await openShared();
    const socket = await dial(port);
    socket.write(`GET /health/live HTTP/1.1\r\nHost: x\r\n${fields(count - 1)}\r\n`);
    const answer = await readAnswer(socket);
    expect(answer.status).toBe(status);
    if (status === 413) expect(answer.body).toContain("or there are too many fields.");
  });

  it("that are not complete have a budget; the address that holds most loses its oldest", async () => {
    const { api, port } = await open({ limits: { headOctets: 1_000_000, lookEveryMs: 20 } });
    const attackers = [];
    for (let index = 0; index < 8; index += 1) {
      const socket = await dial(port, index % 2 === 0 ? "127.0.0.2" : "127.0.0.3");
      attackers.push(socket);
      const more = untilHeld(api, ({ headOctets }) => headOctets > 0);
      socket.write(`GET /?${"a".repeat(200_000)}`);
      await more;
      expect(await balance(port)).toBe(200);
    }
    await Promise.all([gone(attackers[0] as Socket), gone(attackers[1] as Socket)]);
    await untilHeld(api, ({ headOctets }) => headOctets > 0 && headOctets <= 1_000_000);
    const held = untilNothingHeld(api);
    for (const socket of attackers) socket.destroy();
    await held;
  });

  it("count, too, where no connection sends enough to be read in turns", async () => {
    const { api, port } = await open({ limits: { headOctets: 60_000, lookEveryMs: 20 } });
    const attackers: Socket[] = [];
    for (let index = 1; index <= 3; index += 1) {
      const socket = await dial(port, index % 2 === 0 ? "127.0.0.2" : "127.0.0.3");
      attackers.push(socket);
      const counted = untilHeld(api, ({ headOctets }) => headOctets >= Math.min(index, 2) * 20_000);
      socket.write(`GET /?${"a".repeat(20_000)}`);
      await counted;
    }
    await gone(attackers[0] as Socket);
    expect(await balance(port)).toBe(200);
    await untilHeld(api, ({ headOctets }) => headOctets > 0 && headOctets <= 60_000);
  });

  it("are counted with each read, and read in turns", async () => {
    const { api, port } = await open({ limits: { headOctets: 300_000, lookEveryMs: 600_000 } });
    let pauses = 0;
    api.app.server.on("connection", (socket: Socket) => socket.on("pause", () => (pauses += 1)));
    const shed = api.telemetry.next("http.shed", ({ reason }) => reason === "heads");
    const socket = await dial(port);
    socket.write(`GET /?${"a".repeat(900_000)}`);
    await shed;
    await gone(socket);
    expect(pauses).toBeGreaterThanOrEqual(2);
    const other = await dial(port);
    other.write(`GET /health/live?${"a".repeat(120_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect((await readAnswer(other)).status).toBe(200);
  });

  it("a large one counts until its answer", async () => {
    const { api, port } = await open({ wait: () => new Promise(() => undefined) });
    const socket = await dial(port);
    socket.write(`GET /account/balance?${"a".repeat(500_000)} HTTP/1.1\r\nHost: x\r\nX-Api-Key: wrong\r\n\r\n`);
    await untilHeld(api, ({ headOctets, requests }) => headOctets >= 500_000 && requests === 1);
    const held = untilNothingHeld(api);
    socket.destroy();
    await held;
  });
});

describe("connections", () => {
  it("of one address are half of all; it loses its oldest, and others are served", async () => {
    const { api, port } = await open({ limits: { connections: 10 } });
    const callers: Socket[] = [];
    for (let index = 0; index < 5; index += 1) callers.push(await dial(port));
    await untilHeld(api, ({ connections }) => connections === 5);
    expect(callers.filter(({ closed }) => closed)).toEqual([]);
    await dial(port);
    await gone(callers[0] as Socket);
    expect(callers.slice(1).filter(({ closed }) => closed)).toEqual([]);
    expect(await balance(port)).toBe(200);
  });

  it("of a whole office behind one address all find room, and their bodies too", async () => {
    const { api, port } = await openShared();
    const callers = await Promise.all(Array.from({ length: 300 }, () => dial(port)));
    await untilHeld(api, ({ connections }) => connections === 300);
    // Judged without the database, which is not what is tried here.
    const body = `{"content":"${"a".repeat(100_000)}"}`;
    const answers = callers.map((socket) => readAnswer(socket));
    for (const socket of callers) socket.write(openPost("/messages/send", body.length, keyHeader) + body);
    const found = (await Promise.all(answers)).map(({ status }) => status);
    expect(found).toEqual(callers.map(() => 400));
  });

  it("that were used lately are lost last", async () => {
    const { port } = await open({ limits: { connections: 10 } });
    const callers: Socket[] = [];
    for (let index = 0; index < 5; index += 1) callers.push(await dial(port));
    const [used, idle] = callers as [Socket, Socket];
    used.write(asked);
    expect((await readAnswer(used)).status).toBe(200);
    await dial(port);
    await gone(idle);
    expect(used.closed).toBe(false);
  });

  it("of a trusted proxy may be all, and serve again and again", async () => {
    const { port } = await open({ limits: { connections: 10 } }, { HODHOD_TRUST_PROXY: "127.0.0.1" });
    const callers = await Promise.all(Array.from({ length: 10 }, () => dial(port)));
    for (const socket of [...callers, ...callers]) {
      socket.write(asked);
      expect((await readAnswer(socket)).status).toBe(200);
    }
  });
});

it("after any interleaving of requests, bodies, cuts and closes nothing is held", async () => {
  const { api, port } = await open({
    wait: () => new Promise((resolve) => setTimeout(resolve, 20)),
    limits: { lingerMs: 30, lookEveryMs: 10 },
  });
  const piece = fc.oneof(
    fc.constantFrom(asked, wrongKey, wrongKey.repeat(60), asked.repeat(120), "GET /x HTTP/1.1\r\nHost: x\r\n\r\n"),
    fc.constantFrom(openPost("/messages/send", 40_000, keyHeader), openPost(byUrl, "chunked"), openPost(byUrl, 40_000)),
    fc.constantFrom(
      "a".repeat(30_000),
      "4\r\nabcd\r\n",
      "0\r\n\r\n",
      `GET /?${"b".repeat(9_000)}`,
      "\r\n\r\n",
      "rubbish",
    ),
  );
  const act = fc.record({
    socket: fc.nat(3),
    action: fc.constantFrom("write" as const, "write" as const, "write" as const, "end" as const, "destroy" as const),
    piece,
    pause: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 25 }), async (acts) => {
      const callers = await Promise.all(Array.from({ length: 4 }, (_, index) => dial(port, `127.0.0.${index + 2}`)));
      for (const socket of callers.slice(2)) socket.resume();
      for (const { socket: index, action, piece: octets, pause } of acts) {
        const socket = callers[index];
        if (socket === undefined || socket.destroyed) continue;
        if (action === "write" && socket.writable) socket.write(octets);
        if (action === "end") socket.end();
        if (action === "destroy") socket.destroy();
        if (pause) await new Promise((resolve) => setImmediate(resolve));
      }
      const held = untilNothingHeld(api);
      for (const socket of callers) socket.destroy();
      await held;
    }),
    { numRuns: 40 },
  );
  expect(await balance(port)).toBe(200);
});
