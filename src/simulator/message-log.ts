/**
 * The messages that the simulated SMSC remembers: the latest in order, and by message id for
 * query_sm and similar requests.
 */
import type { SubmittedMessage } from "./submitted-message.ts";
import { commandStatus, messageStateCode } from "../smpp/constants.ts";
import type { IncomingRequest } from "../smpp/incoming-requests.ts";
import type { DataSm, SmppAnswer, SubmitMulti, SubmitSm } from "../smpp/pdu.ts";
import { formatAbsoluteTime } from "../smpp/smpp-time.ts";

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

/** Answers query_sm, cancel_sm and replace_sm: what an ESME asks about what it has submitted. */

const { ESME_ROK, ESME_RQUERYFAIL, ESME_RCANCELFAIL, ESME_RREPLACEFAIL, ESME_RINVCMDID } = commandStatus;

export interface AskedSmsc {
  readonly find: (messageId: string) => SubmittedMessage | undefined;
  readonly supportsQuery: boolean;
}

export function answerAbout(
  pdu: Exclude<IncomingRequest, SubmitSm | SubmitMulti | DataSm>,
  { find, supportsQuery }: AskedSmsc,
): SmppAnswer {
  if (pdu.command === "deliver_sm") return { command_status: ESME_ROK };
  const message = find(pdu.message_id);
  const isOpen = message !== undefined && message.finalAt === undefined;
  switch (pdu.command) {
    case "query_sm":
      if (!supportsQuery) return { command_status: ESME_RINVCMDID };
      if (message === undefined) return { command_status: ESME_RQUERYFAIL };
      return {
        command_status: ESME_ROK,
        message_id: message.messageId,
        message_state: messageStateCode(message.state),
        final_date: message.finalAt === undefined ? "" : formatAbsoluteTime(new Date(message.finalAt)),
      };
    case "cancel_sm":
      if (!isOpen) return { command_status: ESME_RCANCELFAIL };
      message.isCanceled = true;
      return { command_status: ESME_ROK };
    case "replace_sm":
      return { command_status: isOpen ? ESME_ROK : ESME_RREPLACEFAIL };
  }
}

// Numbers the messages of the simulated SMSC, which it makes their ids from.

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
