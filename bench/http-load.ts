// A load of HTTP calls over keep-alive connections, one call at a time on each: as cheap for the
// machine as it can be, since it shares its cores with what is measured. Run as a process: prints
// "measuring" when the warm-up is over, "measured" when the counted time is, then one JSON line.
import { connect, type Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { monotonicMs } from "./machine.ts";
import { type Spread, spreadOf } from "./percentiles.ts";
import { type ReadyRequest, type RequestKind, requestsOf } from "./requests.ts";

export interface LoadOptions {
  readonly port: number;
  readonly connections: number;
  /** Not counted: the programs under load become as fast as they will be. */
  readonly warmUpSeconds: number;
  /**
   * The warm-up goes on until so many calls were answered, at most for ten times its seconds: on a
   * busy machine time alone compiles nothing.
   */
  readonly warmUpCalls?: number;
  /** The counted time, after the warm-up. */
  readonly seconds: number;
  /**
   * Calls per second over all connections; 0: each connection calls again as soon as it was
   * answered.
   */
  readonly callsPerSecond: number;
  readonly kind: RequestKind;
  readonly key: string;
  /** Instead of the times: the load ends after so many calls, all of them counted. */
  readonly calls?: number;
  /** Reports when each counted call was sent; each call then has its own recipient. */
  readonly trace?: boolean;
}

/** Time in milliseconds of the machine's monotonic clock, which all its processes share. */
export type Trace = readonly [recipient: string, sentAt: number];

export interface LoadResult {
  /** 2xx within the counted time. */
  readonly answered: number;
  /** 2xx from the first call to the last. */
  readonly answeredInAll: number;
  readonly refused: number;
  /** The first refusal, for the report. */
  readonly refusal: string | undefined;
  readonly seconds: number;
  /** At a fixed rate from the moment that the call was due, else from when it was sent. */
  readonly latencyMs: Spread;
  readonly traces: readonly Trace[];
}

const textOf2xx = 0x32;
/** That follow each other before the first one comes again. */
const differentCalls = 2000;

export class HttpLoad {
  readonly #options: LoadOptions;
  readonly #requests: readonly ReadyRequest[];
  readonly #latencies: number[] = [];
  readonly #traces: Trace[] = [];
  #next = 0;
  #answeredInAll = 0;
  #refused = 0;
  #refusal: string | undefined;
  /** The counted time, by performance.now(). */
  #since = Infinity;
  #until = Infinity;

  constructor(options: LoadOptions) {
    this.#options = options;
    const { kind, key, trace, callsPerSecond, warmUpSeconds, seconds } = options;
    const tracedCalls = Math.ceil(callsPerSecond * (10 * warmUpSeconds + seconds + 5));
    this.#requests = requestsOf(kind, key, trace === true ? tracedCalls : differentCalls);
  }

  /** `counted` replaces `seconds`: the counted time lasts as long as this work. */
  async run(
    report: (line: string) => void = () => undefined,
    counted: () => Promise<unknown> = () => delay(this.#options.seconds * 1000),
  ): Promise<LoadResult> {
    const { connections, calls } = this.#options;
    const begun = performance.now();
    const running = Promise.all(
      Array.from({ length: connections }, (_, index) => this.#callAgainAndAgain(index, begun)),
    );
    // A connection that breaks breaks the load.
    if (calls === undefined) await Promise.race([running, this.#warmedUp()]);
    this.#since = performance.now();
    report("measuring");
    await Promise.race(calls === undefined ? [running, counted()] : [running]);
    this.#until = performance.now();
    report("measured");
    await running;
    return {
      answered: this.#latencies.length,
      answeredInAll: this.#answeredInAll,
      refused: this.#refused,
      refusal: this.#refusal,
      seconds: (this.#until - this.#since) / 1000,
      latencyMs: spreadOf(this.#latencies),
      traces: this.#traces,
    };
  }

  async #warmedUp(): Promise<void> {
    const { warmUpSeconds, warmUpCalls = 0 } = this.#options;
    await delay(warmUpSeconds * 1000);
    const giveUpAt = performance.now() + 9 * warmUpSeconds * 1000;
    while (this.#answeredInAll < warmUpCalls && performance.now() < giveUpAt) await delay(50);
  }

  #callAgainAndAgain(index: number, begun: number): Promise<void> {
    const { port, connections, callsPerSecond, trace } = this.#options;
    const pauseMs = callsPerSecond > 0 ? (connections / callsPerSecond) * 1000 : 0;
    const offsetMs = (pauseMs * index) / connections;
    return new Promise((resolve, reject) => {
      const socket: Socket = connect({ host: "127.0.0.1", port });
      let call: ReadyRequest = { octets: Buffer.alloc(0), recipient: "" };
      let [dueAt, nextDueAt, sentAt] = [0, begun + offsetMs, 0];
      let isDone = false;
      let received: Buffer = Buffer.alloc(0);
      const send = (): void => {
        const now = performance.now();
        // What the warm-up has left undone is not made up for in the time that is counted; what is
        // due in that time is called, however late.
        if (now >= this.#since) nextDueAt = Math.max(nextDueAt, this.#since + offsetMs);
        dueAt = pauseMs > 0 ? nextDueAt : now;
        if (this.#isEnough(dueAt)) {
          isDone = true;
          socket.end();
          resolve();
        } else if (now < dueAt) {
          setTimeout(send, dueAt - now);
        } else {
          nextDueAt = dueAt + pauseMs;
          call = this.#nextRequest();
          sentAt = monotonicMs();
          socket.write(call.octets);
        }
      };
      socket.setNoDelay(true);
      socket.on("connect", send);
      socket.on("error", reject);
      socket.on("close", () => (isDone ? resolve() : reject(new Error("a connection of the load was closed"))));
      socket.on("data", (chunk: Buffer) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const length = answerLength(received);
        if (length === undefined || received.length < length) return;
        if (this.#judge(received) && this.#isCounted(dueAt)) {
          // At a fixed rate from when the call was due, so that a stall is not hidden by calls that
          // were never made.
          this.#latencies.push(performance.now() - dueAt);
          if (trace === true) this.#traces.push([call.recipient, sentAt]);
        }
        received = Buffer.alloc(0);
        send();
      });
    });
  }

  #nextRequest(): ReadyRequest {
    const request = this.#requests[this.#next % this.#requests.length];
    this.#next += 1;
    if (request === undefined) throw new Error("a load of no requests");
    return request;
  }

  #isEnough(dueAt: number): boolean {
    return dueAt >= this.#until || this.#next === this.#options.calls;
  }

  /**
   * Where calls come as fast as they are answered, the answers within the time count; at a fixed
   * rate, the calls that were due in it.
   */
  #isCounted(dueAt: number): boolean {
    if (this.#options.callsPerSecond > 0) return dueAt >= this.#since && dueAt < this.#until;
    return this.#since < Infinity && this.#until === Infinity;
  }

  #judge(received: Buffer): boolean {
    // "HTTP/1.1 2"
    if (received[9] === textOf2xx) {
      this.#answeredInAll += 1;
      return true;
    }
    this.#refused += 1;
    this.#refusal ??= received.toString("latin1", 0, 600);
    return false;
  }
}

function answerLength(received: Buffer): number | undefined {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const match = /content-length: *(\d+)/i.exec(received.toString("latin1", 0, headEnd));
  return headEnd + 4 + Number(match?.[1] ?? 0);
}

if (process.argv[1] === import.meta.filename) {
  const load = new HttpLoad(JSON.parse(process.argv[2] ?? "") as LoadOptions);
  const result = await load.run((line) => process.stdout.write(`${line}\n`));
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
