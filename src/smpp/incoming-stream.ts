// The peer's octets on their way to those who act on them: cut into PDUs, responses handed over at once, requests served in order and no faster than
// there is room for them. Nothing more is read until all that was read is served.

import { responseBit } from "./constants.ts";
import { FrameDecoder, type FramingLost } from "./frame-decoder.ts";
import { decodePdu, type DecodedPdu } from "./pdu-codec.ts";
import { isResponse, type NoticePdu, type RequestPdu, type ResponsePdu } from "./pdu.ts";
import type { ReadingGate } from "./reading-gate.ts";
import { ServingQueue } from "./serving-queue.ts";
import type { SessionClock } from "./session-clock.ts";

export type Unreadable = Extract<DecodedPdu, { ok: false }>;

export interface IncomingStreamOptions {
  readonly reading: ReadingGate;
  readonly clock: SessionClock;
  readonly onResponse: (pdu: ResponsePdu) => void;
  readonly onUnreadable: (pdu: Unreadable) => void;
  /** Whether a request of that size may be served now. Where it may not, `resume` is called when that may have changed. */
  readonly hasRoom: (octets: number) => boolean;
  readonly serve: (pdu: RequestPdu | NoticePdu, octets: number) => void;
  /** After all that came before was served. */
  readonly onFramingLost: (lost: FramingLost) => void;
}

interface Received {
  readonly pdu: RequestPdu | NoticePdu;
  /** The size of the PDU. */
  readonly octets: number;
}

export class IncomingStream {
  readonly #options: IncomingStreamOptions;
  readonly #decoder = new FrameDecoder();
  readonly #received: ServingQueue<Received>;
  #lost: FramingLost | undefined;
  #isEnding = false;

  constructor(options: IncomingStreamOptions) {
    this.#options = options;
    this.#received = new ServingQueue({
      hasRoom: ({ octets }) => options.hasRoom(octets),
      serve: ({ pdu, octets }) => options.serve(pdu, octets),
      afterTurn: (isEmpty) => this.#afterTurn(isEmpty),
    });
  }

  take(chunk: Buffer): void {
    this.#lost = this.#decoder.push(chunk, (frame) => this.#accept(frame));
    // Responses were handed over on the way: a flood of requests must not make answers late (they would time out).
    this.#received.serve();
  }

  /** There may be room for further requests. */
  resume(): void {
    this.#received.resume();
  }

  /** From now on time counts, whatever is still to be served. */
  letTimeRun(): void {
    this.#isEnding = true;
    this.#options.clock.go();
  }

  /** Forgets what is not served. */
  end(): void {
    this.#received.clear();
  }

  #accept(frame: Buffer): void {
    const decoded = decodePdu(ownFrame(frame));
    if (!decoded.ok) this.#options.onUnreadable(decoded);
    else if (isResponse(decoded.pdu)) this.#options.onResponse(decoded.pdu);
    else this.#received.add({ pdu: decoded.pdu, octets: frame.length });
  }

  #afterTurn(isEmpty: boolean): void {
    const { reading, clock, onFramingLost } = this.#options;
    reading.set("unserved", !isEmpty);
    // Answers to our requests may lie in the socket by now: none counts as late.
    if (isEmpty || this.#isEnding) clock.go();
    else clock.stop();
    if (isEmpty && this.#lost !== undefined) onFramingLost(this.#lost);
  }
}

/** A request may wait long for its answer: a small one must not keep the whole chunk that it came with. */
function ownFrame(frame: Buffer): Buffer {
  const isOfResponse = (frame.readUInt32BE(4) & responseBit) !== 0;
  return isOfResponse || frame.length * 2 > frame.buffer.byteLength ? frame : Buffer.from(frame);
}
