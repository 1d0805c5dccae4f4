// What strangers may do with connections: calls that do not wait for answers, heads and bodies that
// never arrive whole, and octets that are no request.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { RequestLimits } from "../../../src/http/limits/request-limits.ts";
import { keys, openTestApi, type TestApi } from "../../support/test-api.ts";
import { speak } from "../../support/raw-http.ts";

let api: TestApi;
let port: number;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await api.close();
});

async function open(limits: Partial<RequestLimits> = {}, refusalMs = 300): Promise<void> {
  // Refused keys wait as long as the connection is there to be looked at.
  api = await openTestApi({}, { limits, wait: () => new Promise((resolve) => setTimeout(resolve, refusalMs).unref()) });
  port = await api.listen();
}

function dial(): Socket {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => undefined);
  sockets.push(socket);
  return socket;
}

/** All that comes until the server closes. */
async function untilClosed(socket: Socket): Promise<readonly number[]> {
  let received = "";
  socket.on("data", (octets: Buffer) => (received += octets.toString()));
  await once(socket, "close");
  return [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
}

const asked = `GET /account/balance HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${keys.demo}\r\n\r\n`;
const refused = asked.replace(keys.demo, "wrong");

describe("the requests of a connection", () => {
  it("are answered in order, up to fifty that come before the first answer", async () => {
    await open();
    const socket = dial();
    socket.write(refused + asked.repeat(48) + asked.replace("Host", "Connection: close\r\nHost"));
    expect(await untilClosed(socket)).toEqual([401, ...Array<number>(49).fill(200)]);
  });

  it("beyond fifty are not processed: the connection ends with the answers to the first", async () => {
    await open();
    const shed = api.telemetry.next("http.shed", ({ reason }) => reason === "requests");
    const socket = dial();
    socket.write(refused + asked.repeat(500));
    const statuses = await untilClosed(socket);
    expect(statuses).toEqual([401, ...Array<number>(49).fill(200)]);
    await shed;
    expect((await speak(port, asked)).status).toBe(200);
  });

  it("are given up when the caller leaves", async () => {
    await open();
    for (let round = 0; round < 5; round += 1) {
      const socket = dial();
      socket.write(asked.repeat(2_400), () => socket.destroy());
      await once(socket, "close");
    }
    expect((await speak(port, asked)).status).toBe(200);
    await api.telemetry.next("http.held", ({ connections }) => connections <= 1);
  });

  it("that arrived whole are answered before octets that are no request", async () => {
    await open();
    const socket = dial();
    socket.write(`${refused}${asked}rubbish\r\n\r\n`);
    expect(await untilClosed(socket)).toEqual([401, 200, 400]);
  });
});

describe("heads that do not arrive whole", () => {
  it("cost the largest of them their connection when they are too many octets together", async () => {
    await open({ headOctets: 100_000 });
    const [small, large] = [dial(), dial()];
    small.write(`GET /?${"a".repeat(20_000)}`);
    const closed = once(large, "close");
    large.write(`GET /?${"a".repeat(90_000)}`);
    await closed;
    expect(small.destroyed).toBe(false);
    const answered = once(small, "data");
    small.write(" HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(String((await answered)[0])).toContain("HTTP/1.1 200");
  });
});

describe("large bodies", () => {
  const post = (octets: number) =>
    `POST /messages/preview HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${keys.demo}\r\nContent-Length: ${octets}\r\n\r\n`;

  it("are refused with 503 where those of their address have no room, and small ones are not", async () => {
    await open({ bodyOctetsOfAddress: 100_000 });
    const shed = api.telemetry.next("http.shed", ({ reason }) => reason === "bodies");
    const slow = dial();
    slow.write(post(90_000));
    await api.telemetry.next("http.held", ({ bodyOctets }) => bodyOctets === 90_000);
    const one = await speak(port, post(20_000), "x".repeat(20_000));
    expect([one.status, /retry-after: 1/i.test(one.head)]).toEqual([503, true]);
    await shed;
    expect((await speak(port, post(16_384), "x".repeat(16_384))).status).toBe(400);
    const chunked = post(0).replace("Content-Length: 0", "Transfer-Encoding: chunked");
    expect((await speak(port, chunked, "2\r\n{}\r\n0\r\n\r\n")).status).toBe(503);
    slow.destroy();
    await api.telemetry.next("http.held", ({ bodyOctets }) => bodyOctets === 0);
    expect((await speak(port, post(20_000), "x".repeat(20_000))).status).toBe(400);
  });

  it("do not count after their connection has ended, also behind a call that is not answered yet", async () => {
    await open({ bodyOctetsOfAddress: 100_000 }, 60_000);
    const socket = dial();
    socket.write(refused + post(90_000) + "x".repeat(90_000));
    await api.telemetry.next("http.held", ({ bodyOctets }) => bodyOctets === 90_000);
    socket.destroy();
    await api.telemetry.next("http.held", ({ bodyOctets }) => bodyOctets === 0);
  });

  it("of callers without a valid key are not begun", async () => {
    await open();
    const stranger = dial();
    stranger.write(post(900_000).replace(keys.demo, "wrong"));
    expect(String((await once(stranger, "data"))[0])).toContain("HTTP/1.1 401");
    await api.telemetry.next("http.held", ({ bodyOctets }) => bodyOctets === 0);
  });
});

it("asks to percent-encode what a URL has beyond ASCII", async () => {
  await open();
  for (const target of ["/messages/send?content=سلام", "/سلام"]) {
    const answer = await speak(port, Buffer.from(`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`));
    expect([answer.status, answer.body.includes("Percent-encode")]).toEqual([400, true]);
  }
});
