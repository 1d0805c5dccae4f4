// A caller as callers should be: keeps a load of single and 100-recipient calls going, repeats
// every call that was not answered 200 under its Idempotency-Key, and remembers what it was
// promised. No two of its messages share a recipient or a text.
import { setTimeout as delay } from "node:timers/promises";
import { holdsWithin } from "../bench/look.ts";

export interface PromisedMessage {
  readonly id: string;
  /** 989… */
  readonly recipient: string;
  readonly parts: number;
  readonly cost: bigint;
}

export interface LoadOptions {
  /** Of the nodes' HTTP services, asked in turn when one does not answer. */
  readonly ports: readonly number[];
  readonly apiKey: string;
  readonly callsPerSecond: number;
  /**
   * Endings of recipients that the simulated operator treats in its own way; each gets an equal
   * share of one message in `everyNth`.
   */
  readonly endings: readonly string[];
  readonly everyNth: number;
  readonly callTimeoutMs?: number | undefined;
  readonly mix?: LoadMix | undefined;
}

/** What calls the load is made of, and how many are made at a time. */
export interface LoadMix {
  readonly workers: number;
  /** So many calls make up one of many messages. */
  readonly bulkEvery: number;
  readonly bulkSize: number;
}

interface Call {
  readonly path: string;
  readonly body: string;
}

interface AnswerElement {
  readonly sentMessageId?: string;
  readonly recipientNumber?: string;
  readonly parts?: string;
  readonly cost?: string;
}

export interface AcceptedBody {
  readonly message?: AnswerElement;
  readonly messages?: readonly AnswerElement[];
}

export const senderLine = "10001234";
const defaultMix: LoadMix = { workers: 6, bulkEvery: 12, bulkSize: 100 };
/** Every 40th message has two parts. */
const longEvery = 40;
export const longestMessageParts = 2;
const timeoutMs = 120_000;
const retryPauseMs = 150;

/** With an ending that the operator has no behaviour for: a probe measures only the gateway. */
export function probeRecipient(number: number): string {
  return `0919${String(firstProbe + number)}`;
}

const firstProbe = 1_005_000;

export class Load {
  readonly promised: PromisedMessage[] = [];
  /** Calls that were never answered 200, and why. */
  readonly failures: string[] = [];
  readonly latencies: number[] = [];
  calls = 0;
  retries = 0;
  readonly #options: LoadOptions;
  readonly #mix: LoadMix;
  readonly #running: Promise<void>[] = [];
  #stopping = false;
  #messages = 0;
  #turn = 0;
  #probes = 0;
  readonly #known = new Set<string>();

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#mix = options.mix ?? defaultMix;
  }

  start(): void {
    const { workers } = this.#mix;
    const pauseMs = (workers / this.#options.callsPerSecond) * 1000;
    for (let index = 0; index < workers; index += 1) {
      this.#running.push(this.#work(pauseMs, (pauseMs * index) / workers));
    }
  }

  /** Makes no new calls; over when each that was begun has its answer. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#running);
  }

  /** Resolves when so many more messages are accepted. */
  async accepts(more: number): Promise<void> {
    const goal = this.promised.length + more;
    if (!(await holdsWithin(timeoutMs, () => this.promised.length >= goal, 20)))
      throw new Error(`only ${this.promised.length} of ${goal} messages were accepted in time`);
  }

  /** A single message, beside the load. Resolves with it when it is accepted. */
  probe(): Promise<PromisedMessage> {
    this.#probes += 1;
    return this.repeatProbe();
  }

  /** The latest probe once more, under its key. Resolves with what it was answered. */
  async repeatProbe(): Promise<PromisedMessage> {
    const number = this.#probes;
    const content = `probe ${number}`;
    const body = { senderNumber: senderLine, recipientNumber: probeRecipient(number), content };
    const [message] = await this.call({ path: "/messages/send", body: JSON.stringify(body) }, content);
    if (!message) throw new Error(`a call was not answered: ${this.failures.at(-1) ?? ""}`);
    return message;
  }

  /** One call, repeated until it is answered 200. Resolves with what was accepted. */
  async call(call: Call, key: string): Promise<readonly PromisedMessage[]> {
    const { apiKey, ports, callTimeoutMs = 10_000 } = this.#options;
    this.calls += 1;
    const giveUpAt = Date.now() + timeoutMs;
    for (;;) {
      const begunAt = performance.now();
      const port = ports[this.#turn % ports.length] ?? 0;
      const answer = await fetch(`http://127.0.0.1:${port}${call.path}`, {
        method: "POST",
        headers: { "x-api-key": apiKey, "content-type": "application/json", "idempotency-key": key },
        body: call.body,
        signal: AbortSignal.timeout(callTimeoutMs),
      })
        .then(async (response) => ({ status: response.status, text: await response.text() }))
        .catch((error: unknown) => ({ status: 0, text: String(error) }));
      if (answer.status === 200) {
        this.latencies.push(performance.now() - begunAt);
        return this.remember(JSON.parse(answer.text) as AcceptedBody);
      }
      const isFinal = answer.status >= 400 && answer.status < 500 && answer.status !== 409 && answer.status !== 429;
      if (isFinal || Date.now() > giveUpAt) {
        this.failures.push(`${call.path}: ${answer.status} ${answer.text.slice(0, 200)}`);
        return [];
      }
      this.retries += 1;
      this.#turn += 1;
      await delay(retryPauseMs);
    }
  }

  /** So many messages by bulk calls, as quickly as they are taken. */
  async fill(messages: number): Promise<readonly PromisedMessage[]> {
    const { bulkSize, workers } = this.#mix;
    const numbers = Array.from({ length: messages / bulkSize }, (_, number) => number);
    const accepted: PromisedMessage[] = [];
    const work = async (): Promise<void> => {
      for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
        accepted.push(...(await this.call(this.nextCall(true), `backlog-${number}`)));
      }
    };
    await Promise.all(Array.from({ length: workers }, work));
    return accepted;
  }

  /** The next call of the load. */
  nextCall(isBulk: boolean): Call {
    const messages = Array.from({ length: isBulk ? this.#mix.bulkSize : 1 }, () => this.#nextMessage());
    const recipientNumbers = messages.map(({ recipient }) => recipient);
    const contents = messages.map(({ content }) => content);
    const body = isBulk
      ? { senderNumbers: [senderLine], recipientNumbers, contents }
      : { senderNumber: senderLine, recipientNumber: recipientNumbers[0], content: contents[0] };
    return { path: `/messages/send${isBulk ? "/bulk" : ""}`, body: JSON.stringify(body) };
  }

  async #work(pauseMs: number, firstPauseMs: number): Promise<void> {
    let dueAt = performance.now() + firstPauseMs;
    const { bulkEvery } = this.#mix;
    while (!this.#stopping) {
      const waitMs = dueAt - performance.now();
      if (waitMs > 0) await delay(waitMs);
      // A load that was held up goes on at its pace, and does not catch up.
      dueAt = Math.max(dueAt, performance.now() - pauseMs) + pauseMs;
      const number = this.calls;
      await this.call(this.nextCall(number % bulkEvery === bulkEvery - 1), `call-${number}-${this.#messages}`);
    }
  }

  #nextMessage(): { recipient: string; content: string } {
    const { endings, everyNth } = this.#options;
    const number = (this.#messages += 1);
    const content = `message ${number} ${number % longEvery === 0 ? "and more of it ".repeat(14) : ""}`.trim();
    const special = number / everyNth;
    if (endings.length === 0 || !Number.isInteger(special)) {
      return { recipient: `0912${String(1_000_000 + number)}`, content };
    }
    const ending = endings[special % endings.length] ?? "";
    return { recipient: `0913${String(Math.floor(special / endings.length)).padStart(3, "0")}${ending}`, content };
  }

  /** Counts what was answered 200 among what was promised. */
  remember(body: AcceptedBody): readonly PromisedMessage[] {
    const accepted: PromisedMessage[] = [];
    for (const element of body.messages ?? (body.message ? [body.message] : [])) {
      const { sentMessageId, recipientNumber = "", parts, cost } = element;
      if (sentMessageId === undefined) {
        this.failures.push(`not accepted: ${JSON.stringify(element)}`);
        continue;
      }
      const recipient = `98${recipientNumber.slice(1)}`;
      const price = BigInt((cost ?? "0").replaceAll(",", ""));
      accepted.push({ id: sentMessageId, recipient, parts: Number(parts), cost: price });
    }
    // The same answer to a repeated call promises nothing more.
    const fresh = accepted.filter(({ id }) => !this.#known.has(id));
    for (const { id } of fresh) this.#known.add(id);
    this.promised.push(...fresh);
    return accepted;
  }
}
