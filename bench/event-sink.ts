// A receiver of webhooks, as a process of its own. Prints "port N"; asked "count", it answers what
// came on the path "/", which takes everything, and how long its events had been on their way since
// the last question. The other paths are endpoints as nobody wants them. It verifies nothing: it
// shares its cores with what is measured.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { type Spread, spreadOf } from "./percentiles.ts";

export interface SinkCount {
  readonly requests: number;
  readonly events: number;
  /** Requests under way at the same time, in all. */
  readonly mostAtOnce: number;
  /** From when each event happened, by the database's clock, until it came. */
  readonly delayMs: Spread;
}

export const sinkPaths = { takes: "/", slow: "/slow", silent: "/silent", refuses: "/refuses" } as const;
const slowMs = 10_000;

const idOfEvent = Buffer.from('{"id":"');
const timestamp = Buffer.from('"timestamp":"');
const timestampLength = "2026-11-22T00:00:00.000Z".length;

function placesOf(mark: Buffer, body: Buffer): number[] {
  const places: number[] = [];
  for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, at + 1)) places.push(at);
  return places;
}

const count = { requests: 0, events: 0, mostAtOnce: 0 };
let atOnce = 0;
let delays: number[] = [];

function take(body: Buffer): void {
  const now = Date.now();
  // A single event has no id within: it stands in a header. A batch has a time of its own, first.
  const events = placesOf(idOfEvent, body).length;
  const times = placesOf(timestamp, body).slice(events === 0 ? 0 : 1);
  count.requests += 1;
  count.events += Math.max(1, events);
  for (const at of times) {
    const from = at + timestamp.length;
    delays.push(now - Date.parse(body.toString("latin1", from, from + timestampLength)));
  }
}

function answer({ url }: IncomingMessage, response: ServerResponse): void {
  if (url === sinkPaths.silent) return;
  if (url === sinkPaths.slow) setTimeout(() => response.writeHead(204).end(), slowMs);
  else response.writeHead(url === sinkPaths.refuses ? 503 : 204).end();
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  if (request.url === sinkPaths.takes) {
    atOnce += 1;
    count.mostAtOnce = Math.max(count.mostAtOnce, atOnce);
    response.on("close", () => (atOnce -= 1));
  }
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    if (request.url === sinkPaths.takes) take(Buffer.concat(chunks));
    answer(request, response);
  });
});

if (process.argv[2] === "serve") {
  server.listen(0, "127.0.0.1", () => {
    process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`);
  });
  createInterface({ input: process.stdin }).on("line", (question) => {
    const told: SinkCount = { ...count, delayMs: spreadOf(delays) };
    delays = [];
    process.stdout.write(`${question} ${JSON.stringify(told)}\n`);
  });
}
