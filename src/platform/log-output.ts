// The file or stream that log lines go to. A line is written before the caller goes on, so that a
// process that is killed or crashes has written all its lines. What cannot be written, as on a full
// disk or to a slow reader, does not stop the gateway: it waits in memory, and is lost when there
// is no room left.
import { writeSync } from "node:fs";
import type { DestinationStream } from "pino";
import type { Telemetry } from "./telemetry.ts";

export const standardOutput = 1;

/** Characters of lines that may wait. */
const mostWaiting = 8 << 20;
/** A pipe whose reader is slow has room again after about this time. */
const busyPauseMs = 10;
/** At the end of the process a slow reader is waited for this often. */
const lastTries = 100;

export class LogOutput implements DestinationStream {
  readonly #fd: number;
  readonly #telemetry: Telemetry | undefined;
  #waiting = "";
  /** What is left of lines of which a part may be written. */
  #current: Buffer = Buffer.alloc(0);
  /** The reader is slow: the next try is under way. */
  #isPausing = false;
  #isClosed = false;
  /** Lines of which the log does not tell yet. */
  #lost = 0;

  /** Lines that are lost are told of by `telemetry`. */
  constructor(fd: number, telemetry?: Telemetry) {
    this.#fd = fd;
    this.#telemetry = telemetry;
    process.once("exit", () => this.#writeRest());
  }

  write(line: string): void {
    if (this.#isClosed) return;
    // A disk that was full may have room again.
    if (!this.#hasRoomFor(line) && !this.#isPausing) this.#writeWaiting();
    if (!this.#hasRoomFor(line)) {
      this.#lose();
      return;
    }
    this.#waiting += line;
    if (this.#isPausing || this.#writeWaiting() !== "EAGAIN") return;
    this.#isPausing = true;
    this.#pause();
  }

  #hasRoomFor(line: string): boolean {
    return this.#waiting.length + line.length <= mostWaiting;
  }

  #lose(): void {
    this.#lost += 1;
    this.#telemetry?.emit("log.lineLost", {});
  }

  #pause(): void {
    setTimeout(() => {
      this.#isPausing = this.#writeWaiting() === "EAGAIN";
      if (this.#isPausing) this.#pause();
    }, busyPauseMs).unref();
  }

  /**
   * Writes what waits. Returns the code of the error that left some of it: it is tried again soon,
   * or with the next line.
   */
  #writeWaiting(): string | undefined {
    try {
      while (this.#current.length > 0 || this.#waiting !== "") {
        if (this.#current.length === 0) this.#current = this.#takeWaiting();
        this.#current = this.#current.subarray(writeSync(this.#fd, this.#current));
        // The line that tells of it is written by this loop, too.
        if (this.#current.length === 0 && this.#waiting === "") this.#tellLost();
      }
      return undefined;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException; // only Node.js throws here
      if (code === "EPIPE") this.#close();
      return code;
    }
  }

  /** The log itself tells of its gap, when all that waited is written. */
  #tellLost(): void {
    const lines = this.#lost;
    this.#lost = 0;
    if (lines > 0) this.#telemetry?.emit("log.lost", { lines });
  }

  /** Nobody reads on. */
  #close(): void {
    this.#isClosed = true;
    this.#waiting = "";
    this.#current = Buffer.alloc(0);
  }

  #takeWaiting(): Buffer {
    const taken = Buffer.from(this.#waiting);
    this.#waiting = "";
    return taken;
  }

  /** The process ends: what cannot be written now is lost. */
  #writeRest(): void {
    for (let tries = 0; tries < lastTries && this.#writeWaiting() === "EAGAIN"; tries += 1)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyPauseMs);
  }
}
