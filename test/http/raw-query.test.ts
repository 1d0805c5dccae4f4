// Queries with octets above 0x7f as they are: against the real server, over real sockets.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Random } from "../../fuzz/random.ts";
import { anyRequest, converse, cut, wireOfPipeline } from "../../fuzz/raw-query-wire.ts";
import { readRawQueries, stopParsingAfter, takeRefusal } from "../../src/http/raw-query.ts";
import { eventually } from "../support/factories.ts";
import { buffersAfterCollection } from "../support/heap.ts";
import { keys, openTestApi, type TestApi, type TestApiOptions } from "../support/test-api.ts";
import { speak } from "../support/raw-http.ts";

const patienceMs = 5_000;
const url = "/api/v1/messages/send/url";
const common = `apiKey=${keys.demo}&senderNumber=10001234&recipientNumber=09121234567`;

let api: TestApi;
let port: number;

async function listen(options: TestApiOptions = {}): Promise<TestApi> {
  const opened = await openTestApi({}, options);
  await opened.app.listen({ port: 0, host: "127.0.0.1" });
  return opened;
}

const portOf = ({ app }: TestApi): number => (app.server.address() as AddressInfo).port;

beforeAll(async () => {
  api = await listen();
  port = portOf(api);
});
afterAll(() => api.close());

const answersTo = (...pieces: readonly (string | Buffer)[]) => answersAt(port, pieces);

/** Statuses and bodies, without what differs from call to call. */
async function answersAt(at: number, pieces: readonly (string | Buffer)[]): Promise<readonly string[]> {
  const octets = pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece));
  const text = (await converse(at, octets, patienceMs)) ?? "no end of the answers";
  return text
    .split(/(?=HTTP\/1\.1 \d{3})/)
    .map((each) => each.replace(/^date: .*\r\n/gim, "").replace(/"(batchId|sentMessageId)":"[^"]*"/g, '"$1":""'));
}

const end = "Host: a\r\nConnection: close\r\n\r\n";
const whole = `GET ${url}?${common}&content=سلام HTTP/1.1\r\n${end}`;

it("sends what stands unencoded in a query", async () => {
  const answer = await speak(port, whole);
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.body)).toMatchObject({ messages: [{ content: "سلام", language: "fa" }] });
});

it("takes it cut anywhere, octet by octet too, and as the second call", async () => {
  const [expected] = await answersTo(whole);
  const octets = Buffer.from(`GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n${whole}`);
  expect((await answersTo(...[...octets].map((octet) => Buffer.of(octet)))).at(-1)).toBe(expected);
  const start = octets.indexOf("content");
  for (let place = start; place < start + 24; place += 1)
    expect((await answersTo(octets.subarray(0, place), octets.subarray(place))).at(-1)).toBe(expected);
});

it.each([
  ["in the path", "GET /س?a=1"],
  ["in the fragment", "GET /?a=1#س"],
  ["in the fragment behind a raw query", "GET /?a=س#س"],
  ["of another method than GET, POST and HEAD", "PUT /?a=س"],
  ["behind two blanks", "GET  /?a=س"],
])("answers 400 to a raw octet %s", async (_where, line) => {
  expect((await speak(port, `${line} HTTP/1.1\r\n${end}`)).status).toBe(400);
});

it("answers 400 where a raw query is not finished", async () => {
  const unfinished = connectAndEnd(Buffer.from(`GET ${url}?a=سلا`));
  expect(await unfinished).toMatch(/^HTTP\/1\.1 400 /);
});

async function connectAndEnd(octets: Buffer): Promise<string> {
  const { connect } = await import("node:net");
  return await new Promise((resolve) => {
    let text = "";
    const socket = connect({ port, host: "127.0.0.1" }, () => socket.end(octets));
    socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
    socket.on("close", () => resolve(text));
  });
}

it("names the field whose octets are no UTF-8", async () => {
  const octets = Buffer.from(`GET ${url}?${common}&content=a\xff HTTP/1.1\r\n${end}`, "latin1");
  const answer = await speak(port, octets);
  expect(answer.status).toBe(400);
  expect(answer.body).toContain('"errorCode":1001');
  expect(answer.body).toContain("content");
});

it("answers 413 to a query that is too long when encoded, in pieces too", async () => {
  const line = Buffer.from(`GET ${url}?${common}&content=${"س".repeat(200_000)} HTTP/1.1\r\n${end}`);
  expect((await speak(port, line)).status).toBe(413);
  const endless = Buffer.from(`GET ${url}?content=${"س".repeat(600_000)}`);
  expect((await speak(port, endless.subarray(0, 1001), endless.subarray(1001))).status).toBe(413);
});

it("takes one that is as long as it may be, in pieces of a few octets", async () => {
  const value = "س".repeat(150_000);
  const line = Buffer.from(`GET /health/live?a=${value} HTTP/1.1\r\n${end}`);
  const places = Array.from({ length: 3000 }, (_, index) => 25 + 7 * index);
  expect((await answersTo(...cut(line, places))).at(-1)).toMatch(/^HTTP\/1\.1 200 /);
});

it("takes more raw calls than are worked on at once, in their order", async () => {
  const calls = Array.from({ length: 300 }, (_, index) => `GET /x${index}?a=س HTTP/1.1\r\nHost: a\r\n\r\n`);
  const answers = await answersTo(calls.join("") + `GET /health/live?a=س HTTP/1.1\r\n${end}`);
  expect(answers.map((each) => each.slice(9, 12))).toEqual([...calls.map(() => "404"), "200"]);
});

it.each([
  ["and has no body", `GET /x HTTP/1.1\r\nHost: a\r\n`, "404"],
  [
    "and has a body",
    `POST /messages/preview HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${keys.demo}\r\nContent-Length: 2\r\n`,
    "400",
  ],
])("answers what follows a call that offers an upgrade %s", async (_body, head, status) => {
  const offer = `${head}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n${head.startsWith("POST") ? "{}" : ""}`;
  const raw = "GET /x?a=س HTTP/1.1\r\nHost: a\r\n\r\n";
  for (const before of ["", raw]) {
    const octets = Buffer.from(`${before}${offer.repeat(120)}${raw}${offer}GET /health/live HTTP/1.1\r\n${end}`);
    const answers = await answersTo(octets);
    const expected = [...Array<string>(120).fill(status), "404", status, "200"];
    expect(answers.map((each) => each.slice(9, 12))).toEqual([...(before === "" ? [] : ["404"]), ...expected]);
  }
});

it.each([
  ["malformed", "Transfer-Encoding: chunked\r\n\r\nzz\r\n", "400"],
  ["the last one", "Content-Length: 2\r\nConnection: close\r\n\r\n{}", "400"],
])("carries out no call behind one that offers an upgrade and is %s", async (_kind, rest, status) => {
  const asked = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n";
  const accepted: unknown[] = [];
  api.telemetry.on("batch.accepted", (event) => accepted.push(event));
  const offer = `POST /messages/preview HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${keys.demo}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n`;
  for (const before of [0, 99]) {
    const answers = await answersTo(asked.repeat(before) + offer + rest + whole);
    const statuses = answers.map((each) => each.slice(9, 12));
    expect(statuses).toEqual([...Array<string>(before).fill("404"), status]);
  }
  expect(accepted).toEqual([]);
});

it("asks each of many calls that wait for it to go on, in their order", async () => {
  const head = `POST /messages/preview HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${keys.demo}\r\nExpect: 100-continue\r\n`;
  const octets = `${head}Content-Length: 2\r\n\r\n{}`.repeat(120) + `GET /health/live HTTP/1.1\r\n${end}`;
  const answers = await answersTo(octets);
  const expected = [...Array<string[]>(120).fill(["100", "400"]).flat(), "200"];
  expect(answers.map((each) => each.slice(9, 12))).toEqual(expected);
});

it("answers random pipelines, cut at random, as it answers the same calls encoded", async () => {
  const random = new Random("raw queries", 1);
  for (let round = 0; round < 60; round += 1) {
    const calls = random.list(1, 5, () => anyRequest(random));
    const octets = wireOfPipeline(calls, false);
    const places = random.list(0, random.chance(0.1) ? 100 : 4, () => random.below(octets.length));
    const encoded = await answersTo(wireOfPipeline(calls, true));
    const raw = await answersTo(...cut(octets, places));
    expect(raw, JSON.stringify({ calls, places })).toEqual(encoded);
  }
});

it("answers random pipelines the same where the parser stops after nearly every message", async () => {
  const random = new Random("stops", 1);
  const stopping = await listen({ limits: { requestsUnderWayOfConnection: 1, requestsWaitingOfConnection: 1 } });
  try {
    for (let round = 0; round < 60; round += 1) {
      const calls = random.list(4, 12, () => anyRequest(random));
      const octets = wireOfPipeline(calls, false);
      const places = random.list(0, random.chance(0.1) ? 100 : 4, () => random.below(octets.length));
      const answers = await answersAt(portOf(stopping), cut(octets, places));
      expect(answers, JSON.stringify({ calls, places })).toEqual(await answersTo(octets));
    }
  } finally {
    await stopping.close();
  }
});

/** Sends the request on so many connections, and returns them when it was answered on each. */
async function connectionsWith(octets: string, connections: number): Promise<readonly Socket[]> {
  return Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect({ port, host: "127.0.0.1" });
      socket.write(octets);
      await once(socket, "data");
      return socket;
    }),
  );
}

const megabyte = JSON.stringify({ content: "a".repeat(1 << 20) }).slice(0, 1 << 20);
const withOffer = `POST /messages/send HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${keys.demo}\r\nUpgrade: x\r\nContent-Length: ${1 << 20}\r\n\r\n`;

it("idle connections hold nothing of a request that offered an upgrade", async () => {
  const connections = 50;
  const before = buffersAfterCollection();
  const sockets = await connectionsWith(withOffer + megabyte, connections);
  // Buffers of what is over go some turns of the event loop later.
  await eventually(() => buffersAfterCollection() - before < (connections * megabyte.length) / 4);
  for (const socket of sockets) socket.destroy();
});

it("a call with a body at which the parser stops is whole, and does not time out while it waits", async () => {
  const calls: { readonly request: IncomingMessage; readonly response: ServerResponse }[] = [];
  const server = createServer({ requestTimeout: 300, headersTimeout: 300, connectionsCheckingInterval: 50 });
  server.on("request", (request, response) => {
    calls.push({ request, response });
    if (calls.length > 1) return;
    stopParsingAfter(request.socket);
    request.socket.pause();
  });
  server.on("clientError", (error: Error, socket: Socket) => {
    if (!takeRefusal(error, socket)) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  readRawQueries(server, 16 << 10);
  const { port: at } = server.address() as AddressInfo;
  try {
    const client = connect({ port: at, host: "127.0.0.1" });
    client.write("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\na=1GET /b HTTP/1.1\r\nHost: a\r\n\r\n");
    await once(server, "request");
    // Another one, which comes later and is never whole, has timed out.
    const late = connect({ port: at, host: "127.0.0.1" });
    late.write("POST /late HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n");
    await once(late.resume(), "close");
    const [first] = calls;
    if (first === undefined) throw new Error("no call came");
    expect(Buffer.concat(await first.request.toArray()).toString()).toBe("a=1");
    const next = once(server, "request");
    first.response.end();
    first.request.socket.resume();
    const [request] = (await next) as [IncomingMessage];
    expect(request.url).toBe("/b");
    client.destroy();
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
