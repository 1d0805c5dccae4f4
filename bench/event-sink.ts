// A receiver of webhooks that takes everything and counts it, as a process of its own. Prints
// "port N"; asked "count", it answers how many requests and events it took. It verifies nothing:
// it shares its cores with what is measured.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";

export interface SinkCount {
  readonly requests: number;
  readonly events: number;
}

const idOfEvent = Buffer.from('{"id":"');

function eventsIn(body: Buffer): number {
  let events = 0;
  for (let at = body.indexOf(idOfEvent); at >= 0; at = body.indexOf(idOfEvent, at + 1)) events += 1;
  // A single event has no id within: it stands in a header.
  return Math.max(1, events);
}

const count = { requests: 0, events: 0 };
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    count.requests += 1;
    count.events += eventsIn(Buffer.concat(chunks));
    response.writeHead(204).end();
  });
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`);
});
createInterface({ input: process.stdin }).on("line", (question) => {
  process.stdout.write(`${question} ${JSON.stringify(count)}\n`);
});
