// An SMSC that means harm: takes every bind, and floods the bound session with deliver_sm as fast
// as the socket takes them. It reads all answers, and submits to nothing that a gateway asks of it
// but binds and enquiries.
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { commandStatus } from "../src/smpp/constants.ts";
import { FrameDecoder } from "../src/smpp/incoming-stream.ts";
import { decodePdu, encodePdu } from "../src/smpp/pdu-codec.ts";
import { buildResponse, type DeliverSm, type Pdu } from "../src/smpp/pdu.ts";

export interface FloodAnswers {
  /** deliver_sm answered ESME_ROK. */
  readonly taken: number;
  /** Answered with an error. */
  readonly refused: number;
}

export class HostileSmsc {
  readonly #server: Server = createServer((socket) => this.#serve(socket));
  readonly #sockets = new Set<Socket>();
  #bound: Socket | undefined;
  #taken = 0;
  #refused = 0;
  #wake: (() => void) | undefined;

  async listen(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async untilBound(deadlineMs = 30_000): Promise<void> {
    if (!(await this.#until(() => this.#bound !== undefined, deadlineMs)))
      throw new Error("nobody binds to the flooder");
  }

  /**
   * Writes all of them, and waits until each has its answer, the link is gone, or the time is over.
   */
  async flood(deliveries: readonly Buffer[], deadlineMs: number): Promise<FloodAnswers> {
    const socket = this.#bound;
    if (socket === undefined) throw new Error("the flooder is not bound");
    this.#taken = 0;
    this.#refused = 0;
    for (const octets of deliveries) {
      if (socket.destroyed) break;
      await new Promise<void>((resolve) => socket.write(octets, () => resolve()));
    }
    await this.#until(() => this.#taken + this.#refused >= deliveries.length || socket.destroyed, deadlineMs);
    return { taken: this.#taken, refused: this.#refused };
  }

  async #until(isSo: () => boolean, deadlineMs: number): Promise<boolean> {
    const endsAt = performance.now() + deadlineMs;
    while (!isSo() && performance.now() < endsAt) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, endsAt - performance.now());
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return isSo();
  }

  #serve(socket: Socket): void {
    const decoder = new FrameDecoder();
    this.#sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#sockets.delete(socket);
      if (this.#bound === socket) this.#bound = undefined;
      this.#wake?.();
    });
    socket.on("data", (chunk: Buffer) => {
      decoder.push(chunk, (frame) => {
        const decoded = decodePdu(frame);
        if (decoded.ok) this.#take(socket, decoded.pdu);
      });
      this.#wake?.();
    });
  }

  #take(socket: Socket, pdu: Pdu): void {
    switch (pdu.command) {
      case "deliver_sm_resp":
        if (pdu.command_status === commandStatus.ESME_ROK) this.#taken += 1;
        else this.#refused += 1;
        return;
      case "bind_transceiver":
        this.#bound = socket;
        break;
      case "enquire_link":
      case "unbind":
        break;
      default:
        return;
    }
    socket.write(encodePdu(buildResponse(pdu, { command_status: commandStatus.ESME_ROK })));
  }
}

const deliverSm: DeliverSm = {
  command: "deliver_sm",
  command_status: 0,
  sequence_number: 0,
  service_type: "",
  source_addr_ton: 1,
  source_addr_npi: 1,
  source_addr: "989121234567",
  dest_addr_ton: 0,
  dest_addr_npi: 1,
  destination_addr: "10001234",
  esm_class: 0,
  protocol_id: 0,
  priority_flag: 0,
  schedule_delivery_time: "",
  validity_period: "",
  registered_delivery: 0,
  replace_if_present_flag: 0,
  data_coding: 0,
  sm_default_msg_id: 0,
  short_message: Buffer.alloc(0),
  tlvs: [],
};

/** A tag of the vendors' range, which means nothing. */
const vendorTag = 0x1500;
const payloadTag = 0x0424;

/** Messages of one word, each with so many TLVs that hold nothing. */
export function manyTlvs(count: number, tlvs: number): readonly Buffer[] {
  const empty = Array.from({ length: tlvs }, () => ({ tag: vendorTag, value: Buffer.alloc(0) }));
  return numbered(count, (number) => ({ short_message: Buffer.from(`tlvs ${number}`), tlvs: empty }));
}

/** Messages whose text is a message_payload of so many octets. */
export function longPayloads(count: number, octets: number): readonly Buffer[] {
  return numbered(count, (number) => {
    const value = Buffer.alloc(octets, `payload ${number} `);
    return { tlvs: [{ tag: payloadTag, value }] };
  });
}

function numbered(count: number, fields: (number: number) => Partial<DeliverSm>): readonly Buffer[] {
  return Array.from({ length: count }, (_, index) =>
    encodePdu({ ...deliverSm, sequence_number: index + 1, ...fields(index + 1) }),
  );
}
