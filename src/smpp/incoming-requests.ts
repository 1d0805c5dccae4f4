/**
 * The peer's requests between arrival and answer: a bounded number wait for the product's decision, a failed decision becomes
 * a temporary error, and it is known which answers left with which write. Touches no socket.
 */

import { commandStatus } from "./constants.ts";
import type { BindPdu, RequestPdu, SmppAnswer } from "./pdu.ts";
import type { SessionRole } from "./session-state.ts";

/** The requests that the product decides about; the session sees to all others itself. */
export type IncomingRequest = Exclude<RequestPdu, BindPdu | { readonly command: "unbind" | "enquire_link" }>;

export interface AnsweredRequest {
  readonly pdu: IncomingRequest;
  readonly answer: SmppAnswer;
}

export interface IncomingRequestsOptions {
  readonly role: SessionRole;
  readonly maximumUnanswered: number;
  readonly decide: ((pdu: IncomingRequest) => SmppAnswer | Promise<SmppAnswer>) | undefined;
  /** False when the answer can no longer be sent. */
  readonly respond: (pdu: IncomingRequest, answer: SmppAnswer) => boolean;
  readonly onFault: (pdu: IncomingRequest, error: unknown) => void;
}

const { ESME_RMSGQFUL, ESME_RSYSERR, ESME_RX_T_APPN } = commandStatus;

export class IncomingRequests {
  readonly #options: IncomingRequestsOptions;
  /** Both temporary, so that the peer keeps the message and sends it again. */
  readonly #failed: SmppAnswer;
  readonly #overfull: SmppAnswer;
  #unanswered = 0;
  #answered: AnsweredRequest[] = [];

  constructor(options: IncomingRequestsOptions) {
    this.#options = options;
    this.#failed = { command_status: options.role === "esme" ? ESME_RX_T_APPN : ESME_RSYSERR };
    this.#overfull = { command_status: options.role === "esme" ? ESME_RX_T_APPN : ESME_RMSGQFUL };
  }

  serve(pdu: IncomingRequest): void {
    const { decide, maximumUnanswered, respond, onFault } = this.#options;
    if (this.#unanswered >= maximumUnanswered) {
      respond(pdu, this.#overfull);
      return;
    }
    this.#unanswered += 1;
    let answer: SmppAnswer | Promise<SmppAnswer> = this.#failed;
    try {
      if (decide !== undefined) answer = decide(pdu);
    } catch (error) {
      onFault(pdu, error);
    }
    if (!(answer instanceof Promise)) {
      this.#answer(pdu, answer);
      return;
    }
    answer.then(
      (decided) => this.#answer(pdu, decided),
      (error: unknown) => {
        onFault(pdu, error);
        this.#answer(pdu, this.#failed);
      },
    );
  }

  /** The answers given since the last call: those that the next write carries. */
  takeAnswered(): readonly AnsweredRequest[] {
    const answered = this.#answered;
    if (answered.length > 0) this.#answered = [];
    return answered;
  }

  #answer(pdu: IncomingRequest, answer: SmppAnswer): void {
    this.#unanswered -= 1;
    if (this.#options.respond(pdu, answer)) this.#answered.push({ pdu, answer });
  }
}
