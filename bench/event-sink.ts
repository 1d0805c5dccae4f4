// A receiver of webhooks, as a process of its own. Prints "port N"; asked "count", it answers how many
// events came. It verifies nothing: it shares its cores with what is measured.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { withScript } from "./processes.ts";

export interface Sink {
  readonly port: number;
  /** How many events came so far. */
  count(): Promise<number>;
}

export function withSink<T>(work: (sink: Sink) => Promise<T>): Promise<T> {
  return withScript("event-sink.ts", ["serve"], {}, (sink, port) =>
    work({ port, count: async () => Number(await sink.ask("count")) }),
  );
}

const idOfEvent = Buffer.from('{"id":"');

/** A single event has no id within: it stands in a header. */
function eventsIn(body: Buffer): number {
  let events = 0;
  for (let at = body.indexOf(idOfEvent); at >= 0; at = body.indexOf(idOfEvent, at + 1)) events += 1;
  return Math.max(1, events);
}

if (process.argv[2] === "serve") {
  let events = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      events += eventsIn(Buffer.concat(chunks));
      response.writeHead(204).end();
    });
  });
  server.listen(0, "127.0.0.1", () => {
    process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`);
  });
  createInterface({ input: process.stdin }).on("line", () => process.stdout.write(`count ${events}\n`));
}
