// Sends requests from a thread of its own: what an endpoint answers does not wait behind the calls
// that the node accepts, and these do not wait for the encryption of requests. What the thread does
// is in posting-worker.ts. Requests and outcomes go in groups, because each message between threads
// has its price.
import { Worker } from "node:worker_threads";
import type { FailureLatch } from "../platform/service.ts";
import type { EventPoster, PostOutcome, RequestToPost } from "./request-poster.ts";

/** Plain, because a thread is given copies. */
export interface PostingThreadOptions {
  /** As AddressRules takes them. */
  readonly allow: readonly string[];
  /** Of the product, for user-agent. */
  readonly version: string;
  /** For tests. */
  readonly timeoutMs?: number;
}

/** On its way to the thread. Its body stands in the group's octets, behind those before it. */
export interface GroupedRequest extends Omit<RequestToPost, "body"> {
  /** Names its outcome. */
  readonly number: number;
  readonly bodyOctets: number;
}

export interface RequestGroup {
  readonly requests: readonly GroupedRequest[];
  readonly bodies: Uint8Array<ArrayBuffer>;
}

type End = (outcome: PostOutcome | undefined) => void;

/** It is not in the thread yet. */
interface WaitingPost {
  readonly request: GroupedRequest;
  readonly body: Uint8Array;
  readonly end: End;
}

/** The thread has it. */
interface OpenPost {
  /** Of `performance.now()`. */
  readonly begunMs: number;
  readonly end: End;
}

export interface NumberedOutcome {
  readonly number: number;
  readonly outcome: PostOutcome;
}

/**
 * V8's own choice, 48 MB, makes a node that sends without a pause 30 MiB larger, and the thread no
 * faster, because little of a request outlives it.
 */
const maxYoungGenerationSizeMb = 6;

export interface ThreadPatience {
  /** From when the thread got a request to its outcome. The thread itself ends each after 15 s. */
  readonly lateAfterMs: number;
  readonly lookEveryMs: number;
  /**
   * The pause between the end of a thread and the start of the next one. Requests wait meanwhile.
   * It is shorter than the time after which another node takes over the endpoints and sends the
   * same events.
   */
  readonly beginAgainAfterMs: number;
}

const usualPatience: ThreadPatience = { lateAfterMs: 45_000, lookEveryMs: 10_000, beginAgainAfterMs: 2_000 };
/**
 * How many looks in a row must find a late request. After a pause of the whole machine a single
 * look finds one, too.
 */
const looksBeforeLost = 2;

/** Begins the thread with the first request, and another one where it has ended or hangs. */
export class PostingThread implements EventPoster {
  readonly #options: PostingThreadOptions;
  readonly #latch: Pick<FailureLatch, "failed" | "worked">;
  #worker: Worker | undefined;
  #isClosed = false;
  #lastNumber = 0;
  #waiting: WaitingPost[] = [];
  readonly #open = new Map<number, OpenPost>();
  readonly #patience: ThreadPatience;
  #look: NodeJS.Timeout | undefined;
  #pause: NodeJS.Timeout | undefined;
  /** Looks in a row that found the oldest request late. */
  #lateLooks = 0;

  /** `latch`: is told that the thread ended or hangs, by a defect of the program only. */
  constructor(
    options: PostingThreadOptions,
    latch: Pick<FailureLatch, "failed" | "worked">,
    patience: Partial<ThreadPatience> = {},
  ) {
    this.#options = options;
    this.#latch = latch;
    this.#patience = { ...usualPatience, ...patience };
  }

  post({ url, id, body, secrets }: RequestToPost): Promise<PostOutcome | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    const octets = typeof body === "string" ? Buffer.from(body) : body;
    this.#lastNumber += 1;
    const request = { number: this.#lastNumber, url, id, secrets, bodyOctets: octets.length };
    // All that is asked for in this turn goes together.
    if (this.#waiting.length === 0) queueMicrotask(() => this.#hand());
    return new Promise((end) => this.#waiting.push({ request, body: octets, end }));
  }

  /** Cuts what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#look);
    clearTimeout(this.#pause);
    const waiting = this.#takeWaiting();
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
    this.#giveUpOpen();
    for (const { end } of waiting) end(undefined);
  }

  #takeWaiting(): readonly WaitingPost[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }

  #hand(): void {
    if (this.#pause !== undefined) return;
    const posts = this.#takeWaiting();
    if (posts.length === 0) return;
    const requests = posts.map(({ request }) => request);
    // Octets of its own: what shares them with others would be copied with these.
    const bodies = new Uint8Array(requests.reduce((sum, { bodyOctets }) => sum + bodyOctets, 0));
    const begunMs = performance.now();
    let at = 0;
    for (const { request, body, end } of posts) {
      this.#open.set(request.number, { begunMs, end });
      bodies.set(body, at);
      at += body.length;
    }
    const group: RequestGroup = { requests, bodies };
    try {
      this.#worker ??= this.#begin();
      this.#worker.postMessage(group, [bodies.buffer]);
    } catch (error) {
      const worker = this.#worker;
      this.#lose(worker, error);
      void worker?.terminate();
    }
  }

  #begin(): Worker {
    const worker = new Worker(new URL("./posting-worker.js", import.meta.url), {
      workerData: this.#options,
      resourceLimits: { maxYoungGenerationSizeMb },
    });
    worker.on("message", (outcomes: readonly NumberedOutcome[]) => {
      // What a lost thread still tells is of requests that are given up.
      if (worker !== this.#worker) return;
      this.#latch.worked();
      for (const { number, outcome } of outcomes) this.#end(number, outcome);
    });
    worker.on("error", (error) => this.#lose(worker, error));
    worker.on("exit", (code) => this.#lose(worker, new Error(`the thread that sends webhooks ended with ${code}`)));
    this.#lateLooks = 0;
    this.#look = setInterval(() => this.#lookForLate(worker), this.#patience.lookEveryMs).unref();
    return worker;
  }

  /** Else its endpoints would wait for ever, on a node that holds their slots. */
  #lookForLate(worker: Worker): void {
    const [oldest] = this.#open.values();
    const isLate = oldest !== undefined && performance.now() - oldest.begunMs > this.#patience.lateAfterMs;
    this.#lateLooks = isLate ? this.#lateLooks + 1 : 0;
    if (this.#lateLooks < looksBeforeLost) return;
    this.#lose(worker, new Error("the thread that sends webhooks does not answer"));
    void worker.terminate();
  }

  /** Nobody knows what became of its requests: they are tried again, under the same ids. */
  #lose(worker: Worker | undefined, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    clearInterval(this.#look);
    this.#latch.failed(error);
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      this.#hand();
    }, this.#patience.beginAgainAfterMs).unref();
    this.#giveUpOpen();
  }

  #giveUpOpen(): void {
    for (const number of this.#open.keys()) this.#end(number, undefined);
  }

  #end(number: number, outcome: PostOutcome | undefined): void {
    const open = this.#open.get(number);
    this.#open.delete(number);
    open?.end(outcome);
  }
}
