// A process of strangers who send as much as they can of what the HTTP side must hold: node
// --import tsx faults/strangers.ts PORT STORM. What it prints of itself (attackers.ts) is how many
// connections it made.
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

interface Storm {
  readonly connections: number;
  readonly addresses: number;
  /** What a connection sends, piece after piece, as long as it stands. */
  readonly pieces: readonly Buffer[];
  /** Does not wait for the server to take what was sent, and leaves at once. */
  readonly leaves?: boolean;
}

const pieceOctets = 64 << 10;
const filling = Buffer.alloc(pieceOctets, "a");
const pipelined = Buffer.from(
  `GET /account/balance HTTP/1.1\r\nhost: x\r\nx-api-key: wrong\r\n\r\n${"GET /x HTTP/1.1\r\nhost: x\r\n\r\n".repeat(2400)}`,
);
const probes = Buffer.from("GET /health/ready HTTP/1.1\r\nhost: x\r\n\r\n".repeat(50));
const openBody = Buffer.from(
  "POST /api/v1/messages/send/url HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 600000\r\n\r\n",
);
const openHead = Buffer.from(`GET /?${"a".repeat(pieceOctets)}`);
const bodyPieces = 500_000 / pieceOctets;
/** Twice what a head may have. */
const headPieces = 32;

const storms = {
  pipelining: { connections: 5, addresses: 1, pieces: [pipelined], leaves: true },
  probes: { connections: 200, addresses: 1, pieces: [probes] },
  bodies: {
    connections: 536,
    addresses: 4,
    pieces: [openBody, ...Array.from({ length: bodyPieces }, () => filling)],
  },
  heads: {
    connections: 450,
    addresses: 4,
    pieces: [openHead, ...Array.from({ length: headPieces - 1 }, () => filling)],
  },
} satisfies Readonly<Record<string, Storm>>;
export type StormName = keyof typeof storms;

/** Between two connections of one stranger. */
const pauseMs = 100;
const writeMs = 1_000;
let rounds = 0;

/** Connects again and again from one address. */
async function attack(port: number, { addresses, pieces, leaves = false }: Storm, index: number): Promise<never> {
  const localAddress = `127.0.1.${(index % addresses) + 1}`;
  for (;;) {
    const socket = connect({ host: "127.0.0.1", port, localAddress });
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.on("error", () => undefined);
    socket.pause();
    for (const piece of pieces) await written(socket, piece, closed);
    rounds += 1;
    if (!leaves) await closed;
    socket.destroy();
    await delay(pauseMs);
  }
}

async function written(socket: Socket, piece: Buffer, closed: Promise<void>): Promise<void> {
  if (socket.destroyed) return;
  await Promise.race([new Promise<void>((resolve) => socket.write(piece, () => resolve())), closed, delay(writeMs)]);
}

const [port = "", name = ""] = process.argv.slice(2);
const storm: Storm | undefined = Object.hasOwn(storms, name) ? storms[name as StormName] : undefined;
if (storm === undefined) throw new Error(`no storm is called ${name}`);
for (let index = 0; index < storm.connections; index += 1) void attack(Number(port), storm, index);
console.log("begun");
createInterface({ input: process.stdin }).once("line", () => {
  console.log(`over ${rounds}`);
  process.exit(0);
});
