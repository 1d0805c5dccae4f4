/**
 * The SMSC's side: listens, with or without TLS, and creates a session for each connection.
 * `onBind` decides who may bind.
 */

import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { SmppSession } from "./session.ts";
import type { SessionHandlers, SessionSettings } from "./session-options.ts";

export interface ListenOptions extends Partial<SessionSettings>, SessionHandlers<SmppSession> {
  readonly host?: string;
  /** 0: any free port, shown by `SmppServer.port`. */
  readonly port?: number;
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer };
  /** Called for each connection, before its bind. */
  readonly onSession?: (session: SmppSession) => void;
}

const maximumConnections = 1000;

export class SmppServer {
  readonly port: number;
  readonly #server: Server;
  readonly #sessions: ReadonlySet<SmppSession>;

  constructor(server: Server, sessions: ReadonlySet<SmppSession>) {
    const address = server.address();
    this.port = typeof address === "object" && address !== null ? address.port : 0;
    this.#server = server;
    this.#sessions = sessions;
  }

  /** Open sessions, bound or not. */
  get sessions(): readonly SmppSession[] {
    return [...this.#sessions];
  }

  /**
   * Refuses new connections, ends all sessions, and resolves when the port is free. `unbind`: sends
   * unbind first.
   */
  async close(manner: "unbind" | "close" | "destroy" = "close"): Promise<void> {
    const stopped = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await Promise.all(
      this.sessions.map(async (session) => {
        if (manner === "unbind") await session.unbind();
        else if (manner === "close") session.close();
        else session.destroy();
      }),
    );
    await stopped;
  }
}

/** Rejects if the port cannot be opened. */
export function listenSmpp(options: ListenOptions): Promise<SmppServer> {
  const { host = "127.0.0.1", port = 0, tls } = options;
  const sessions = new Set<SmppSession>();
  const accept = (socket: Socket): void => {
    const session = new SmppSession(socket, { ...options, role: "smsc" });
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    options.onSession?.(session);
  };
  return new Promise((resolve, reject) => {
    const server =
      tls === undefined ? createTcpServer(accept) : createTlsServer({ ...tls, minVersion: "TLSv1.2" }, accept);
    server.maxConnections = maximumConnections;
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve(new SmppServer(server, sessions));
    });
  });
}
