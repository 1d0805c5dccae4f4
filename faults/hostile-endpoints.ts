// Endpoints of customers as nobody wants them: one server, whose paths misbehave each in its own
// way and count what came to them.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer as createTrap, type Server } from "node:net";
import path from "node:path";
import { pipeline, Readable } from "node:stream";
import { root } from "../bench/processes.ts";

/** What came to one path. */
export class Visits {
  requests = 0;
  atOnce = 0;
  /** For longer than the end of a connection takes. */
  mostAtOnce = 0;
  /** Ids of the events that were answered 204. */
  readonly taken = new Set<string>();
  /** That a body was made of. */
  octets = 0;
}

type Behaviour = (request: IncomingMessage, response: ServerResponse, visits: Visits) => void;

const dripEveryMs = 500;
/** Until the end of a connection has come. */
const cutMs = 200;
const gigabyte = 1 << 30;
const chunk = Buffer.alloc(64 << 10, "a");

const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (_, response) =>
    response.writeHead(code, headers).end();

const take: Behaviour = ({ headers }, response, { taken }) => {
  taken.add(String(headers["webhook-id"]));
  response.writeHead(204).end();
};

const behaviours = {
  takes: take,
  hangs: () => undefined,
  /** A head that goes on and on, an octet at a time. */
  drips: ({ socket }) => {
    socket.write("HTTP/1.1 200 OK\r\nx-drip: ");
    const timer = setInterval(() => socket.write("a"), dripEveryMs);
    socket.on("close", () => clearInterval(timer)).on("error", () => undefined);
  },
  refuses: status(500),
  gone: status(410),
  redirects: status(302, { location: "/redirected" }),
  redirected: take,
  floods: (_, response, visits) => {
    function* chunks(): Generator<Buffer> {
      for (let left = gigabyte; left > 0; left -= chunk.length) {
        visits.octets += chunk.length;
        yield chunk;
      }
    }
    response.writeHead(200);
    pipeline(Readable.from(chunks(), { objectMode: false }), response, () => undefined);
  },
  resets: ({ socket }) => socket.resetAndDestroy(),
  /** Each request looks up its name anew. */
  "leads elsewhere": (request, response, visits) => {
    response.setHeader("connection", "close");
    take(request, response, visits);
  },
  recovers: status(500),
  "is edited": status(500),
  edited: take,
  "is disabled": status(500),
  "is deleted": status(500),
} satisfies Readonly<Record<string, Behaviour>>;

export type HostilePath = keyof typeof behaviours;

export class HostileEndpoints {
  readonly #visits = new Map<string, Visits>();
  readonly #isGood = new Set<string>();
  readonly #listener: RequestListener = (request, response) => this.#answer(request, response);
  readonly #plain = createServer(this.#listener);
  readonly #secure = createSecureServer(
    { key: readFixture("server-key.pem"), cert: readFixture("server.pem") },
    this.#listener,
  );
  readonly #trap = createTrap((socket) => {
    this.trapped += 1;
    socket.destroy();
  });
  /** Connections to the address that nothing may be sent to. */
  trapped = 0;

  static async start(): Promise<HostileEndpoints> {
    const endpoints = new HostileEndpoints();
    await once(endpoints.#plain.listen(0, "127.0.0.1"), "listening");
    await once(endpoints.#secure.listen(0, "127.0.0.1"), "listening");
    await once(endpoints.#trap.listen(portOf(endpoints.#plain), "127.0.0.2"), "listening");
    return endpoints;
  }

  /** `host`: the name that it is asked by. */
  url(name: HostilePath, host = "127.0.0.1"): string {
    return `http://${host}:${portOf(this.#plain)}/${encodeURIComponent(name)}`;
  }

  /** Its certificate is signed by nobody whom the gateway trusts. */
  get untrustedUrl(): string {
    return `https://127.0.0.1:${portOf(this.#secure)}/takes`;
  }

  visits(name: HostilePath): Visits {
    const found = this.#visits.get(name) ?? new Visits();
    this.#visits.set(name, found);
    return found;
  }

  /** From now on it takes what comes. */
  mend(name: HostilePath): void {
    this.#isGood.add(name);
  }

  stop(): void {
    for (const server of [this.#plain, this.#secure]) server.closeAllConnections();
    for (const server of [this.#plain, this.#secure, this.#trap]) server.close();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const name = decodeURIComponent(request.url?.slice(1) ?? "") as HostilePath;
    const visits = this.visits(name);
    visits.requests += 1;
    visits.atOnce += 1;
    // A request that follows one that was cut may be here before the end of that one.
    setTimeout(() => (visits.mostAtOnce = Math.max(visits.mostAtOnce, visits.atOnce)), cutMs);
    response.on("close", () => (visits.atOnce -= 1));
    request.resume().on("error", () => undefined);
    const behaviour: Behaviour = this.#isGood.has(name) ? take : behaviours[name];
    request.on("end", () => behaviour(request, response, visits));
  }
}

function readFixture(name: string): string {
  return readFileSync(path.join(root, "test/fixtures/tls", name), "utf8");
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
