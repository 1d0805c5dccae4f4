// The open streams of `live`. All of them share one look a second. Their number is limited, and
// each ends with its session. A reader that does not keep up misses looks and is cut off. However a
// connection ends, its place becomes free.
import type { ServerResponse } from "node:http";
import { ApiError } from "../../texts/errors.ts";
import type { Telemetry } from "../../platform/telemetry.ts";
import { type LiveLimits, liveLimits } from "../limits/request-limits.ts";
import { consoleJson } from "./console-endpoint.ts";

export interface LiveStreamsOptions {
  /** What the streams tell now. */
  readonly look: () => Promise<object>;
  /** Which of these sessions are still good. */
  readonly goodSessions: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly limits?: Partial<LiveLimits>;
  readonly telemetry: Telemetry;
}

const retrySeconds = 5;

interface Stream {
  readonly response: ServerResponse;
  readonly person: string;
  readonly sessionId: string;
  readonly openedAt: number;
  /** Looks still to be sent; Infinity for a stream without end. */
  left: number;
  /** Since when the reader has not taken what was written. */
  behindSince: number | undefined;
}

export class LiveStreams {
  readonly #options: LiveStreamsOptions;
  readonly #limits: LiveLimits;
  readonly #streams = new Set<Stream>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #seenAt = 0;

  constructor(options: LiveStreamsOptions) {
    this.#options = options;
    this.#limits = { ...liveLimits, ...options.limits };
  }

  get open(): number {
    return this.#streams.size;
  }

  /**
   * Throws 503 where there are too many, 429 where this person has too many. To be asked before the
   * answer begins.
   */
  expectRoom(person: string): void {
    const { streams, ofPerson } = this.#limits;
    if (this.#isClosed || this.#streams.size >= streams) throw ApiError.unavailable(retrySeconds);
    const own = [...this.#streams].filter((stream) => stream.person === person).length;
    if (own < ofPerson) return;
    this.#options.telemetry.emit("console.refused", { kind: "streams" });
    throw ApiError.tooManyRequests(retrySeconds);
  }

  /** The head of the answer has been written. `events`: end after so many. */
  add(
    response: ServerResponse,
    { person, sessionId, events }: { readonly person: string; readonly sessionId: string; readonly events: number },
  ): void {
    // Gone while its session was looked up: its close is over and would never be told.
    if (response.destroyed) return;
    const now = performance.now();
    const stream: Stream = { response, person, sessionId, openedAt: now, left: events, behindSince: undefined };
    this.#streams.add(stream);
    this.#reportOpen();
    response.once("close", () => this.#forget(stream));
    // An error of a connection that is gone is reported by its close.
    response.on("error", () => undefined);
    response.write(": hodhod\n\n");
    if (this.#timer !== undefined) return;
    this.#seenAt = now;
    this.#schedule(0);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const { response } of this.#streams) response.end();
  }

  #schedule(afterMs: number): void {
    this.#timer = setTimeout(() => void this.#round(), afterMs).unref();
  }

  async #round(): Promise<void> {
    const begunAt = performance.now();
    try {
      await this.#endThoseOver();
      if (this.#streams.size > 0) this.#send(consoleJson(await this.#options.look()));
      this.#seenAt = performance.now();
    } catch {
      // The database is away, which others report. Nothing unknown is sent.
      if (performance.now() - this.#seenAt > this.#limits.blindMs)
        for (const { response } of this.#streams) response.end();
    }
    if (this.#isClosed) return;
    this.#timer = undefined;
    if (this.#streams.size > 0) this.#schedule(Math.max(50, this.#limits.everyMs - (performance.now() - begunAt)));
  }

  async #endThoseOver(): Promise<void> {
    // Those that are opened meanwhile are looked up in the next round.
    const asked = [...this.#streams];
    const good = await this.#options.goodSessions([...new Set(asked.map(({ sessionId }) => sessionId))]);
    const now = performance.now();
    for (const stream of asked) {
      if (!good.has(stream.sessionId) || now - stream.openedAt > this.#limits.longestMs) this.#end(stream);
    }
  }

  #send(figures: string): void {
    const now = performance.now();
    for (const stream of this.#streams) {
      const { response } = stream;
      if (this.#isBehind(stream, now)) continue;
      response.write(`data: ${figures}\n\n`);
      stream.left -= 1;
      if (stream.left <= 0) this.#end(stream);
    }
  }

  /** At most one look waits for a reader. */
  #isBehind(stream: Stream, now: number): boolean {
    if (stream.response.writableLength === 0) {
      stream.behindSince = undefined;
      return false;
    }
    stream.behindSince ??= now;
    if (now - stream.behindSince > this.#limits.timeoutMs) {
      this.#forget(stream);
      stream.response.destroy();
    }
    return true;
  }

  #end(stream: Stream): void {
    this.#forget(stream);
    stream.response.end();
  }

  #forget(stream: Stream): void {
    if (this.#streams.delete(stream)) this.#reportOpen();
  }

  #reportOpen(): void {
    this.#options.telemetry.emit("console.streams", { open: this.#streams.size });
  }
}
