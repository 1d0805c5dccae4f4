/**
 * Writes the PDUs of one session to its socket: all of one turn of the event loop in one write.
 * While the socket's buffer is full nothing is written, and beyond a bound of unsent octets the
 * peer is not read from.
 */

import type { Socket } from "node:net";
import { OctetWriter } from "./octets.ts";
import { writePdu, writeRequest } from "./pdu-codec.ts";
import type { OutgoingRequest, ResponsePdu } from "./pdu.ts";
import type { ReadingGate } from "./session-clock.ts";

/** Beyond this, a peer that sends requests without reading our answers is not read from. */
const maximumUnsentOctets = 1 << 20;

export interface PduWriterOptions {
  readonly socket: Socket;
  readonly reading: ReadingGate;
  /** Asked just before requests that take a place in the window are written. */
  readonly mayRequest: (() => boolean) | undefined;
  /** The requests must not be written: the session ends without them. */
  readonly onForbidden: () => void;
}

export class PduWriter {
  readonly #options: PduWriterOptions;
  readonly #unsent = new OctetWriter();
  /** To be called after the next write. */
  #awaited: (() => void)[] = [];
  #writeNumber = 0;
  #isFlushScheduled = false;
  /** The write that contains the latest request with a place in the window. */
  #latestRequestIn = -1;
  #isBlocked = false;
  #isClosed = false;

  constructor(options: PduWriterOptions) {
    this.#options = options;
  }

  /** The socket's buffer is full. Nothing is written until it drains. */
  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  /** Of the write that comes next: what has a lower one was written. */
  get writeNumber(): number {
    return this.#writeNumber;
  }

  /**
   * Returns the number of the write that will contain it. Throws a RangeError for values that cannot be
   * encoded; then nothing was added.
   */
  request(request: OutgoingRequest, sequenceNumber: number, takesPlace: boolean): number {
    writeRequest(this.#unsent, request, sequenceNumber);
    if (takesPlace) this.#latestRequestIn = this.#writeNumber;
    this.#scheduleFlush();
    return this.#writeNumber;
  }

  /** `onWritten`: called when it was handed to the operating system. */
  response(response: ResponsePdu, onWritten?: () => void): void {
    writePdu(this.#unsent, response);
    if (onWritten !== undefined) this.#awaited.push(onWritten);
    this.#scheduleFlush();
  }

  octets(octets: Buffer): void {
    this.#unsent.octets(octets);
    this.#scheduleFlush();
  }

  /** Writes the waiting PDUs now, if the socket takes them. */
  flush(): void {
    const { socket, reading, mayRequest, onForbidden } = this.#options;
    if (this.#isClosed || this.#unsent.length === 0) return;
    if (this.#isBlocked) {
      if (this.#unsent.length > maximumUnsentOctets) reading.set("unsent", true);
      return;
    }
    // Time may have passed since these requests were passed in, for instance while the process was
    // frozen.
    if (this.#latestRequestIn === this.#writeNumber && mayRequest?.() === false) {
      onForbidden();
      return;
    }
    this.#writeNumber += 1;
    const octets = this.#unsent.take();
    const awaited = this.#awaited;
    if (awaited.length === 0) {
      this.#isBlocked = !socket.write(octets);
      return;
    }
    this.#awaited = [];
    this.#isBlocked = !socket.write(octets, (error) => {
      if (!error) for (const onWritten of awaited) onWritten();
    });
  }

  /** The socket has drained. */
  unblock(): void {
    this.#isBlocked = false;
    this.#options.reading.set("unsent", false);
    this.flush();
  }

  /** Nothing is written any more. */
  close(): void {
    this.#isClosed = true;
  }

  #scheduleFlush(): void {
    if (this.#isFlushScheduled) return;
    this.#isFlushScheduled = true;
    setImmediate(() => {
      this.#isFlushScheduled = false;
      this.flush();
    });
  }
}
