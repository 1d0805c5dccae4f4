// The requests that the server has begun with and not ended: how many there are, and what is told of each when it is over.
import type { ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Telemetry } from "../telemetry.ts";

interface Begun {
  readonly request: FastifyRequest;
  /** Of performance.now(). */
  readonly at: number;
}

export class RequestsUnderWay {
  readonly #begun = new Map<ServerResponse, Begun>();
  readonly #onClose: (this: ServerResponse) => void;
  #isLast = false;

  /** `ended` is called once for every request, answered or given up. */
  constructor(telemetry: Telemetry, ended: (request: FastifyRequest) => void) {
    const end = (response: ServerResponse): void => {
      const begun = this.#begun.get(response);
      if (begun === undefined) return;
      this.#begun.delete(response);
      ended(begun.request);
      if (response.writableFinished) tellAnswered(telemetry, response, begun);
    };
    this.#onClose = function () {
      end(this);
    };
  }

  get count(): number {
    return this.#begun.size;
  }

  /** A listener of its own for each request would be garbage for each request. */
  begin(request: FastifyRequest, { raw: response }: FastifyReply): void {
    this.#begun.set(response, { request, at: performance.now() });
    response.on("close", this.#onClose);
    if (this.#isLast) endConnectionWith(response);
  }

  /** From now on the answer to a request ends its connection. */
  closeConnections(): void {
    this.#isLast = true;
    for (const response of this.#begun.keys()) endConnectionWith(response);
  }
}

function tellAnswered(telemetry: Telemetry, { statusCode: status }: ServerResponse, { request, at }: Begun): void {
  const route = request.is404 ? "unknown" : (request.routeOptions.url ?? "unknown");
  telemetry.emit("http.answered", { method: request.method, route, status, durationMs: performance.now() - at });
}

function endConnectionWith(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("connection", "close");
}
