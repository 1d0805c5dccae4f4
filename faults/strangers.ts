// A process of strangers, who connect again and again, each from an address of its own, and send as
// much as they can of what the HTTP side must hold: node --import tsx faults/strangers.ts PORT
// ATTACK. Prints "begun"; asked "over", what their connections were answered.
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

interface Attack {
  readonly connections: number;
  /** From how many addresses; by default each connection has another one each time. */
  readonly addresses?: number;
  /** What the connection of that number sends, piece after piece, as long as it stands. */
  readonly pieces: (number: number) => readonly (Buffer | string)[];
  /** Does not wait for the server to take what was sent, and leaves at once. */
  readonly leaves?: boolean;
  /** Takes what it is answered. */
  readonly reads?: boolean;
}

const filling = Buffer.alloc(64 << 10, "a");
const fillings = (octets: number): readonly Buffer[] => Array.from({ length: octets / filling.length }, () => filling);
const pipelined = Buffer.from(
  `GET /account/balance HTTP/1.1\r\nhost: x\r\nx-api-key: wrong\r\n\r\n${"GET /x HTTP/1.1\r\nhost: x\r\n\r\n".repeat(2400)}`,
);
const probes = Buffer.from("GET /health/ready HTTP/1.1\r\nhost: x\r\n\r\n".repeat(50));
const openBody =
  "POST /api/v1/messages/send/url HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 600000\r\n\r\n";

/** By `auth/token` and by the URL credentials in turn. */
function guess(number: number, name: string): readonly string[] {
  const end = "HTTP/1.1\r\nhost: x\r\nconnection: close\r\n";
  if (number % 2 === 0) {
    const query = `username=${name}&password=guess-${number}&domain=caller.example`;
    return [`GET /api/v1/messages/send/url/credentials?${query} ${end}\r\n`];
  }
  const body = JSON.stringify({ userName: name, password: `guess-${number}`, domain: "caller.example" });
  const head = `content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
  return [`POST /auth/token ${end}${head}\r\n${body}`];
}

const guessOne = (number: number): readonly string[] => guess(number, "user-0");

export const attacks = {
  "pipelining-storm": { connections: 5, addresses: 1, pieces: () => [pipelined], leaves: true },
  "readiness-storm": { connections: 200, addresses: 1, pieces: () => [probes] },
  "unfinished-bodies": { connections: 536, addresses: 4, pieces: () => [openBody, ...fillings(500_000)] },
  // Twice what a head may have.
  "unfinished-heads": { connections: 450, addresses: 4, pieces: () => ["GET /?", ...fillings(2 << 20)] },
  "guess-one-address": { connections: 450, addresses: 1, pieces: guessOne, reads: true },
  "guess-few-addresses": { connections: 450, addresses: 9, pieces: guessOne, reads: true },
  "guess-fresh-addresses": { connections: 320, pieces: (number) => guess(number, `name-${number}`), reads: true },
} satisfies Readonly<Record<string, Attack>>;
export type AttackName = keyof typeof attacks;

/** Between two connections of one stranger who waits for no answer. */
const pauseMs = 100;
const writeMs = 1_000;
/** By their status, or none. */
const answers: Record<string, number> = {};
let connections = 0;

async function attackFrom(
  index: number,
  port: number,
  { addresses, pieces, leaves = false, reads = false }: Attack,
): Promise<never> {
  for (;;) {
    connections += 1;
    const number = connections;
    const localAddress =
      addresses === undefined
        ? `127.${16 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`
        : `127.0.3.${(index % addresses) + 1}`;
    const socket = connect({ host: "127.0.0.1", port, localAddress });
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    let status = "none";
    socket.on("error", () => undefined);
    if (reads) socket.once("data", (octets) => (status = octets.toString("latin1", 9, 12)));
    else socket.pause();
    for (const piece of pieces(number)) await written(socket, piece, closed);
    if (!leaves) await closed;
    socket.destroy();
    answers[status] = (answers[status] ?? 0) + 1;
    await delay(reads ? 0 : pauseMs);
  }
}

async function written(socket: Socket, piece: Buffer | string, closed: Promise<void>): Promise<void> {
  if (socket.destroyed) return;
  await Promise.race([new Promise<void>((resolve) => socket.write(piece, () => resolve())), closed, delay(writeMs)]);
}

if (process.argv[1] === import.meta.filename) {
  const [port = "", name = ""] = process.argv.slice(2);
  const attack: Attack = attacks[name as AttackName];
  for (let index = 0; index < attack.connections; index += 1) void attackFrom(index, Number(port), attack);
  console.log("begun");
  createInterface({ input: process.stdin }).on("line", () => console.log(`over ${JSON.stringify(answers)}`));
}
