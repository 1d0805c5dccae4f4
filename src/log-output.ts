// The file or stream that log lines go to. It never stops or delays the gateway: lines wait in
// memory while they cannot be written, as on a full disk, and are lost when there is no room left.
import { write, writeSync } from "node:fs";
import type { DestinationStream } from "pino";

/** Characters of lines that may wait. */
const mostWaiting = 8 << 20;
/** A pipe whose reader is slow has room again after about this time. */
const busyPauseMs = 10;
/** At the end of the process a slow reader is waited for this often. */
const lastTries = 100;

export class LogOutput implements DestinationStream {
  readonly #fd: number;
  #waiting = "";
  /** Of this the beginning may be on its way. */
  #current: Buffer = Buffer.alloc(0);
  #isWriting = false;
  #isClosed = false;

  constructor(fd: number) {
    this.#fd = fd;
    process.once("exit", () => this.#writeRest());
  }

  write(line: string): void {
    if (this.#isClosed || this.#waiting.length + line.length > mostWaiting) return;
    this.#waiting += line;
    this.#next();
  }

  #next(): void {
    if (this.#isWriting) return;
    if (this.#current.length === 0) this.#current = this.#takeWaiting();
    if (this.#current.length === 0) return;
    this.#isWriting = true;
    write(this.#fd, this.#current, (error, octets) => {
      this.#isWriting = false;
      if (error !== null) {
        this.#keep(error);
        return;
      }
      this.#current = this.#current.subarray(octets);
      this.#next();
    });
  }

  /** What could not be written is tried again: soon, or with the next line. */
  #keep({ code }: NodeJS.ErrnoException): void {
    if (code === "EAGAIN") setTimeout(() => this.#next(), busyPauseMs).unref();
    // Nobody reads on.
    if (code !== "EPIPE") return;
    this.#isClosed = true;
    this.#current = this.#takeWaiting().subarray(0, 0);
  }

  #takeWaiting(): Buffer {
    const taken = Buffer.from(this.#waiting);
    this.#waiting = "";
    return taken;
  }

  /** The process ends: what cannot be written now is lost. */
  #writeRest(): void {
    const current = this.#isWriting ? [] : [this.#current];
    let rest = Buffer.concat([...current, this.#takeWaiting()]);
    for (let tries = 0; rest.length > 0 && tries < lastTries; tries += 1) {
      try {
        rest = rest.subarray(writeSync(this.#fd, rest));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return; // only Node.js throws here
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyPauseMs);
      }
    }
  }
}
