/**
 * The messages that the simulated SMSC remembers: the latest in order, and by message id for
 * query_sm and similar requests.
 */

import type { SubmittedMessage } from "./submitted-message.ts";

export class MessageLog {
  readonly #memory: number;
  readonly #latest: SubmittedMessage[] = [];
  readonly #byId = new Map<string, SubmittedMessage>();
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
    if (message.commandStatus !== 0) return;
    this.accepted += 1;
    if (message.messageId === "") return;
    this.#byId.set(message.messageId, message);
    if (this.#byId.size > this.#memory) this.#forgetOldest();
  }

  find(messageId: string): SubmittedMessage | undefined {
    return this.#byId.get(messageId);
  }

  #forgetOldest(): void {
    for (const id of this.#byId.keys()) {
      this.#byId.delete(id);
      return;
    }
  }
}
