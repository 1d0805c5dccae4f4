// Calls of one message at a fixed rate until it is ended. Run as a process; asked "longest FROM TO"
// in milliseconds of the machine's monotonic clock, it prints how long the longest call that was
// due then has taken.
import { Agent, request } from "node:http";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { monotonicMs } from "./machine.ts";

export interface CallTimesOptions {
  readonly port: number;
  readonly key: string;
  readonly callsPerSecond: number;
}

interface Call {
  readonly dueAt: number;
  /** Undefined: it still waits. */
  tookMs: number | undefined;
}

/** A call without an answer for so long is told as one that took as long. */
const longestMs = 30_000;

class CallTimes {
  readonly #options: CallTimesOptions;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 500 });
  readonly #calls: Call[] = [];

  constructor(options: CallTimesOptions) {
    this.#options = options;
  }

  async run(): Promise<never> {
    const pauseMs = 1000 / this.#options.callsPerSecond;
    for (let dueAt = monotonicMs(); ; dueAt += pauseMs) {
      await delay(Math.max(0, dueAt - monotonicMs()));
      this.#call(dueAt);
    }
  }

  async longest(from: number, to: number): Promise<number> {
    const within = this.#calls.filter(({ dueAt }) => dueAt >= from && dueAt < to);
    if (within.length === 0) throw new Error("no call was due then");
    const giveUpAt = monotonicMs() + longestMs;
    while (within.some(({ tookMs }) => tookMs === undefined) && monotonicMs() < giveUpAt) await delay(20);
    return Math.max(...within.map(({ tookMs = longestMs }) => tookMs));
  }

  #call(dueAt: number): void {
    const { port, key } = this.#options;
    const call: Call = { dueAt, tookMs: undefined };
    this.#calls.push(call);
    const recipientNumber = `0912${String(this.#calls.length).padStart(7, "0")}`;
    const sent = request({
      host: "127.0.0.1",
      port,
      path: "/messages/send",
      method: "POST",
      agent: this.#agent,
      headers: { "x-api-key": key, "content-type": "application/json" },
    });
    sent.on("response", (response) => {
      if (response.statusCode !== 200) fail(`a call was answered ${String(response.statusCode)}`);
      response.resume().on("end", () => (call.tookMs = monotonicMs() - dueAt));
    });
    sent.on("error", (error) => fail(error.message));
    sent.end(JSON.stringify({ senderNumber: "10001234", recipientNumber, content: "سلام، کد ورود شما ۱۲۳۴۵۶ است." }));
  }
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

if (process.argv[2] !== undefined) {
  const times = new CallTimes(JSON.parse(process.argv[2]) as CallTimesOptions);
  createInterface({ input: process.stdin }).on("line", (line) => {
    const [, from, to] = line.split(" ").map(Number);
    void times.longest(from ?? 0, to ?? 0).then((longest) => process.stdout.write(`longest ${longest}\n`));
  });
  process.stdout.write("calling\n");
  await times.run();
}
