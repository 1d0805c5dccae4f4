// Cases in which callers misbehave.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { type CaseContext, type FaultCase, underLoad } from "./case.ts";
import { apiKey, type World } from "./world.ts";

/**
 * Writes the whole call and is gone before the answer; then the same call is made again,
 * under the same key.
 */
async function callAndLeave(world: World, key: string): Promise<void> {
  const call = world.load.nextCall(true);
  const socket = connect({ host: "127.0.0.1", port: world.node.port });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  const head =
    `POST ${call.path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${apiKey}\r\nidempotency-key: ${key}\r\n` +
    `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(call.body)}\r\n\r\n`;
  await new Promise<void>((resolve) => socket.write(head + call.body, () => resolve()));
  socket.destroy();
  await world.load.call(call, key);
}

async function clientsGone(context: CaseContext) {
  return underLoad(context, { policy: "resend", server: context.server }, async (world) => {
    const times = context.full ? 100 : 20;
    for (let index = 0; index < times; index += 1) await callAndLeave(world, `leaves-${index}`);
    return { note: `${times} calls of 100 messages` };
  });
}

const slowClients = 1000;
const drippingMs = 6000;
const fewestCalls = 50;
/** The server's own limit for a whole call, and a margin for its checks. */
const timeoutMs = 60_000;

async function slowloris(context: CaseContext) {
  return underLoad(context, { policy: "resend", server: context.server }, async (world) => {
    const { load, node } = world;
    const { sockets, closed } = await openSlowly(node.port);
    load.latencies.length = 0;
    const begunAt = performance.now();
    // Longer where that is too short for calls enough, as long as most of them stand.
    const areFew = (): boolean =>
      load.latencies.length < fewestCalls && sockets.filter(({ closed }) => !closed).length > slowClients / 2;
    while (performance.now() - begunAt < drippingMs || areFew()) {
      for (const socket of sockets) socket.write("x");
      await delay(500);
    }
    const slowest = load.latencies.toSorted((one, other) => one - other);
    const p99 = slowest[Math.floor(slowest.length * 0.99)] ?? 0;
    const problems = slowest.length < fewestCalls ? [`only ${slowest.length} calls were answered meanwhile`] : [];
    const areClosed = await Promise.race([closed.then(() => true), delay(timeoutMs, false)]);
    if (!areClosed) problems.push("slow clients are not sent away");
    for (const socket of sockets) socket.destroy();
    return { note: `${slowest.length} calls meanwhile, p99 ${Math.round(p99)} ms`, problems };
  });
}

/**
 * Begins so many calls: of every other one the headers never end, of the rest the body. `closed`:
 * all of them were ended by the server.
 */
async function openSlowly(port: number): Promise<{ sockets: readonly Socket[]; closed: Promise<unknown> }> {
  const sockets: Socket[] = [];
  const closings: Promise<unknown>[] = [];
  for (let index = 0; index < slowClients; index += 1) {
    const socket = connect({ host: "127.0.0.1", port });
    socket.on("error", () => undefined);
    closings.push(new Promise((resolve) => socket.once("close", resolve)));
    sockets.push(socket);
    await once(socket, "connect");
    const head = "POST /messages/send HTTP/1.1\r\nhost: 127.0.0.1\r\n";
    const slowHeader = "x-slow: ";
    const slowBody = `x-api-key: ${apiKey}\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n{"content":"`;
    socket.write(head + (index % 2 === 0 ? slowHeader : slowBody));
    socket.resume();
  }
  return { sockets, closed: Promise.all(closings) };
}

export const httpCases: readonly FaultCase[] = [
  { name: "clients-gone", title: "clients leave before the answer, resend", run: clientsGone },
  { name: "slow-clients", title: "1,000 slow clients, resend", run: slowloris },
];
