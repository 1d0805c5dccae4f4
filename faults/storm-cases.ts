// Cases in which strangers, from addresses of their own, send as much as they can of what the HTTP side must hold: requests, bodies, heads.
// The load beside them is the caller of good will: all its calls are answered 200 within 3 s, and the gateway's memory stays bounded.
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { requireLoopbackAddresses, watchBystander } from "./bystander.ts";
import { type CaseContext, type FaultCase, underLoad } from "./case.ts";
import type { World } from "./world.ts";

const sampleEveryMs = 100;
const fewestCalls = 20;
const stormMs = 8_000;
const longStormMs = 40_000;
/** Between two connections of one stranger. */
const pauseMs = 100;

interface Storm {
  readonly connections: number;
  readonly addresses: number;
  /** What a connection sends, piece after piece, as long as it stands. */
  readonly pieces: (index: number) => readonly Buffer[];
  /** Does not wait for the server to take what was sent, and leaves at once. */
  readonly leaves?: boolean;
}

function stormCase(name: string, title: string, storm: Storm): FaultCase {
  return {
    name,
    title,
    isAlone: true,
    needsQuiet: true,
    run: (context) =>
      underLoad(context, { policy: "resend", server: context.server }, (world) => rage(world, storm, context)),
  };
}

async function rage(world: World, storm: Storm, { full }: CaseContext) {
  requireLoopbackAddresses();
  const { load, node } = world;
  const until = performance.now() + (full ? longStormMs : stormMs);
  const isOver = (): boolean => performance.now() > until && load.latencies.length >= fewestCalls;
  const strangers = Array.from({ length: storm.connections }, (_, index) =>
    attack(node.port, storm, { index, isOver }),
  );
  const { note, problems } = await watchBystander(world, isOver);
  const rounds = (await Promise.all(strangers)).reduce((sum, each) => sum + each, 0);
  return { note: `${rounds} connections of strangers; ${note}`, problems };
}

/** Connects again and again from one address. Answers how often. */
async function attack(
  port: number,
  { addresses, pieces, leaves = false }: Storm,
  { index, isOver }: { index: number; isOver: () => boolean },
): Promise<number> {
  const localAddress = `127.0.1.${(index % addresses) + 1}`;
  let rounds = 0;
  while (!isOver()) {
    const socket = connect({ host: "127.0.0.1", port, localAddress });
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.on("error", () => undefined);
    socket.pause();
    for (const piece of pieces(index)) await written(socket, piece, closed);
    rounds += 1;
    while (!leaves && !socket.destroyed && !isOver()) await Promise.race([closed, delay(sampleEveryMs)]);
    socket.destroy();
    await delay(pauseMs);
  }
  return rounds;
}

async function written(socket: Socket, piece: Buffer, closed: Promise<void>): Promise<void> {
  if (socket.destroyed) return;
  await Promise.race([new Promise<void>((resolve) => socket.write(piece, () => resolve())), closed, delay(1000)]);
}

const pieceOctets = 64 << 10;
const filling = Buffer.alloc(pieceOctets, "a");
const pipelined = Buffer.from(
  `GET /account/balance HTTP/1.1\r\nhost: x\r\nx-api-key: wrong\r\n\r\n${"GET /x HTTP/1.1\r\nhost: x\r\n\r\n".repeat(2400)}`,
);
const openBody = Buffer.from(
  "POST /api/v1/messages/send/url HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 600000\r\n\r\n",
);
const openHead = Buffer.from(`GET /?${"a".repeat(pieceOctets)}`);
const bodyPieces = 500_000 / pieceOctets;
/** Twice what a head may have. */
const headPieces = 32;

export const stormCases: readonly FaultCase[] = [
  stormCase("pipelining-storm", "5 callers pipeline 2,400 calls and leave, again and again", {
    connections: 5,
    addresses: 1,
    pieces: () => [pipelined],
    leaves: true,
  }),
  stormCase("unfinished-bodies", "536 callers begin bodies of 500 kB", {
    connections: 536,
    addresses: 4,
    pieces: () => [openBody, ...Array.from({ length: bodyPieces }, () => filling)],
  }),
  stormCase("unfinished-heads", "450 callers begin heads of 2 MiB", {
    connections: 450,
    addresses: 4,
    pieces: () => [openHead, ...Array.from({ length: headPieces - 1 }, () => filling)],
  }),
];
