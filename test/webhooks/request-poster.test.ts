import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { createServer as createSocketServer, type AddressInfo, type Server as SocketServer, connect } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, it } from "vitest";
import { AddressRules } from "../../src/webhooks/address-rules.ts";
import { RequestPoster, type RequestPosterOptions } from "../../src/webhooks/request-poster.ts";
import { makeSecret } from "../../src/webhooks/signing.ts";

const loopback = new AddressRules(["127.0.0.0/8", "::1"]);
const secret = makeSecret();
const id = "21a1fa75-8000-8000-8000-000000000001";
const body = '{"type":"message.delivered","timestamp":"2026-11-22T10:00:00.000Z","data":{"content":"سلام"}}';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function listen(server: Server | SocketServer): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(
    () =>
      new Promise((done) => {
        server.close(() => done());
        if ("closeAllConnections" in server) server.closeAllConnections();
      }),
  );
  return (server.address() as AddressInfo).port;
}

function poster(options: Partial<RequestPosterOptions> = {}): RequestPoster {
  const made = new RequestPoster({ rules: loopback, version: "9.9.9", ...options });
  closers.push(() => made.close());
  return made;
}

async function receiver(answer: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(answer))}/hook?a=1`;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const slowServer = `const server = require("node:http").createServer((_, response) => response.writeHead(204).end());
server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => console.log(server.address().port));`;

const post = (by: RequestPoster, url: string, secrets = [secret]) =>
  by.post({ url, id, body, secrets, startedAt: new Date() });

describe("request to an endpoint", () => {
  it("is what Standard Webhooks says, and verifies", async () => {
    const seen: { headers: IncomingMessage["headers"]; method: string; body: string }[] = [];
    const url = await receiver((request, response) => {
      void readBody(request).then((text) => {
        seen.push({ headers: request.headers, method: `${request.method} ${request.url}`, body: text });
        response.writeHead(204).end();
      });
    });
    const outcome = await post(poster(), url);
    expect(outcome).toMatchObject({ httpStatus: 204 });
    expect(outcome.failure).toBeUndefined();
    const [got] = seen;
    expect(got?.method).toBe("POST /hook?a=1");
    expect(got?.headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": "Hodhod/9.9.9",
      "webhook-id": id,
    });
    const headers = got?.headers as Record<string, string>;
    expect(new Webhook(secret).verify(got?.body ?? "", headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(makeSecret()).verify(got?.body ?? "", headers)).toThrow();
  });

  it.each([
    [200, undefined, undefined],
    [299, undefined, undefined],
    [301, "redirect", undefined],
    [307, "redirect", undefined],
    [404, "status", undefined],
    [410, "status", undefined],
    [503, "status", "7"],
  ])("case 41: answered %i: %s", async (status, failure, retryAfter) => {
    let calls = 0;
    const url = await receiver((_, response) => {
      calls += 1;
      response.writeHead(status, { location: "/other", ...(retryAfter && { "retry-after": retryAfter }) }).end("text");
    });
    const outcome = await post(poster(), url);
    expect([outcome.httpStatus, outcome.failure, outcome.retryAfterMs]).toEqual([
      status,
      failure,
      retryAfter && Number(retryAfter) * 1000,
    ]);
    expect(calls).toBe(1);
  });

  it("knows success by the head, reads 64 KiB of the rest and cuts the connection", async () => {
    let written = 0;
    let cut: (() => void) | undefined;
    const wasCut = new Promise<void>((resolve) => (cut = resolve));
    const url = await receiver((_, response) => {
      response.writeHead(200);
      const block = Buffer.alloc(64 << 10, "x");
      const more = (): void => {
        while (!response.destroyed && written < 1 << 30) {
          written += block.length;
          if (!response.write(block)) return void response.once("drain", more);
        }
      };
      response.once("close", () => cut?.());
      more();
    });
    const outcome = await post(poster(), url);
    expect([outcome.httpStatus, outcome.failure]).toEqual([200, undefined]);
    await wasCut;
    // What the buffers of both sides hold is on top.
    expect(written).toBeLessThan(64 << 20);
  });

  it("keeps a bounded number of connections, however many hosts there are", async () => {
    const server = createServer((_, response) => response.end());
    const port = await listen(server);
    let [open, most] = [0, 0];
    server.on("connection", (socket) => {
      most = Math.max(most, (open += 1));
      socket.on("close", () => (open -= 1));
    });
    const by = poster({ resolve: async () => ["127.0.0.1"], mostConnections: 5 });
    for (let host = 0; host < 20; host += 1)
      expect(await post(by, `http://shop-${host}.example:${port}/`)).toMatchObject({ httpStatus: 200 });
    // The end of one may be seen a moment later.
    expect(most).toBeLessThan(10);
  });

  it("passes over heads that only inform, and keeps a success whose body is cut", async () => {
    const url = await receiver((request, response) => {
      response.writeEarlyHints({ link: "</style.css>; rel=preload" });
      response.writeHead(200, { "content-length": "100" }).write("a", () => request.socket.resetAndDestroy());
    });
    const outcome = await post(poster(), url);
    expect([outcome.httpStatus, outcome.failure]).toEqual([200, undefined]);
    const informs = await receiver(({ socket }, response) =>
      response.writeEarlyHints({ link: "</style.css>; rel=preload" }, () => socket.destroy()),
    );
    const informed = await post(poster(), informs);
    expect([informed.httpStatus, informed.failure]).toEqual([undefined, "connection"]);
  });

  it("cuts the connection of an endpoint that sends heads that only inform without end", async () => {
    const informing = createSocketServer((socket) => {
      const head = "HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n";
      const flood = setInterval(() => socket.write(head.repeat(1_000)), 5);
      socket.on("error", () => undefined).on("close", () => clearInterval(flood));
    });
    const outcome = await post(poster(), `http://127.0.0.1:${await listen(informing)}/`);
    expect([outcome.httpStatus, outcome.failure]).toEqual([undefined, "connection"]);
    expect(outcome.durationMs).toBeLessThan(5_000);
  });

  it.each([
    ["what frames a body", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;", "a", 200],
    ["blank lines before its head", "", "\r\n", undefined],
  ])("cuts the connection of an endpoint that sends %s without end", async (_, head, unit, httpStatus) => {
    let written = 0;
    const block = Buffer.from(unit.repeat(1 << 15));
    const flooding = createSocketServer((socket) => {
      const more = (): void => {
        while (!socket.destroyed) {
          written += block.length;
          if (!socket.write(block)) return void socket.once("drain", more);
        }
      };
      socket.on("error", () => undefined).once("data", () => socket.write(head, more));
    });
    const outcome = await post(poster({ timeoutMs: 5_000 }), `http://127.0.0.1:${await listen(flooding)}/`);
    expect([outcome.httpStatus, outcome.failure]).toEqual([httpStatus, httpStatus ? undefined : "connection"]);
    // What the buffers of both sides hold is on top.
    expect(written).toBeLessThan(64 << 20);
  });

  it("takes any number of answers over one connection, however long they are together", async () => {
    let connections = 0;
    const server = createServer((_, response) => response.end("x".repeat(60_000)));
    server.on("connection", () => (connections += 1));
    const by = poster();
    const url = `http://127.0.0.1:${await listen(server)}/`;
    for (let call = 0; call < 200; call += 1) expect(await post(by, url)).toMatchObject({ httpStatus: 200 });
    // undici opens a second one where the first is not free yet.
    expect(connections).toBeLessThanOrEqual(2);
  });

  it("fails where the URL is none, and where the gateway ends", async () => {
    const by = poster();
    expect((await post(by, "https://")).failure).toBe("connection");
    const begun = post(by, await receiver(() => void by.close()));
    expect((await begun).failure).toBe("connection");
    expect((await post(by, "https://shop.example/")).failure).toBe("connection");
  });

  it("succeeds when the body drips for longer than the time allows", async () => {
    const url = await receiver((_, response) => {
      response.writeHead(202).write("a");
      const drip = setInterval(() => response.write("a"), 20);
      response.once("close", () => clearInterval(drip));
    });
    const outcome = await post(poster({ timeoutMs: 300 }), url);
    expect([outcome.httpStatus, outcome.failure]).toEqual([202, undefined]);
    expect(outcome.durationMs).toBeGreaterThanOrEqual(290);
  });

  it("fails after the time when no head comes, also when its octets drip", async () => {
    const hang = await receiver(() => undefined);
    const dripping = createSocketServer((socket) => {
      const head = `HTTP/1.1 204 No Content\r\nx-drip: ${"a".repeat(2000)}`;
      let sent = 0;
      const drip = setInterval(() => socket.write(head.charAt((sent += 1) - 1)), 1);
      socket.on("error", () => undefined).on("close", () => clearInterval(drip));
    });
    const drip = `http://127.0.0.1:${await listen(dripping)}/`;
    const by = poster({ timeoutMs: 300 });
    expect((await post(by, hang)).failure).toBe("timeout");
    expect((await post(by, drip)).failure).toBe("timeout");
  });

  it("tells a reset, a refused connection and an unknown name", async () => {
    const resetting = createSocketServer((socket) => socket.on("error", () => undefined).resetAndDestroy());
    const by = poster();
    const port = await listen(resetting);
    expect((await post(by, `http://127.0.0.1:${port}/`)).failure).toBe("connection");
    const closed = createServer();
    const free = await listen(closed);
    closed.close();
    expect((await post(by, `http://127.0.0.1:${free}/`)).failure).toBe("connection");
    const unknown = poster({
      resolve: () => Promise.reject(Object.assign(new Error("queryA ENOTFOUND"), { code: "ENOTFOUND" })),
    });
    expect((await post(unknown, "https://shop.example/")).failure).toBe("name");
  });

  it("waits longer than 250 ms for an address of a name, where the other leads nowhere", async () => {
    // While it is stopped and its queue is full, the first attempt is dropped; the next is 1 s later.
    const slow = spawn(process.execPath, ["-e", slowServer], { stdio: ["ignore", "pipe", "inherit"] });
    closers.push(async () => void slow.kill("SIGKILL"));
    const [port] = (await once(slow.stdout, "data")) as [Buffer];
    slow.kill("SIGSTOP");
    const fillers = [1, 2, 3].map(() => connect(Number(port), "127.0.0.1"));
    closers.push(async () => fillers.forEach((socket) => socket.destroy()));
    await Promise.all(fillers.slice(0, 2).map((socket) => once(socket, "connect")));
    const by = poster({ resolve: async () => ["127.0.0.1", "::1"] });
    const posted = post(by, `http://hook.example:${String(port)}/`);
    setTimeout(() => {
      for (const socket of fillers) socket.destroy();
      slow.kill("SIGCONT");
    }, 500);
    expect(await posted).toMatchObject({ httpStatus: 204 });
  });

  it("refuses an address that is not admitted, in every form, without connecting", async () => {
    let connections = 0;
    const server = createSocketServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    const port = await listen(server);
    const strict = poster({
      rules: new AddressRules([]),
      resolve: async () => ["127.0.0.1", "::ffff:127.0.0.1", "::1"],
    });
    for (const host of ["127.0.0.1", "127.1", "2130706433", "[::ffff:127.0.0.1]", "shop.example", "localhost"])
      for (const scheme of ["https", "http"])
        expect([host, scheme, (await post(strict, `${scheme}://${host}:${port}/`)).failure]).toEqual([
          host,
          scheme,
          "address",
        ]);
    expect(connections).toBe(0);
  });

  it("case 45: judges the address at every connection: a name that leads elsewhere at the second look is refused", async () => {
    const url = await receiver((_, response) => response.writeHead(200, { connection: "close" }).end());
    const looks = [["127.0.0.1"], ["10.0.0.1"]];
    const by = poster({ resolve: async () => looks.shift() ?? [] });
    const named = url.replace("127.0.0.1", "shop.example");
    expect((await post(by, named)).failure).toBeUndefined();
    expect((await post(by, named)).failure).toBe("address");
    expect(looks).toEqual([]);
  });

  it("sends http only to what is allowed, also where a name leads to a public address", async () => {
    const by = poster({ resolve: async () => ["1.1.1.1"] });
    expect((await post(by, "http://shop.example/")).failure).toBe("address");
    expect((await post(by, "http://1.1.1.1/")).failure).toBe("address");
  });

  it("checks certificates, whatever the environment says", async () => {
    const key = readFileSync(new URL("../fixtures/tls/server-key.pem", import.meta.url));
    const cert = readFileSync(new URL("../fixtures/tls/server.pem", import.meta.url));
    const port = await listen(createSecureServer({ key, cert }, (_, response) => response.end()));
    const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    try {
      expect((await post(poster(), `https://127.0.0.1:${port}/`)).failure).toBe("certificate");
    } finally {
      if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
      else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
    }
  });

  it("tells a port without TLS, or with an old version, apart from a wrong certificate", async () => {
    const key = readFileSync(new URL("../fixtures/tls/server-key.pem", import.meta.url));
    const cert = readFileSync(new URL("../fixtures/tls/server.pem", import.meta.url));
    const ca = readFileSync(new URL("../fixtures/tls/ca.pem", import.meta.url), "utf8");
    const oldTls = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "ALL:@SECLEVEL=0" } as const;
    const ports = {
      http: await listen(createServer((_, response) => response.end())),
      greeting: await listen(
        createSocketServer((socket) =>
          socket
            .on("error", () => undefined)
            .resume()
            .end("SSH-2.0-x\r\n"),
        ),
      ),
      old: await listen(createSecureServer({ key, cert, ...oldTls }, (_, response) => response.end())),
    };
    const by = poster({ ca });
    for (const [kind, port] of Object.entries(ports))
      expect([kind, (await post(by, `https://127.0.0.1:${port}/`)).failure]).toEqual([kind, "tls"]);
  });
});
