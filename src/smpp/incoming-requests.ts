/**
 * The peer's requests between arrival and answer. A bounded number, of bounded total size, wait for
 * the application's decision. If a decision fails, the peer gets a temporary error. Uses no socket.
 */

import { commandStatus } from "./constants.ts";
import type { BindPdu, NoticePdu, RequestPdu, SmppAnswer } from "./pdu.ts";
import type { SessionRole } from "./session-state.ts";

/** The requests that the application decides about. The session answers all others itself. */
export type IncomingRequest = Exclude<RequestPdu, BindPdu | { readonly command: "unbind" | "enquire_link" }>;

interface EarlyRequest {
  readonly pdu: IncomingRequest;
  readonly octets: number;
}

const mostEarly = 100;

export interface IncomingRequestsOptions {
  readonly role: SessionRole;
  readonly maximumUnanswered: number;
  readonly decide: ((pdu: IncomingRequest) => SmppAnswer | Promise<SmppAnswer>) | undefined;
  readonly respond: (pdu: IncomingRequest, answer: SmppAnswer) => void;
  readonly onFault: (pdu: IncomingRequest, error: unknown) => void;
}

/**
 * Limit for the unanswered PDUs of one session. A larger PDU is accepted when no other is waiting.
 */
export const maximumUnansweredOctets = 1 << 20;

const { ESME_RMSGQFUL, ESME_RSYSERR, ESME_RX_T_APPN } = commandStatus;

export class IncomingRequests {
  readonly #options: IncomingRequestsOptions;
  /** Both are temporary errors, so the peer keeps the message and sends it again. */
  readonly #failed: SmppAnswer;
  readonly #overfull: SmppAnswer;
  #unanswered = 0;
  #unansweredOctets = 0;
  #early: EarlyRequest[] = [];

  constructor(options: IncomingRequestsOptions) {
    this.#options = options;
    this.#failed = { command_status: options.role === "esme" ? ESME_RX_T_APPN : ESME_RSYSERR };
    this.#overfull = { command_status: options.role === "esme" ? ESME_RX_T_APPN : ESME_RMSGQFUL };
  }

  /** Whether a PDU of that size may be served before others are answered. */
  hasRoom(octets: number): boolean {
    return this.#unansweredOctets === 0 || this.#unansweredOctets + octets <= maximumUnansweredOctets;
  }

  /** Answers at once if it is decided at once. `octets`: the size of the PDU. */
  serve(pdu: IncomingRequest, octets: number): void {
    const { decide, maximumUnanswered, respond } = this.#options;
    if (this.#unanswered >= maximumUnanswered) {
      respond(pdu, this.#overfull);
      return;
    }
    this.#unanswered += 1;
    this.#unansweredOctets += octets;
    let decided: SmppAnswer | Promise<SmppAnswer>;
    try {
      decided = decide?.(pdu) ?? this.#failed;
    } catch (error) {
      this.#fail(pdu, octets, error);
      return;
    }
    if (decided instanceof Promise)
      decided.then(
        (answer) => this.#answer(pdu, octets, answer),
        (error: unknown) => this.#fail(pdu, octets, error),
      );
    else this.#answer(pdu, octets, decided);
  }

  /**
   * Keeps what an SMSC sends before it has answered our bind. False: this is no such request, or
   * too many are kept.
   */
  keepEarly(pdu: RequestPdu | NoticePdu, octets: number): boolean {
    if (this.#options.role !== "esme" || this.#early.length >= mostEarly) return false;
    if (pdu.command !== "deliver_sm" && pdu.command !== "data_sm") return false;
    this.#early.push({ pdu, octets });
    return true;
  }

  takeEarly(): readonly EarlyRequest[] {
    const early = this.#early;
    this.#early = [];
    return early;
  }

  #answer(pdu: IncomingRequest, octets: number, answer: SmppAnswer): void {
    const { respond, onFault } = this.#options;
    try {
      respond(pdu, answer);
    } catch (error) {
      onFault(pdu, error);
      respond(pdu, this.#failed);
    }
    this.#unanswered -= 1;
    this.#unansweredOctets -= octets;
  }

  #fail(pdu: IncomingRequest, octets: number, error: unknown): void {
    this.#options.onFault(pdu, error);
    this.#answer(pdu, octets, this.#failed);
  }
}
