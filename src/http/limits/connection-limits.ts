// Limits what connections hold before a request exists, and how many requests of one are not
// answered yet.
import type { RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { RequestLimits } from "./request-limits.ts";

interface Connection {
  readonly socket: Socket;
  readonly unanswered: Set<ServerResponse>;
  /** `bytesRead` of the socket when its last request was answered. */
  readBefore: number;
  /** No further request is processed; done once those that arrived whole are answered. */
  end: (() => void) | undefined;
}

export interface ConnectionLimitsOptions {
  readonly limits: Pick<RequestLimits, "unanswered" | "headOctets">;
  readonly onShed: (reason: "requests" | "heads") => void;
  /** Called a few times a second. */
  readonly onHeld: (held: { readonly connections: number; readonly headOctets: number }) => void;
}

const lookEveryMs = 250;

export class ConnectionLimits {
  readonly #options: ConnectionLimitsOptions;
  readonly #connections = new Map<Socket, Connection>();

  constructor(options: ConnectionLimitsOptions) {
    this.#options = options;
  }

  /** Passes the requests of the server to `handle`. */
  watch(server: Server, handle: RequestListener): void {
    const arrive = this.#passTo(handle);
    server.on("connection", (socket: Socket) => this.#open(socket));
    server.on("request", arrive);
    // Node.js would answer 417 without a body. RFC 9110 §10.1.1 leaves the choice to the server.
    server.on("checkExpectation", arrive);
    const looking = setInterval(() => this.#look(), lookEveryMs).unref();
    server.once("close", () => clearInterval(looking));
  }

  /** Processes no further request, and does `then` when those that arrived whole are answered. */
  endAfterAnswers(socket: Socket, then: () => void): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined || connection.end !== undefined) return;
    connection.end = then;
    endIfAnswered(connection);
  }

  #open(socket: Socket): void {
    const unanswered = new Set<ServerResponse>();
    this.#connections.set(socket, { socket, unanswered, readBefore: 0, end: undefined });
    socket.once("close", () => {
      this.#connections.delete(socket);
      // Node.js 20 closes only the response that has the socket. Node.js 24 has by then closed those that
      // wait behind it, too: none may be closed twice.
      setImmediate(() => unanswered.forEach((response) => response.emit("close")));
    });
  }

  #passTo(handle: RequestListener): RequestListener {
    return (request, response) => {
      const { socket } = request;
      const connection = this.#connections.get(socket);
      if (connection === undefined) return;
      const { unanswered } = connection;
      if (connection.end === undefined && unanswered.size >= this.#options.limits.unanswered) {
        this.#options.onShed("requests");
        this.endAfterAnswers(socket, () => socket.destroySoon());
      }
      if (connection.end !== undefined) {
        socket.pause();
        return;
      }
      unanswered.add(response);
      response.on("close", () => {
        unanswered.delete(response);
        connection.readBefore = socket.bytesRead;
        if (connection.end !== undefined) endIfAnswered(connection);
      });
      handle(request, response);
    };
  }

  /** The connections of requests that are not answered yet end with their answers. */
  closeAfterAnswers(): void {
    for (const { unanswered } of this.#connections.values())
      for (const response of unanswered) if (!response.headersSent) response.setHeader("connection", "close");
  }

  /** Node.js has no event for a head that has arrived partly, so connections are looked at. */
  #look(): void {
    const heads = [...this.#connections.values()].filter(({ unanswered }) => unanswered.size === 0);
    const octetsOf = ({ socket, readBefore }: Connection): number => socket.bytesRead - readBefore;
    let headOctets = heads.reduce((sum, connection) => sum + octetsOf(connection), 0);
    this.#options.onHeld({ connections: this.#connections.size, headOctets });
    if (headOctets <= this.#options.limits.headOctets) return;
    for (const connection of heads.sort((one, other) => octetsOf(other) - octetsOf(one))) {
      if (headOctets <= this.#options.limits.headOctets) return;
      headOctets -= octetsOf(connection);
      this.#options.onShed("heads");
      connection.socket.destroy();
    }
  }
}

function endIfAnswered({ unanswered, end }: Connection): void {
  if (end !== undefined && ![...unanswered].some(({ req }) => req.complete)) end();
}
