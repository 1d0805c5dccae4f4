// Cases in which callers misbehave.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { spreadOf } from "../bench/percentiles.ts";
import { type CaseContext, type FaultCase, underLoad } from "./case.ts";
import { holdsWithin } from "../bench/look.ts";
import { apiKey, type World } from "./world.ts";

async function connectTo(port: number): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/**
 * Writes the whole call and is gone before the answer; then the same call is made again,
 * under the same key.
 */
async function callAndLeave(world: World, key: string): Promise<void> {
  const call = world.load.nextCall(true);
  const socket = await connectTo(world.node().port);
  const head =
    `POST ${call.path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${apiKey}\r\nidempotency-key: ${key}\r\n` +
    `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(call.body)}\r\n\r\n`;
  await new Promise<void>((resolve) => socket.write(head + call.body, () => resolve()));
  socket.destroy();
  await world.load.call(call, key);
}

function clientsGone(context: CaseContext) {
  return underLoad(context, { policy: "resend" }, async (world) => {
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
const slowHeader = "POST /messages/send HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: ";
const slowBody =
  `POST /messages/send HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${apiKey}\r\ncontent-type: application/json\r\n` +
  `content-length: 5000\r\n\r\n{"content":"`;

/** Of every other call the headers never end, of the rest the body. */
function slowloris(context: CaseContext) {
  return underLoad(context, { policy: "resend" }, async (world) => {
    const { load } = world;
    const sockets: Socket[] = [];
    for (let index = 0; index < slowClients; index += 1) {
      const socket = await connectTo(world.node().port);
      socket.write(index % 2 === 0 ? slowHeader : slowBody);
      socket.resume();
      sockets.push(socket);
    }
    load.latencies.length = 0;
    const standing = (): number => sockets.filter(({ closed }) => !closed).length;
    const until = performance.now() + drippingMs;
    // Longer where that is too short for calls enough, as long as most of them stand.
    while (performance.now() < until || (load.latencies.length < fewestCalls && standing() > slowClients / 2)) {
      for (const socket of sockets) socket.write("x");
      await delay(500);
    }
    const { count, p99 } = spreadOf(load.latencies);
    world.check(count >= fewestCalls, `only ${count} calls were answered meanwhile`);
    world.check(await holdsWithin(timeoutMs, () => standing() === 0), "slow clients are not sent away");
    for (const socket of sockets) socket.destroy();
    return { note: `${count} calls meanwhile, p99 ${Math.round(p99)} ms` };
  });
}

export const httpCases: readonly FaultCase[] = [
  { name: "slow-clients", title: "1,000 slow clients, resend", run: slowloris },
  { name: "clients-gone", title: "clients leave before the answer, resend", run: clientsGone },
];
