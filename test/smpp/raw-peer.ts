/**
 * The other end of a session as bare as can be: one TCP connection that notes every PDU it gets and
 * sends whatever octets a test likes. Tests wait for PDUs and for the end of the connection, never
 * for time.
 */

import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { FrameDecoder } from "../../src/smpp/incoming-stream.ts";
import { decodePdu, encodePdu } from "../../src/smpp/pdu-codec.ts";
import { buildResponse, type BindPdu, type Pdu, type RequestPdu, type SmppAnswer } from "../../src/smpp/pdu.ts";

/** Ends what hangs; nothing is asserted by it. */
const deadlineMs = 60_000;

type PduOf<Command extends Pdu["command"]> = Extract<Pdu, { readonly command: Command }>;

export class RawPeer {
  readonly socket: Socket;
  readonly received: Pdu[] = [];
  readonly closed: Promise<void>;
  readonly #unread: Pdu[] = [];
  #wake: (() => void) | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    const decoder = new FrameDecoder();
    this.closed = new Promise((resolve) => socket.once("close", () => resolve()));
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => {
      decoder.push(chunk, (frame) => {
        const decoded = decodePdu(frame);
        if (!decoded.ok) throw new Error(`the session sent a bad PDU: ${decoded.reason}`);
        this.received.push(decoded.pdu);
        this.#unread.push(decoded.pdu);
      });
      this.#wake?.();
    });
  }

  /**
   * The next PDU of that command that was not asked for before; those before it are passed over.
   */
  async next<Command extends Pdu["command"]>(command: Command): Promise<PduOf<Command>> {
    const endsAt = performance.now() + deadlineMs;
    for (;;) {
      const index = this.#unread.findIndex((pdu) => pdu.command === command);
      const [found] = index < 0 ? [] : this.#unread.splice(0, index + 1).slice(-1);
      if (found !== undefined) return found as PduOf<Command>;
      if (performance.now() > endsAt) throw new Error(`no ${command} came`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, endsAt - performance.now());
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  send(...pdus: readonly (Pdu | Buffer)[]): void {
    this.socket.write(Buffer.concat(pdus.map((pdu) => (Buffer.isBuffer(pdu) ? pdu : encodePdu(pdu)))));
  }

  answer(request: RequestPdu, answer: Partial<SmppAnswer> = {}): void {
    this.send(buildResponse(request, { command_status: 0, ...answer }));
  }
}

export interface RawSmsc {
  readonly port: number;
  /** The next connection. */
  accept(): Promise<RawPeer>;
  stop(): Promise<void>;
}

/** Listens like an SMSC, does nothing by itself. */
export async function startRawSmsc(): Promise<RawSmsc> {
  const waiting: RawPeer[] = [];
  const peers: RawPeer[] = [];
  const server: Server = createServer((socket) => {
    const peer = new RawPeer(socket);
    peers.push(peer);
    waiting.push(peer);
    server.emit("peer");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    accept: async () => {
      for (;;) {
        const peer = waiting.shift();
        if (peer !== undefined) return peer;
        await once(server, "peer", { signal: AbortSignal.timeout(deadlineMs) });
      }
    },
    stop: async () => {
      for (const { socket } of peers) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Connects like an ESME, does nothing by itself. */
export async function connectRaw(port: number): Promise<RawPeer> {
  const socket = connect({ port, host: "127.0.0.1" });
  await once(socket, "connect");
  return new RawPeer(socket);
}

export function bindPdu(command: BindPdu["command"] = "bind_transceiver", sequence_number = 1): BindPdu {
  return {
    command,
    command_status: 0,
    sequence_number,
    system_id: "esme",
    password: "secret",
    system_type: "",
    interface_version: 0x34,
    addr_ton: 0,
    addr_npi: 0,
    address_range: "",
    tlvs: [],
  };
}
