// Cuts the peer's octets into PDUs. Responses are passed on at once. Requests are served in order,
// and only while there is room for them. Reading continues only after everything read so far is
// served.
import { responseBit, maximumPduOctets, minimumPduOctets } from "./constants.ts";
import { decodePdu, type DecodedPdu } from "./pdu-codec.ts";
import type { NoticePdu, RequestPdu, ResponsePdu } from "./pdu.ts";
import type { ReadingGate, SessionClock } from "./session-clock.ts";

/** The stream cannot be read any further: after a wrong length, the next PDU cannot be found. */
export interface FramingLost {
  readonly commandLength: number;
  /** Of the faulty PDU where it can be read, else 0 (SMPP 3.4 §4.3.1). */
  readonly sequenceNumber: number;
}

const lengthOctets = 4;

/**
 * Cuts a byte stream into PDUs by command_length (SMPP 3.4 §3.2), however it is split into chunks.
 * A frame that lies within one chunk is a view of it. A frame that spans chunks is copied once.
 */
export class FrameDecoder {
  /** An incomplete frame: only its length field at first, then all of it. */
  #partial: Buffer | undefined;
  #filled = 0;
  #lost: FramingLost | undefined;

  /** Calls `onFrame` for each whole PDU in order. After framing is lost, all input is ignored. */
  push(chunk: Buffer, onFrame: (frame: Buffer) => void): FramingLost | undefined {
    let position = 0;
    while (position < chunk.length && this.#lost === undefined) {
      if (this.#partial !== undefined) {
        position = this.#fill(this.#partial, chunk, position, onFrame);
        continue;
      }
      const available = chunk.length - position;
      const length = available < lengthOctets ? undefined : chunk.readUInt32BE(position);
      if (length !== undefined && !isBelievable(length)) {
        this.#lost = { commandLength: length, sequenceNumber: sequenceNumberAt(chunk, position, length) };
      } else if (length !== undefined && length <= available) {
        onFrame(chunk.subarray(position, position + length));
        position += length;
      } else {
        this.#partial = Buffer.allocUnsafe(length ?? lengthOctets);
        this.#filled = 0;
      }
    }
    return this.#lost;
  }

  #fill(partial: Buffer, chunk: Buffer, position: number, onFrame: (frame: Buffer) => void): number {
    const copied = Math.min(partial.length - this.#filled, chunk.length - position);
    chunk.copy(partial, this.#filled, position, position + copied);
    this.#filled += copied;
    if (this.#filled < partial.length) return position + copied;
    if (partial.length > lengthOctets) {
      this.#partial = undefined;
      onFrame(partial);
      return position + copied;
    }
    const length = partial.readUInt32BE(0);
    if (isBelievable(length)) {
      this.#partial = Buffer.allocUnsafe(length);
      partial.copy(this.#partial);
    } else {
      this.#lost = { commandLength: length, sequenceNumber: 0 };
    }
    return position + copied;
  }
}

function isBelievable(commandLength: number): boolean {
  return commandLength >= minimumPduOctets && commandLength <= maximumPduOctets;
}

function sequenceNumberAt(chunk: Buffer, position: number, commandLength: number): number {
  if (commandLength < minimumPduOctets || chunk.length - position < minimumPduOctets) return 0;
  return chunk.readUInt32BE(position + 12);
}

export type Unreadable = Extract<DecodedPdu, { ok: false }>;

export interface IncomingStreamOptions {
  readonly reading: ReadingGate;
  readonly clock: SessionClock;
  readonly onResponse: (pdu: ResponsePdu) => void;
  readonly onUnreadable: (pdu: Unreadable) => void;
  /**
   * Whether a request of that size may be served now. If not, `resume` is called when that may have
   * changed.
   */
  readonly hasRoom: (octets: number) => boolean;
  readonly serve: (pdu: RequestPdu | NoticePdu, octets: number) => void;
  /** Called after everything before it has been served. */
  readonly onFramingLost: (lost: FramingLost) => void;
}

interface Received {
  readonly pdu: RequestPdu | NoticePdu;
  /** The size of the PDU. */
  readonly octets: number;
}

/** How long one turn of the event loop serves requests, so that a flood of them delays nothing else. */
const turnMs = 10;

/** A request that cannot be served yet blocks those behind it. */
export class IncomingStream {
  readonly #options: IncomingStreamOptions;
  readonly #decoder = new FrameDecoder();
  #requests: Received[] = [];
  /** Requests before this index are served. */
  #next = 0;
  #isServing = false;
  #isScheduled = false;
  #lost: FramingLost | undefined;
  #isEnding = false;

  constructor(options: IncomingStreamOptions) {
    this.#options = options;
  }

  take(chunk: Buffer): void {
    this.#lost = this.#decoder.push(chunk, this.#accept);
    // The responses have been passed on by now, so a flood of requests cannot delay them until they
    // time out.
    if (this.#lost !== undefined || this.#requests.length > 0) this.#serve();
  }

  /** There may be room for more requests: continues in the next turn if any waits. */
  resume(): void {
    if (this.#isScheduled || this.#requests.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#requests.length > 0) this.#serve();
    });
  }

  /** Keeps the clock running from now on, whatever is still to be served. */
  letTimeRun(): void {
    this.#isEnding = true;
    this.#options.clock.go();
  }

  /** Drops what has not been served. */
  end(): void {
    this.#requests = [];
    this.#next = 0;
  }

  readonly #accept = (frame: Buffer): void => {
    // A request may wait a long time for its answer. A small one must not keep the whole chunk in
    // memory.
    const isOfResponse = (frame.readUInt32BE(4) & responseBit) !== 0;
    const mayStay = isOfResponse || frame.length * 2 > frame.buffer.byteLength;
    const decoded = decodePdu(mayStay ? frame : Buffer.from(frame));
    if (!decoded.ok) this.#options.onUnreadable(decoded);
    else if (isOfResponse) this.#options.onResponse(decoded.pdu as ResponsePdu);
    else this.#requests.push({ pdu: decoded.pdu as RequestPdu | NoticePdu, octets: frame.length });
  };

  /** Serves requests now while there is room; the rest follow in later turns. */
  #serve(): void {
    const { hasRoom, serve, reading, clock, onFramingLost } = this.#options;
    if (this.#isServing) return;
    this.#isServing = true;
    const endsAt = performance.now() + turnMs;
    let isTurnOver = false;
    for (let next = this.#requests[this.#next]; next !== undefined && !isTurnOver; next = this.#requests[this.#next]) {
      if (!hasRoom(next.octets)) break;
      this.#next += 1;
      serve(next.pdu, next.octets);
      isTurnOver = performance.now() > endsAt;
    }
    this.#isServing = false;
    const isEmpty = this.#next >= this.#requests.length;
    if (isEmpty) this.end();
    else if (isTurnOver) this.resume();
    reading.set("unserved", !isEmpty);
    // The socket may already hold answers to our requests, so none of them counts as late.
    if (isEmpty || this.#isEnding) clock.go();
    else clock.stop();
    if (isEmpty && this.#lost !== undefined) onFramingLost(this.#lost);
  }
}
