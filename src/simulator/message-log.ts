/** The latest messages that the simulated SMSC got, in their order. */
import type { SubmittedMessage } from "./submitted-message.ts";

export class MessageLog {
  readonly #memory: number;
  readonly #latest: SubmittedMessage[] = [];
  submits = 0;
  accepted = 0;

  constructor(memory: number) {
    this.#memory = memory;
  }

  get latest(): readonly SubmittedMessage[] {
    return this.#latest;
  }

  add(message: SubmittedMessage): void {
    this.submits += 1;
    this.#latest.push(message);
    // In large steps, because removing the front of an array costs its length.
    if (this.#latest.length > this.#memory * 1.25) this.#latest.splice(0, this.#latest.length - this.#memory);
    if (message.commandStatus === 0) this.accepted += 1;
  }
}

const rememberedMessages = 100_000;

/** Numbers the messages of the simulated SMSC, which it makes their ids from. */
export class MessageNumbers {
  #next: number;
  readonly #ofLongMessages = new Map<string, number>();

  constructor(first: number) {
    this.#next = first;
  }

  /** A new one. */
  next(): number {
    const given = this.#next;
    this.#next += 1;
    return given;
  }

  /** That of the parts of its long message before it; a new one for part 1. */
  ofWhole(message: SubmittedMessage): number {
    const { reference, total, number: part } = message.part;
    const key = `${message.systemId} ${message.recipient.address} ${reference} ${total}`;
    const known = part === 1 ? undefined : this.#ofLongMessages.get(key);
    if (known !== undefined) return known;
    if (this.#ofLongMessages.size >= rememberedMessages) this.#ofLongMessages.clear();
    const given = this.next();
    this.#ofLongMessages.set(key, given);
    return given;
  }
}
