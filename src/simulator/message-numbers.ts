// Numbers the messages of the simulated SMSC, which it makes their ids from.
import type { SubmittedMessage } from "./submitted-message.ts";

const rememberedMessages = 100_000;

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
