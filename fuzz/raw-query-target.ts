// Raw octets in queries, pipelined and cut anywhere, against a real HTTP server: every message
// arrives as if it had been percent-encoded, in its order, and nothing else does.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { answerBrokenRequest } from "../src/http/broken-request.ts";
import { readRawQueries } from "../src/http/raw-query.ts";
import { anyRequest, converse, cut, wireOfPipeline, type PipelinedRequest } from "./raw-query-wire.ts";
import { defineTarget, demand, type Subject, type Target } from "./target.ts";
import { writeExpression } from "./value.ts";

interface Pipeline {
  readonly [key: string]: readonly PipelinedRequest[] | readonly number[];
  readonly requests: readonly PipelinedRequest[];
  readonly cuts: readonly number[];
}

const maximumHead = 2 << 20;
const patienceMs = 10_000;
/** Longer than any pipeline here, so that cuts fall everywhere. */
const cutsBelow = 600;

class PipelineSubject implements Subject<Pipeline> {
  readonly #server: Server;

  static async open(): Promise<PipelineSubject> {
    const server = createServer({ maxHeaderSize: maximumHead, requireHostHeader: false }, (request, response) => {
      // A request that is cut off by the end of its connection has no answer.
      void describe(request).then(
        (text) => response.end(text),
        () => undefined,
      );
    });
    readRawQueries(server, maximumHead);
    server.on("clientError", answerBrokenRequest);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new PipelineSubject(server);
  }

  private constructor(server: Server) {
    this.#server = server;
  }

  async check({ requests, cuts }: Pipeline): Promise<void> {
    if (requests.length === 0) return;
    const { port } = this.#server.address() as AddressInfo;
    const encoded = await converse(port, [wireOfPipeline(requests, true)], patienceMs);
    const raw = await converse(port, cut(wireOfPipeline(requests, false), cuts), patienceMs);
    demand(raw !== undefined, "no end of the answers");
    demand(undated(raw) === undated(encoded ?? ""), () => `${undated(raw)}\ninstead of\n${undated(encoded ?? "")}`);
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }
}

async function describe(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString("latin1");
  return JSON.stringify([request.method, request.url, request.rawHeaders, body]);
}

function undated(answers: string): string {
  return answers.replace(/^Date: .*\r\n/gm, "");
}

export const rawQueryTarget: Target = defineTarget<Pipeline>({
  from: import.meta.url,
  name: "raw-queries",
  title: "raw octets in queries, pipelined and cut, against the same requests percent-encoded",
  budgetMs: 30_000,
  growthMegabytes: 16,
  generate: (random) => ({
    requests: random.list(1, 5, () => anyRequest(random)),
    cuts: random.list(0, random.chance(0.1) ? 200 : 4, () => random.below(cutsBelow)),
  }),
  open: () => PipelineSubject.open(),
  write: writeExpression,
});
