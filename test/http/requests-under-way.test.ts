import { EventEmitter, once } from "node:events";
import { connect, type AddressInfo } from "node:net";
import { fastify } from "fastify";
import { expect, it, onTestFinished } from "vitest";
import { RequestsUnderWay } from "../../src/http/requests-under-way.ts";
import { Telemetry, type TelemetryEvents } from "../../src/telemetry.ts";

async function open() {
  const telemetry = new Telemetry();
  const answered: TelemetryEvents["http.answered"][] = [];
  telemetry.on("http.answered", (event) => answered.push(event));
  const ended: string[] = [];
  const underWay = new RequestsUnderWay(telemetry, ({ url }) => ended.push(url));
  const app = fastify();
  onTestFinished(() => app.close());
  app.addHook("onRequest", (request, reply, done) => {
    underWay.begin(request, reply);
    done();
  });
  const held = new EventEmitter();
  const begun = once(held, "begun");
  app.get("/at-once/:id", async () => "here");
  app.get("/held", async () => {
    const answer = once(held, "answer");
    held.emit("begun");
    await answer;
    return "late";
  });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { underWay, answered, ended, url, port, begun, answerHeld: () => held.emit("answer") };
}

it("tells of each answer once, by its route and with its time", async () => {
  const { underWay, answered, ended, url } = await open();
  await fetch(`${url}/at-once/1`);
  await fetch(`${url}/elsewhere`);
  expect(answered).toEqual([
    { method: "GET", route: "/at-once/:id", status: 200, durationMs: expect.any(Number) as number },
    { method: "GET", route: "unknown", status: 404, durationMs: expect.any(Number) as number },
  ]);
  expect(answered.every(({ durationMs }) => durationMs > 0)).toBe(true);
  expect(ended).toEqual(["/at-once/1", "/elsewhere"]);
  expect(underWay.count).toBe(0);
});

it("ends a request whose caller is gone, and tells of no answer", async () => {
  const { underWay, answered, ended, port, begun, answerHeld } = await open();
  const socket = connect(port, "127.0.0.1");
  socket.write("GET /held HTTP/1.1\r\nhost: x\r\n\r\n");
  await begun;
  expect(underWay.count).toBe(1);
  socket.destroy();
  await once(socket, "close");
  while (underWay.count > 0) await new Promise((resolve) => setImmediate(resolve));
  answerHeld();
  expect(ended).toEqual(["/held"]);
  expect(answered).toEqual([]);
});

it("ends connections with the answers to what is under way, and to what still comes", async () => {
  const { underWay, url, begun, answerHeld } = await open();
  const before = await fetch(`${url}/at-once/1`);
  expect(before.headers.get("connection")).toBe("keep-alive");
  const last = fetch(`${url}/held`);
  await begun;
  underWay.closeConnections();
  answerHeld();
  expect((await last).headers.get("connection")).toBe("close");
  expect((await fetch(`${url}/at-once/2`)).headers.get("connection")).toBe("close");
});
